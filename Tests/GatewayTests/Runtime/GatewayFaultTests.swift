import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Recovery and sharing of whole gateways.
@Suite struct GatewayFaultTests {
    private let jobs = [GATTJob(.notify, of: "2A37")]

    @Test func `A silent adapter is recovered, which the status shows`() throws {
        let stage = GatewayStage { $0.publishing.maximumInterval = .seconds(20) }
        stage.run(for: .seconds(120))
        stage.messages.deliveries = []
        stage.simulation.bluez.silenceController(until: .discoveryStart)
        stage.time.advance(by: .seconds(60))
        let status = try #require(try stage.retained("home/attic/status")?["adapters"]?.array?.first)
        #expect(status["state"]?.string == "receiving")
        #expect(status["recovery_steps"]?["restart-scan"] == .number(1), "\(status)")
        #expect(status["last_recovery_step"]?.string == "restart-scan" && status["last_recovery"]?.string != nil)
        let states = try stage.json("home/attic/status").compactMap {
            $0["adapters"]?.array?.first?["state"]?.string
        }
        #expect(states.contains("silent"), "\(states)")
        #expect(stage.gateway.metrics().contains("step=\"restart-scan\"} 1\n"))
        stage.messages.deliveries = []
        stage.time.advance(by: .seconds(30))
        #expect(Set(stage.messages("home/attic/BTtoMQTT/").map(\.topic)).count > 20)
    }

    @Test func `A crash of bluetoothd is shown, and readings continue after it`() throws {
        let stage = GatewayStage { $0.publishing.maximumInterval = .seconds(20) }
        stage.run(for: .seconds(60))
        stage.simulation.bluez.crash()
        stage.time.advance(by: .seconds(30))
        let adapters = try stage.retained("home/attic/status")?["adapters"]?.array
        #expect(adapters?.first?["state"]?.string != "receiving", "\(String(describing: adapters))")
        stage.messages.deliveries = []
        stage.simulation.bluez.start()
        stage.time.advance(by: .seconds(30))
        #expect(Set(stage.messages("home/attic/BTtoMQTT/").map(\.topic)).count > 20)
    }

    // MARK: - Sharing

    private func owners(_ stages: [GatewayStage]) -> [String] {
        stages.filter { $0.gateway.connections.linkCount == 1 }.map(\.gateway.configuration.name)
    }

    private func pair() -> (GatewayStage, GatewayStage) {
        let first = GatewayStage(.strap()) { $0.devices = [DeviceSettings(.strap, jobs)] }
        let second = GatewayStage(.strap(), name: "cellar", sharing: first, store: SimulatedStore(identity: "t")) {
            $0.devices = [DeviceSettings(.strap, jobs)]
        }
        first.run(for: .zero)
        second.run(for: .seconds(60))
        return (first, second)
    }

    @Test func `One of two gateways connects to a device`() throws {
        let (first, second) = pair()
        let stages = [first, second]
        #expect(owners(stages).count == 1)
        let topic = "home/ble-gateways/devices/C0FFEE000001/owner"
        #expect(first.server.retained[topic]?.text == owners(stages).first)
        #expect(stages.map { $0.simulation.recorder.count("Device1.Connect") }.reduce(0, +) == 1)
    }

    @Test func `If the gateway with the link dies, the other one connects within 5 s of its will`() throws {
        let (first, second) = pair()
        let isFirst = first.gateway.connections.linkCount == 1
        let (dead, other) = isFirst ? (first, second) : (second, first)
        dead.broker.crash()
        other.time.advance(by: .seconds(5))
        #expect(other.gateway.connections.linkCount == 1)
        #expect(
            other.server.retained["home/ble-gateways/devices/C0FFEE000001/owner"]?.text
                == other.gateway.configuration.name)
    }

    @Test func `If the gateway with the link stops, the other one connects`() throws {
        let (first, second) = pair()
        let isFirst = first.gateway.connections.linkCount == 1
        let (stopped, other) = isFirst ? (first, second) : (second, first)
        #expect(stopped.stop())
        #expect(other.gateway.connections.linkCount == 1)
        #expect(stopped.gateway.connections.linkCount == 0)
    }

    @Test func `Hostile messages on the topics of sharing do not stop the connection`() throws {
        let (first, second) = pair()
        let topic = "home/ble-gateways/devices/C0FFEE000001/"
        for name in ["owner", "room", "heard/cellar", "heard/attic", "heard/x/y", "heard/"] {
            for payload in ["", "\u{0}", "{", String(repeating: "x", count: 60_000), #"{"rssi":1e300}"#, "nobody"] {
                first.server.publish(Publication(topic + name, payload, isRetained: true))
            }
        }
        first.time.advance(by: .seconds(120))
        #expect(owners([first, second]).count == 1)
    }
}
