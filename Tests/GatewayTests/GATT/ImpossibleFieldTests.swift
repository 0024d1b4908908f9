import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Numbers over connections that a sensor cannot have measured. They are handled as in advertisements.
struct ImpossibleFieldTests {
    private func stage(_ jobs: [GATTJob], level: UInt8) -> GatewayStage {
        let scenario = Scenario(seed: 5) {
            SimulatedPeripheral("Strap", address: "C0:FF:EE:00:00:01") {
                SimulatedAdvertisement(every: .milliseconds(300), rssi: -50)
                SimulatedService("180d") { SimulatedCharacteristic("2a37", .read([1, 0xFF, 0xFF])) }
                SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([level])) }
            }
        }
        return GatewayStage(scenario) { $0.devices = [DeviceSettings(.strap, jobs)] }
    }

    private func count(_ stage: GatewayStage) throws -> Double {
        let line = try #require(
            stage.gateway.metrics().split(separator: "\n").first { $0.contains("\"values_impossible\"") })
        return try #require(line.split(separator: " ").last.flatMap { Double($0) })
    }

    @Test(
        arguments: [
            ("2A19", "C8", "Battery Level"), ("2A37", "01FFFF", "Heart Rate"),
        ] as [(BluetoothUUID, String, String)])
    func `An impossible number of a job is null and counted, and its bytes are published`(
        characteristic: BluetoothUUID, bytes: String, field: String
    ) throws {
        let stage = stage([GATTJob(.read(every: .seconds(10)), of: characteristic)], level: 200)
        stage.run(for: .seconds(60))
        let values = try stage.json("home/attic/connection/C0FFEE000001").filter { $0["characteristic"] != nil }
        #expect(!values.isEmpty)
        #expect(values.allSatisfy { $0["fields"]?[field] == .null }, "\(values)")
        #expect(values.allSatisfy { $0["hex"]?.string?.uppercased() == bytes }, "\(values)")
        #expect(try count(stage) == Double(values.count))
    }

    @Test func `An impossible number that a command reads is null and counted`() throws {
        let stage = stage([], level: 200)
        stage.run(for: .seconds(10))
        stage.command(#"{"id":"1","read":"2A19"}"#)
        stage.time.advance(by: .seconds(30))
        let result = try #require(try stage.results().first)
        let value = try #require(result["values"]?.array?.first)
        #expect(value["fields"]?["Battery Level"] == .null && value["hex"]?.string?.uppercased() == "C8", "\(result)")
        #expect(try count(stage) == 1)
    }

    @Test func `Possible numbers are values`() throws {
        let stage = stage([GATTJob(.read(every: .seconds(10)), of: "2A19")], level: 87)
        stage.run(for: .seconds(60))
        let values = try stage.json("home/attic/connection/C0FFEE000001").filter { $0["characteristic"] != nil }
        #expect(!values.isEmpty && values.allSatisfy { $0["fields"]?["Battery Level"] == .number(87) }, "\(values)")
        #expect(try count(stage) == 0)
    }
}
