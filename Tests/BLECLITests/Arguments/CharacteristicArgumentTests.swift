import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

struct CharacteristicArgumentTests {
    private static let uuids: [(String, BluetoothUUID)] = [
        ("2A37", 0x2A37), ("2a37", 0x2A37), ("0x2A37", 0x2A37), ("00002a37", 0x2A37), ("0x12345678", 0x1234_5678),
        ("00002a37-0000-1000-8000-00805f9b34fb", 0x2A37), ("00002A3700001000800000805F9B34FB", 0x2A37),
        ("6e400003-b5a3-f393-e0a9-e50e24dcca9e", "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"),
        (" 2A37 ", 0x2A37),
    ]

    @Test(arguments: uuids) func `Accepts UUIDs`(text: String, uuid: BluetoothUUID) throws {
        #expect(try CharacteristicArgument(parsing: text) == .uuid(uuid))
    }

    @Test(arguments: [("Heart Rate Measurement", 0x2A37), ("battery LEVEL", 0x2A19)] as [(String, BluetoothUUID)])
    func `Accepts names of the Bluetooth SIG`(text: String, uuid: BluetoothUUID) throws {
        #expect(try CharacteristicArgument(parsing: text) == .named(uuid, text))
    }

    @Test(arguments: [("@000b", 0x000B), ("@B", 0x000B), ("@2A37", 0x2A37)] as [(String, UInt16)])
    func `Accepts handles, which are distinct from UUIDs`(text: String, handle: UInt16) throws {
        #expect(try CharacteristicArgument(parsing: text) == .handle(handle))
    }

    @Test func `Accepts a part of assigned names, which the device resolves`() throws {
        #expect(try CharacteristicArgument(parsing: "Battery") == .part("Battery"))
        let harness = CommandHarness()
        let read = { (part: String) in
            harness.run(ReadVerb(target: .part("strap"), characteristics: try CharacteristicArgument.list([part])))
        }
        #expect(try read("battery").lines == ["57  87 %"])
        let several = try read("heart rate")
        #expect(several.code == .usage)
        #expect(several.errors.first?.contains("characteristics “heart rate”. Give the handle of one: @") == true)
        #expect(several.errors.first?.contains("“Heart Rate Measurement”") == true)
        let none = try read("temperat")
        #expect(none.code == .notFound && none.errors.first?.contains("It has Device Name") == true, "\(none.errors)")
    }

    @Test func `A whole name is a part of another one if the device lacks the first`() throws {
        func read(_ uuids: String...) throws -> CommandHarness.Outcome {
            let thermometer = SimulatedPeripheral("Thermometer", address: "C0:FF:EE:00:00:31") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Thermometer")
                SimulatedService("1809") {
                    for uuid in uuids { SimulatedCharacteristic(uuid, .read((try? HexBytes.parse(uuid)) ?? [])) }
                }
            }
            let arguments = try CharacteristicArgument.list(["Temperature"])
            return CommandHarness(around: thermometer)
                .run(ReadVerb(target: .part("thermometer"), characteristics: arguments, format: .hex))
        }
        #expect(try read("2a1e", "2a6e").lines == ["2a6e"])
        #expect(try read("2a1e").lines == ["2a1e"])
        let none = try read("2a19")
        #expect(none.code == .notFound)
        #expect(none.errors.first?.contains("has no characteristic “Temperature”") == true, "\(none.errors)")
    }

    @Test func `Accepts a part of the name of one service`() throws {
        #expect(try ServiceArgument.parse("battery") == 0x180F)
        let error = #expect(throws: CLIError.self) { try ServiceArgument.parse("alert") }
        #expect(error?.text.contains("“alert” matches") == true)
    }

    @Test func `Accepts companies by number and by name`() throws {
        for text in ["Apple", "apple, inc.", "4c", "0x004C", "004C"] {
            #expect(try CompanyNumber.parse(text) == [0x004C], "\(text)")
        }
        #expect(try CompanyNumber.only("Ruuvi") == 0x0499)
        for text in ["", "x", "No Such Company", "12345", "inc"] {
            #expect(throws: CLIError.self) { try CompanyNumber.parse(text) }
        }
    }

    @Test(
        arguments: [
            "", " ", "2A3", "2A371", "0x", "@", "@00000", "@x", "@-1", "@+1", "No Such Name", "ä", "xxxx",
            "é0002a37-0000-1000-8000-00805f9b34f", "éé02A3700001000800000805F9B34FB",
            "00002a37-0000-1000-8000-00805f9b34fg",
        ])
    func `Rejects everything else as wrong usage`(text: String) {
        #expect { try CharacteristicArgument(parsing: text) } throws: { ($0 as? CLIError)?.code == .usage }
    }

    @Test func `A formatted handle can be parsed again`() throws {
        for handle in [UInt16(0), 0xB, 0xFFFF] {
            #expect(AttributeHandle.parse(AttributeHandle.text(handle)) == handle)
        }
        #expect(AttributeHandle.text(0xB) == "@000b")
    }
}
