import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Commands run once and in time: through another manager, another adapter, an outage of the broker and a restart.
@Suite struct CommandOnceTests {
    private static let write = #"{"id":"1","write":"2A39","value":"01"}"#

    private func stage(
        store: SimulatedStore = SimulatedStore(identity: "s"),
        _ configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) -> GatewayStage {
        GatewayStage(.strap(), store: store) {
            $0.devices = [DeviceSettings(.strap, [])]
            configure(&$0)
        }
    }

    private func writes(_ stage: GatewayStage) -> Int { stage.simulation.bluez.recorder.count("WriteValue") }

    private func kinds(_ stage: GatewayStage) throws -> [String] {
        try stage.results().map { $0["error"]?["kind"]?.string ?? "ok" }
    }

    /// The id of the command is used again after a new session of the manager, as recovery makes it.
    @Test func `A command runs once, also through a new manager`() throws {
        let stage = stage()
        stage.run(for: .seconds(5))
        stage.command(Self.write)
        stage.time.advance(by: .seconds(20))
        #expect(writes(stage) == 1)
        for supervisor in stage.gateway.adapters.supervisors { supervisor.replaceManager() }
        stage.time.advance(by: .seconds(10))
        stage.command(Self.write)
        stage.time.advance(by: .seconds(20))
        #expect(writes(stage) == 1)
        #expect(try kinds(stage) == ["ok"])
        stage.command(#"{"id":"1","write":"2A39","value":"02"}"#)
        stage.time.advance(by: .seconds(20))
        #expect(writes(stage) == 1)
        #expect(try kinds(stage) == ["ok", "duplicate"])
    }

    @Test func `A command runs once, also if another adapter hears the device`() throws {
        let stage = stage { $0.adapters = ["hci0", "hci1"] }
        stage.run(for: .seconds(5))
        stage.command(Self.write)
        stage.time.advance(by: .seconds(20))
        stage.simulation.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:02"), as: 1)
        stage.time.advance(by: .seconds(20))
        stage.simulation.bluez.removeAdapter(0)
        stage.time.advance(by: .seconds(60))
        stage.command(Self.write)
        stage.time.advance(by: .seconds(30))
        #expect(writes(stage) == 1)
        #expect(try kinds(stage) == ["ok"])
    }

    @Test func `A command runs once, also after a restart of the gateway`() throws {
        let store = SimulatedStore(identity: "s")
        let first = stage(store: store)
        first.run(for: .seconds(5))
        first.command(Self.write)
        first.time.advance(by: .seconds(20))
        #expect(writes(first) == 1)
        #expect(first.stop())
        #expect(store.usedIdentifiers.map(\.id) == ["1"])
        let second = stage(store: store)
        second.run(for: .seconds(5))
        second.command(Self.write)
        second.command(#"{"id":"2","write":"2A39","value":"01"}"#)
        second.time.advance(by: .seconds(20))
        #expect(writes(second) == 1)
        #expect(try second.results().map { $0["id"] } == [.string("2")])
    }

    @Test func `A command that arrives while the gateway stops is refused, and may be sent again`() throws {
        let store = SimulatedStore(identity: "s")
        let first = stage(store: store)
        first.run(for: .seconds(5))
        // So that the connection stays for the whole limit.
        first.server.isAcknowledging = false
        var isStopped = false
        first.gateway.stop { isStopped = true }
        first.command(Self.write)
        first.time.advance(by: .seconds(20))
        #expect(isStopped && writes(first) == 0)
        #expect(store.usedIdentifiers.isEmpty)
        let second = stage(store: store)
        second.run(for: .seconds(5))
        second.command(Self.write)
        second.time.advance(by: .seconds(20))
        #expect(writes(second) == 1)
        #expect(try kinds(second) == ["gateway-stopped", "ok"])
    }

    @Test(arguments: [(5, ["ok"]), (40, ["expired"])])
    func `A command of an outage runs if the outage was short`(seconds: Int, expected: [String]) throws {
        let stage = stage()
        stage.run(for: .seconds(20))
        stage.server.unreachableClients = Set(stage.server.connectedClients)
        for client in stage.server.connectedClients { stage.server.close(client) }
        stage.server.publish(Publication("home/attic/commands/C0FFEE000001", Self.write, qualityOfService: 1))
        stage.time.advance(by: .seconds(seconds))
        stage.server.unreachableClients = []
        stage.time.advance(by: .seconds(80))
        #expect(try kinds(stage) == expected)
        #expect(writes(stage) == (expected == ["ok"] ? 1 : 0))
        // What is sent now runs.
        stage.command(#"{"id":"2","write":"2A39","value":"01"}"#)
        stage.time.advance(by: .seconds(20))
        #expect(try kinds(stage) == expected + ["ok"])
    }

    @Test func `A command that waits survives a new manager`() throws {
        let stage = stage()
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:01")
        stage.run(for: .seconds(5))
        stage.command(#"{"id":"1","write":"2A39","value":"01","deadline":"60s"}"#)
        stage.time.advance(by: .seconds(5))
        for supervisor in stage.gateway.adapters.supervisors { supervisor.replaceManager() }
        stage.time.advance(by: .seconds(5))
        stage.simulation.bluez.setInRange(true, "C0:FF:EE:00:00:01")
        stage.time.advance(by: .seconds(60))
        #expect(try kinds(stage) == ["ok"])
    }

    @Test func `A command whose id cannot be stored does not run, and may be sent again`() throws {
        let stage = stage()
        stage.run(for: .seconds(5))
        stage.store.appendFailure = StoreFailure(.full, "the disk is full")
        stage.command(Self.write)
        stage.time.advance(by: .seconds(20))
        #expect(writes(stage) == 0)
        #expect(try kinds(stage) == ["store-failed"])
        stage.store.appendFailure = nil
        stage.command(Self.write)
        stage.time.advance(by: .seconds(40))
        #expect(writes(stage) == 1)
        #expect(try kinds(stage) == ["store-failed", "ok"])
    }

    /// The disk is slow: `time` passes for the gateway, and the disk does nothing.
    @Test func `A command that is stored after its deadline fails, and does not run`() throws {
        let disk = VirtualLoop()
        let stage = GatewayStage(.strap(), disk: disk) {
            // A link exists, so that a command could start at once.
            $0.devices = [DeviceSettings(.strap, [GATTJob(.notify, of: "2A37")])]
        }
        stage.gateway.start()
        for _ in 0..<200 {
            stage.time.advance(by: .milliseconds(100))
            disk.advance(by: .milliseconds(100))
        }
        stage.command(#"{"id":"1","write":"2A39","value":"01","deadline":5}"#)
        stage.time.advance(by: .seconds(6))
        for _ in 0..<200 {
            disk.advance(by: .milliseconds(100))
            stage.time.advance(by: .milliseconds(100))
        }
        #expect(writes(stage) == 0)
        #expect(try kinds(stage) == ["deadline"])
    }
}
