import BluetoothValues
import Foundation
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// The trait of tests that need python3-jinja2. scripts/test-gateway sets the variable.
private let needsJinja = ConditionTrait.enabled(if: ProcessInfo.processInfo.environment["RXBLUETOOTH_JINJA"] != nil)

/// Messages and Home Assistant's discovery in different layouts of topics.
@Suite struct TopicLayoutTests {
    /// A gateway with a job and a command for the strap, and two sensors with one name.
    private func stage(_ placeholder: String) -> GatewayStage {
        var scenario = Scenario.strap()
        scenario.peripherals.removeLast()
        for address in ["C0:FF:EE:00:00:02", "C0:FF:EE:00:00:03"] {
            scenario.peripherals.append(
                SimulatedPeripheral("Ruuvi", address: address) {
                    SimulatedAdvertisement(
                        every: .seconds(1), rssi: -60, name: "Ruuvi", manufacturerData: [0x0499: Scenario.ruuvi])
                })
        }
        let stage = GatewayStage(scenario) {
            var strap = DeviceSettings(.strap, [GATTJob(.read(every: .seconds(10)), of: "2A19")])
            strap.name = "Chest strap"
            strap.jobs[0].name = "Charge"
            $0.devices = [strap]
            $0.topics.reading = "home/{gateway}/readings/{\(placeholder)}"
            $0.topics.presence = "home/{gateway}/presence/{\(placeholder)}"
            $0.topics.connection = "home/{gateway}/connection/{\(placeholder)}"
            $0.topics.result = "home/{gateway}/results/{\(placeholder)}"
        }
        stage.run(for: .seconds(30))
        stage.command(#"{"id":"1","read":"2A38"}"#)
        stage.time.advance(by: .seconds(10))
        return stage
    }

    @Test(arguments: ["mac", "address", "name"])
    func `Each message about a device has its address and its name`(placeholder: String) throws {
        let stage = stage(placeholder)
        var kinds: Set<String> = []
        for kind in ["readings", "presence", "connection", "results"] {
            for message in stage.messages("home/attic/\(kind)/") {
                let json = try ParsedJSON(message.payload)
                let address = json[kind == "results" ? "address" : "id"]?.string
                let name = address == "C0:FF:EE:00:00:01" ? "Chest strap" : "Ruuvi"
                #expect(address?.hasPrefix("C0:FF:EE:00:00:0") == true, "\(message.text)")
                #expect(json["name"]?.string == name, "\(message.text)")
                kinds.insert(kind)
            }
        }
        #expect(kinds.count == 4)
        let value = try stage.messages("home/attic/connection/").map { try ParsedJSON($0.payload) }
            .first { $0["hex"] != nil }
        #expect(value?["characteristic_name"]?.string == "Charge")
    }

    @Test(needsJinja, arguments: ["mac", "address", "name"])
    func `Each entity of Home Assistant gets a value of its device`(placeholder: String) throws {
        let stage = stage(placeholder)
        let folder = try TemporaryFolder()
        let lines = try stage.messages.deliveries.map {
            String(decoding: try JSONEncoder().encode(["topic": $0.topic, "payload": $0.text]), as: UTF8.self)
        }
        try folder.write("messages", Array(lines.joined(separator: "\n").utf8))
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let script = "\(root)/Tests/GatewayEndToEnd/render_templates.py"
        let (status, output) = try Self.run(script, folder.path("messages"))
        #expect(status == 0, "\(output)")
        #expect(output.contains("ble-c0ffee000001-gatt_2a19 87\n"), "\(output)")
        #expect(output.contains("ble-c0ffee000003-tempc 24.3\n"), "\(output)")
    }

    private static func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
