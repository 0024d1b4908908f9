import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Commands go to the adapter that can reach the device.
@Suite struct AdapterChoiceTests {
    private func stage(_ jobs: [GATTJob] = []) -> GatewayStage {
        var scenario = Scenario.strap()
        scenario.adapters = [
            SimulatedAdapter(address: "00:1A:7D:DA:71:01"), SimulatedAdapter(address: "00:1A:7D:DA:71:02"),
        ]
        return GatewayStage(scenario) {
            $0.devices = [DeviceSettings(.strap, jobs)]
            $0.recovery.allowsPowerCycle = false
        }
    }

    private let read = #"{"id":"1","read":"2A38","deadline":"20s"}"#

    @Test(arguments: [0, 1]) func `An early command waits for the adapter that hears the device`(deaf: Int) throws {
        for _ in 0..<4 {
            let stage = stage()
            stage.simulation.bluez.silenceController(deaf, until: .plugIn)
            stage.gateway.start()
            stage.time.advance(by: .milliseconds(100))
            stage.command(read)
            stage.time.advance(by: .seconds(8))
            let results = try stage.results()
            #expect(results.map { $0["ok"] } == [.bool(true)], "\(results) \(stage.events)")
        }
    }

    @Test(arguments: [0, 1], [false, true])
    func `Another adapter takes over from one that is off or gone`(number: Int, isUnplugged: Bool) throws {
        let stage = stage()
        stage.run(for: .seconds(20))
        if isUnplugged {
            stage.simulation.bluez.removeAdapter(number)
        } else {
            stage.simulation.bluez.setPower(false, adapter: number)
        }
        stage.time.advance(by: .seconds(2))
        stage.command(read)
        stage.time.advance(by: .seconds(10))
        let results = try stage.results()
        #expect(results.map { $0["ok"] } == [.bool(true)], "\(results) \(stage.events)")
    }

    @Test(arguments: [0, 1]) func `A command that waits moves from an adapter that is switched off`(number: Int) throws
    {
        let stage = stage()
        stage.run(for: .seconds(20))
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:01")
        stage.time.advance(by: .seconds(65))
        stage.command(read)
        stage.time.advance(by: .seconds(1))
        stage.simulation.bluez.setPower(false, adapter: number)
        stage.simulation.bluez.setInRange(true, "C0:FF:EE:00:00:01")
        stage.time.advance(by: .seconds(10))
        let results = try stage.results()
        #expect(results.map { $0["ok"] } == [.bool(true)], "\(results) \(stage.events)")
    }

    @Test func `Jobs continue over the other adapter`() throws {
        let stage = stage([GATTJob(.read(every: .seconds(5)), of: "2A19")])
        stage.run(for: .seconds(30))
        for number in [0, 1] {
            stage.simulation.bluez.setPower(false, adapter: number)
            let before = try stage.json("home/attic/connection/C0FFEE000001").count { $0["hex"] != nil }
            stage.time.advance(by: .seconds(25))
            let after = try stage.json("home/attic/connection/C0FFEE000001").count { $0["hex"] != nil }
            #expect(after >= before + 2, "\(stage.events)")
            stage.simulation.bluez.setPower(true, adapter: number)
            stage.time.advance(by: .seconds(10))
        }
    }

    @Test func `Without a usable adapter, a command has its result at its deadline`() throws {
        let stage = stage()
        stage.run(for: .seconds(20))
        for number in [0, 1] { stage.simulation.bluez.setPower(false, adapter: number) }
        stage.time.advance(by: .seconds(2))
        stage.command(read)
        stage.time.advance(by: .seconds(25))
        #expect(try stage.results().compactMap { $0["error"]?["kind"]?.string } == ["no-adapter"])
    }

    @Test func `A device that nobody hears is reported as out of range`() throws {
        let stage = stage()
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:01")
        stage.run(for: .seconds(5))
        stage.command(read)
        stage.time.advance(by: .seconds(25))
        let errors = try stage.results().compactMap { $0["error"]?["text"]?.string }
        #expect(errors == ["C0:FF:EE:00:00:01 is not in range of this gateway"])
    }

    @Test(arguments: [0, 1]) func `A device that another program has connected gets its command`(number: Int) throws {
        let stage = stage()
        let other = stage.simulation.bluez.competingClient()
        other.startDiscovery(adapter: number)
        stage.time.advance(by: .seconds(5))
        other.connect("C0:FF:EE:00:00:01", adapter: number)
        stage.time.advance(by: .seconds(5))
        stage.run(for: .seconds(5))
        stage.command(read)
        stage.time.advance(by: .seconds(25))
        let results = try stage.results()
        #expect(results.map { $0["ok"] } == [.bool(true)], "\(results) \(stage.events)")
    }

    @Test func `A repetition of a command has no second result, also on another adapter`() throws {
        let stage = stage()
        stage.run(for: .seconds(20))
        stage.command(read)
        stage.time.advance(by: .seconds(10))
        stage.simulation.bluez.setPower(false, adapter: 0)
        stage.time.advance(by: .seconds(5))
        stage.command(read)
        stage.simulation.bluez.setPower(true, adapter: 0)
        stage.simulation.bluez.setPower(false, adapter: 1)
        stage.time.advance(by: .seconds(10))
        stage.command(read)
        stage.time.advance(by: .seconds(25))
        #expect(try stage.results().map { $0["ok"] } == [.bool(true)])
        stage.command(#"{"id":"1","read":"2A39"}"#)
        stage.time.advance(by: .seconds(5))
        #expect(try stage.results().last?["error"]?["kind"]?.string == "duplicate")
    }
}
