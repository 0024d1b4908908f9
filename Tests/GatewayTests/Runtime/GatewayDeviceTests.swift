import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// GATT jobs and commands of a whole gateway, over its topics.
@Suite struct GatewayDeviceTests {
    private let connection = "home/attic/connection/C0FFEE000001"

    /// A gateway that receives pulses and reads the battery level each 10 s, unless jobs are given.
    private func stage(
        _ jobs: [GATTJob] = [GATTJob(.notify, of: "2A37"), GATTJob(.read(every: .seconds(10)), of: "2A19")],
        script: [ScriptedEvent] = [], faults: [Fault] = []
    ) -> GatewayStage {
        GatewayStage(.strap(script: script, faults: faults)) { $0.devices = [DeviceSettings(.strap, jobs)] }
    }

    private func values(_ stage: GatewayStage, of characteristic: String) throws -> [String] {
        try stage.json(connection).filter { $0["characteristic"]?.string == characteristic }
            .compactMap { $0["hex"]?.string }
    }

    private func states(_ stage: GatewayStage) throws -> [String] {
        try stage.json(connection).compactMap { $0["state"]?.string }
    }

    private func presence(_ stage: GatewayStage) throws -> [String] {
        try stage.json("home/attic/presence/C0FFEE000001").compactMap { $0["state"]?.string }
    }

    // MARK: - Jobs

    @Test func `Notified and read values arrive on the topic of the connection`() throws {
        let script = (30..<40).map { second in
            at(.seconds(second)) { $0.notify([0, UInt8(second)], from: "C0:FF:EE:00:00:01", "2a37") }
        }
        let stage = stage(script: script)
        stage.run(for: .seconds(60))
        #expect(try states(stage) == ["connecting", "connected"])
        #expect(try values(stage, of: "2A37") == (30..<40).map { HexDigits.text([0, UInt8($0)]) })
        let levels = try values(stage, of: "2A19")
        #expect((4...6).contains(levels.count) && Set(levels) == ["57"], "\(levels)")
        let pulse = try #require(try stage.json(connection).first { $0["characteristic"]?.string == "2A37" })
        #expect(pulse["fields"]?.object?.values.contains(.number(30)) == true, "\(pulse)")
        #expect(pulse["characteristic_name"]?.string == "Heart Rate Measurement")
        #expect(pulse["id"]?.string == "C0:FF:EE:00:00:01" && pulse["time"] != nil)
        #expect(pulse["mid"]?.string?.hasPrefix("s-") == true)
        #expect(stage.gateway.metrics().contains("ble_gateway_links 1\n"))
    }

    @Test func `Home Assistant discovers the values of jobs`() throws {
        let stage = stage()
        stage.run(for: .seconds(30))
        let message = try stage.retained("homeassistant/device/ble-c0ffee000001/config")
        let components = try #require(message?["components"]?.object)
        #expect(components["gatt_2a19"]?["device_class"]?.string == "battery")
        #expect(HomeAssistantSchema.violations(try #require(message)) == [])
    }

    @Test func `After a lost link the gateway connects again, and values continue`() throws {
        let script = (30..<60).map { second in
            at(.seconds(second)) { $0.notify([0, UInt8(second)], from: "C0:FF:EE:00:00:01", "2a37") }
        }
        let stage = stage(
            script: script + [at(.milliseconds(40_500)) { $0.dropLink(to: "C0:FF:EE:00:00:01", reason: .timeout) }])
        stage.run(for: .seconds(70))
        #expect(try states(stage) == ["connecting", "connected", "disconnected", "connecting", "connected"])
        #expect(try stage.json(connection).count { $0["error"] != nil } == 1)
        let values = try values(stage, of: "2A37")
        #expect(values.first == "001e" && values.last == "003b" && values.count >= 26, "\(values)")
    }

    @Test func `Values of an outage of the broker are delivered after it`() throws {
        let script = (30..<90).map { second in
            at(.seconds(second)) { $0.notify([0, UInt8(second)], from: "C0:FF:EE:00:00:01", "2a37") }
        }
        let stage = stage(script: script)
        stage.run(for: .seconds(40))
        stage.server.stop()
        stage.time.advance(by: .seconds(30))
        stage.server.start()
        stage.time.advance(by: .seconds(60))
        #expect(try values(stage, of: "2A37") == (30..<90).map { HexDigits.text([0, UInt8($0)]) })
        #expect(try states(stage) == ["connecting", "connected"])
    }

    @Test func `A connected device stays in range without advertisements`() throws {
        let stage = stage()
        stage.run(for: .seconds(900))
        #expect(stage.gateway.connections.linkCount == 1)
        let states = try presence(stage)
        #expect(Set(states) == ["found"])
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:01")
        stage.time.advance(by: .seconds(120))
        let last = try presence(stage).last
        #expect(last == "lost")
    }

    @Test func `A manager that recovery replaces is not published as a failure`() throws {
        let stage = stage([GATTJob(.notify, of: "2A37")])
        stage.run(for: .seconds(60))
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:02")
        stage.time.advance(by: .seconds(900))
        #expect(stage.events.contains { $0.description.contains("recovery step new-session") })
        let links = try states(stage).count { $0 == "connected" }
        #expect(links > 1, "the link was closed and made again")
        let errors = try stage.json(connection).compactMap { $0["error"]?["text"]?.string }
        #expect(!errors.contains { $0.contains("manager") }, "\(errors)")
    }

    @Test func `A device without jobs is not connected`() throws {
        let stage = stage([])
        stage.run(for: .seconds(60))
        #expect(stage.messages(connection).isEmpty)
        #expect(stage.simulation.recorder.count("Device1.Connect") == 0)
    }

    // MARK: - Commands

    @Test func `A command by topic has a typed result on its topic`() throws {
        let stage = stage([])
        stage.run(for: .seconds(5))
        stage.command(#"{"id":"1","read":"2A38"}"#)
        stage.time.advance(by: .seconds(10))
        let results = try stage.results()
        #expect(results.count == 1)
        #expect(results.first?["ok"] == .bool(true) && results.first?["id"]?.string == "1")
        let value = results.first?["values"]?.array?.first
        #expect(value?["hex"]?.string == "01" && value?["fields"]?["Body Sensor Location"] == .number(1))
        #expect(results.first?["mid"]?.string?.hasPrefix("s-") == true)
    }

    @Test func `A command that is never answered ends at its deadline`() throws {
        let stage = stage([], faults: [Fault("GattCharacteristic1.WriteValue", .never)])
        stage.run(for: .seconds(5))
        stage.command(#"{"id":"1","write":"2A39","value":"01","deadline":"10s"}"#)
        stage.time.advance(by: .milliseconds(9_900))
        #expect(try stage.results().isEmpty)
        stage.time.advance(by: .seconds(1))
        let result = try #require(try stage.results().first)
        #expect(result["ok"] == .bool(false) && result["error"]?["kind"]?.string == "deadline")
        #expect(result["error"]?["outcome_unknown"] == .bool(true))
    }

    @Test func `The result of a command during an outage of the broker is delivered after it`() throws {
        let stage = stage([])
        stage.run(for: .seconds(5))
        stage.command(#"{"id":"1","read":"2A38"}"#)
        stage.time.advance(by: .milliseconds(20))
        stage.server.stop()
        stage.time.advance(by: .seconds(30))
        stage.server.start()
        stage.time.advance(by: .seconds(60))
        #expect(try stage.results().map { $0["id"]?.string } == ["1"])
    }

    @Test(arguments: [
        ("{", "invalid-json"), ("[]", "invalid-command"), ("\u{1}", "invalid-json"), ("{}", "invalid-command"),
        (#"{"id":"1","read":"zz"}"#, "invalid-command"), (#"{"id":"1","id":"1"}"#, "invalid-json"),
        (String(repeating: "[", count: 10_000), "invalid-json"),
        (#"{"id":"1","write":"2A39","value":""# + String(repeating: "00", count: 20_000) + "\"}", "invalid-json"),
    ])
    func `An invalid command is answered with its cause`(payload: String, kind: String) throws {
        let stage = stage([])
        stage.run(for: .seconds(5))
        stage.command(payload)
        stage.time.advance(by: .seconds(5))
        let results = try stage.results()
        #expect(results.map { $0["error"]?["kind"]?.string } == [kind])
        #expect(stage.simulation.recorder.count("Device1.Connect") == 0)
    }

    @Test func `Commands to unknown devices, huge and retained ones are harmless`() throws {
        let stage = stage([])
        let prefix = "home/attic/commands/"
        let retained = #"{"id":"r","write":"2A39","value":"01"}"#
        stage.server.publish(Publication(prefix + "C0FFEE000001", retained, isRetained: true))
        stage.server.publish(Publication(prefix + "nonsense", "junk", isRetained: true))
        stage.run(for: .seconds(5))
        stage.command(String(repeating: "x", count: 1_000_000))
        stage.command("")
        for topic in ["C0FFEE000099", "C0FFEE0000010", "c0:ff:ee:00:00:01", "GGGGGGGGGGGG", "", "$", "😀😀😀"] {
            stage.server.publish(Publication(prefix + topic, #"{"id":"1","read":"2A38"}"#))
        }
        stage.time.advance(by: .seconds(40))
        let results = stage.messages("home/attic/results/")
        // Each has an answer, also with another text in the place of the address. The retained one has none.
        let levels = ["C0FFEE000099", "C0FFEE0000010", "c0:ff:ee:00:00:01", "GGGGGGGGGGGG", "_", "_", "😀😀😀"]
        #expect(results.map(\.topic).sorted() == levels.map { "home/attic/results/" + $0 }.sorted())
        #expect(
            try results.allSatisfy { try ParsedJSON($0.payload)["error"]?["kind"]?.string == "unknown-device" })
        #expect(stage.simulation.recorder.count("Device1.Connect") == 0)
        #expect(!stage.messages("home/attic/BTtoMQTT/C0FFEE000002").isEmpty)
        #expect(stage.events.contains { $0.description.contains("1 received message was ignored") })
    }

    @Test func `Without devices in the configuration, a command is answered`() throws {
        let stage = GatewayStage()
        stage.run(for: .seconds(5))
        stage.server.publish(Publication("home/attic/commands/C0FFEE000099", #"{"id":"1","read":"2A38"}"#))
        stage.time.advance(by: .seconds(5))
        let result = try #require(stage.messages("home/attic/results/C0FFEE000099").first)
        #expect(try ParsedJSON(result.payload)["error"]?["kind"]?.string == "unknown-device")
    }

    @Test func `A flood of commands is limited, and readings continue`() throws {
        let stage = stage([])
        stage.run(for: .seconds(5))
        for id in 0..<5_000 { stage.command(#"{"id":\#(id),"read":"2A38"}"#) }
        stage.time.advance(by: .seconds(30))
        let results = try stage.results()
        #expect(results.count { $0["ok"] == .bool(true) } == 8)
        #expect(results.count <= 200 + 8, "\(results.count)")
        stage.messages.deliveries = []
        stage.time.advance(by: .seconds(310))
        #expect(!stage.messages("home/attic/BTtoMQTT/").isEmpty)
    }

    // MARK: - Stop

    @Test func `Commands that an orderly stop interrupts have a result`() throws {
        let stage = stage([], faults: [Fault("GattCharacteristic1.WriteValue", .never)])
        stage.run(for: .seconds(5))
        stage.command(#"{"id":"1","write":"2A39","value":"01"}"#)
        stage.command(#"{"id":"2","read":"2A38"}"#)
        stage.time.advance(by: .seconds(5))
        #expect(stage.stop())
        let results = try stage.results()
        #expect(results.map { $0["id"]?.string } == ["1", "2"])
        #expect(results.map { $0["error"]?["kind"]?.string } == ["gateway-stopped", "gateway-stopped"])
        #expect(results.map { $0["error"]?["outcome_unknown"] } == [.bool(true), nil])
    }

    @Test func `An orderly stop closes the link and publishes offline last`() throws {
        let stage = stage()
        stage.run(for: .seconds(40))
        #expect(try states(stage) == ["connecting", "connected"])
        #expect(stage.stop())
        #expect(stage.simulation.recorder.count("Device1.Disconnect") == 1)
        #expect(stage.server.retained["home/attic/LWT"]?.text == "offline")
        #expect(stage.store.summary.count == 0)
    }

    @Test func `Without a broker the messages are kept for the next start`() throws {
        let script = (30..<50).map { second in
            at(.seconds(second)) { $0.notify([0, UInt8(second)], from: "C0:FF:EE:00:00:01", "2a37") }
        }
        let first = stage(script: script)
        first.run(for: .seconds(25))
        first.server.stop()
        first.time.advance(by: .seconds(30))
        #expect(first.stop())
        let waiting = first.store.summary.count
        #expect(waiting >= 20)
        first.server.start()
        let second = GatewayStage(.strap(), sharing: first, store: first.store)
        second.run(for: .seconds(20))
        #expect(try values(second, of: "2A37") == (30..<50).map { HexDigits.text([0, UInt8($0)]) })
        #expect(second.store.summary.count == 0)
    }
}
