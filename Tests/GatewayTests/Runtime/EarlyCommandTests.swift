import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Commands that arrive before the gateway knows an adapter.
@Suite struct EarlyCommandTests {
    private func stage(_ adapters: [String]) -> GatewayStage {
        GatewayStage(.strap()) {
            $0.adapters = adapters
            $0.devices = [DeviceSettings(.strap, [])]
        }
    }

    @Test func `A command waits for the first adapter`() throws {
        let stage = stage(["hci1"])
        stage.run(for: .seconds(5))
        stage.command(#"{"id":"1","read":"2A38","deadline":"30s"}"#)
        stage.time.advance(by: .seconds(5))
        #expect(try stage.results().isEmpty)
        stage.simulation.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:02"), as: 1)
        stage.time.advance(by: .seconds(20))
        let results = try stage.results()
        #expect(results.map { $0["ok"] } == [.bool(true)], "\(results) \(stage.events)")
    }

    @Test func `Without an adapter, each command has a result at its deadline`() throws {
        let stage = stage(["hci7"])
        stage.run(for: .seconds(5))
        for number in 0..<12 { stage.command(#"{"id":"\#(number)","read":"2A38","deadline":"10s"}"#) }
        stage.command("no JSON")
        stage.time.advance(by: .seconds(30))
        let kinds = try stage.results().compactMap { $0["error"]?["kind"]?.string }
        #expect(kinds.count { $0 == "gateway-busy" } == 4 && kinds.count { $0 == "invalid-json" } == 1)
        #expect(kinds.count { $0 == "no-adapter" } == 8, "\(kinds)")
        #expect(stage.gateway.metrics().contains("ble_gateway_drops_total{reason=\"commands_ignored\"} 8\n"))
    }

    @Test func `A gateway that stops answers the commands that wait`() throws {
        let stage = stage(["hci7"])
        stage.run(for: .seconds(5))
        stage.command(#"{"id":"1","read":"2A38"}"#)
        stage.time.advance(by: .seconds(1))
        #expect(stage.stop())
        let errors = try stage.results().compactMap { $0["error"] }
        #expect(errors.map { $0["kind"]?.string } == ["gateway-stopped"])
        // Its id is remembered, so the same command would be ignored.
        #expect(errors.first?["text"]?.string?.hasSuffix("with a new id") == true)
    }

    @Test func `A command for an unknown device has an answer, a counter and a line`() throws {
        let stage = stage([])
        stage.run(for: .seconds(5))
        for topic in ["C0FFEE000099", "kitchen", "C0FFEE00000", "x y"] {
            stage.server.publish(Publication("home/attic/commands/\(topic)", #"{"id":"1","read":"2A38"}"#))
        }
        stage.server.publish(Publication("home/attic/commands/old", #"{"id":"1","read":"2A38"}"#, isRetained: true))
        stage.time.advance(by: .seconds(10))
        for topic in ["C0FFEE000099", "kitchen", "C0FFEE00000", "x y"] {
            let answers = try stage.json("home/attic/results/\(topic)")
            #expect(answers.map { $0["id"] } == [.string("1")], "\(topic)")
            #expect(answers.first?["error"]?["kind"]?.string == "unknown-device", "\(topic)")
        }
        #expect(stage.gateway.metrics().contains("ble_gateway_drops_total{reason=\"commands_unknown\"} 5\n"))
        let lines = stage.events.filter { $0.description.contains("a command is not executed") }
        #expect(lines.map(\.level) == [.warning])
        #expect(lines.first?.description.contains("home/attic/commands/C0FFEE000099") == true)
    }

    @Test func `A command after a flood of other messages has a result`() throws {
        let stage = stage([])
        stage.run(for: .seconds(5))
        for _ in 0..<400 { stage.server.publish(Publication("homeassistant/status", "online")) }
        stage.command(#"{"id":"1","read":"2A38"}"#)
        stage.time.advance(by: .seconds(30))
        #expect(try stage.results().count == 1)
    }

    @Test func `Sixty commands at once have a result each`() throws {
        let stage = stage([])
        stage.run(for: .seconds(5))
        for number in 0..<60 { stage.command(#"{"id":"\#(number)","read":"2A38"}"#) }
        stage.time.advance(by: .seconds(60))
        #expect(try stage.results().count == 60)
    }
}
