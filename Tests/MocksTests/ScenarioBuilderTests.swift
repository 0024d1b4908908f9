import DBus
import RxBluetoothMocks
import Testing

/// Tests of the result builders of scenarios, peripherals and services.
struct ScenarioBuilderTests {
    private static let strap = SimulatedPeripheral("Strap", address: "C0:00:00:00:00:01")

    private func scenario(_ isLong: Bool) -> Scenario {
        let made: [ScenarioPart] = [.quirk(.Q72), .peripheral(Self.strap)]
        let none: SimulatedPeripheral? = nil
        return Scenario(seed: 7) {
            made
            none
            [SimulatedPeripheral("Tag", address: "C0:00:00:00:00:02")]
            if isLong {
                SimulatedAdapter(name: "long")
            } else {
                Fault("Device1.Connect", .never)
            }
            for second in 1...3 { at(.seconds(second)) { $0.crash() } }
            if #available(macOS 99, *) { Quirk.Q63 }
            made[0]
        }
    }

    @Test func `The scenario builder accepts arrays, if, else, for, optionals and availability`() {
        let (long, short) = (scenario(true), scenario(false))
        #expect(long.peripherals.map(\.name) == ["Strap", "Tag"])
        #expect(long.adapters.map(\.name) == ["long"])
        #expect(long.faults.isEmpty)
        #expect(long.script.map(\.time) == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(long.quirks == [.Q72, .Q63])
        #expect(short.adapters.map(\.name) == ["simulation"])
        #expect(short.faults.count == 1)
    }

    private func peripheral(_ isLong: Bool) -> SimulatedPeripheral {
        let made: [SimulatedPart] = [.connection(SimulatedConnection(failures: 2))]
        let none: SimulatedPairing? = nil
        return SimulatedPeripheral("Tag", address: "C0:00:00:00:00:02") {
            made
            none
            [SimulatedService("180a"), SimulatedService("180f")]
            if isLong {
                SimulatedService("fff0")
            } else {
                SimulatedAdvertisement(every: .seconds(1), rssi: -60)
            }
            for number in 1...2 { SimulatedService("fff\(number)") }
            if #available(macOS 99, *) { SimulatedService("ffe0") }
        }
    }

    @Test func `The peripheral builder accepts arrays, if, else, for and optionals`() {
        let (long, short) = (peripheral(true), peripheral(false))
        #expect(long.connection.failures == 2)
        #expect(long.services.map(\.uuid) == ["180a", "180f", "fff0", "fff1", "fff2", "ffe0"])
        #expect(long.advertisement == nil)
        #expect(short.services.map(\.uuid) == ["180a", "180f", "fff1", "fff2", "ffe0"])
        #expect(short.advertisement?.rssi == -60)
    }

    private func service(_ kind: Int) -> SimulatedService {
        let made = [SimulatedCharacteristic("2a38", .read)]
        return SimulatedService("180d") {
            made
            if kind == 0 {
                SimulatedCharacteristic("2a00", .read)
            } else {
                SimulatedCharacteristic("2a01", .write)
            }
            switch kind {
            case 0: SimulatedCharacteristic("2a02")
            case 1: SimulatedCharacteristic("2a03")
            default: SimulatedCharacteristic("2a04")
            }
            for number in 1...2 { SimulatedCharacteristic("fff\(number)") }
            made.first
            if #available(macOS 99, *) { SimulatedCharacteristic("2a05") }
        }
    }

    @Test func `The service builder accepts arrays, if, else, switch, for and availability`() {
        #expect(service(0).characteristics.map(\.uuid) == ["2a38", "2a00", "2a02", "fff1", "fff2", "2a38", "2a05"])
        #expect(service(1).characteristics.map(\.uuid) == ["2a38", "2a01", "2a03", "fff1", "fff2", "2a38", "2a05"])
        #expect(service(2).characteristics.map(\.uuid) == ["2a38", "2a01", "2a04", "fff1", "fff2", "2a38", "2a05"])
    }

    @Test func `Read needs no parentheses and returns the written value`() {
        let stage = Stage(
            Scenario {
                SimulatedPeripheral("Tag", address: "C0:00:00:00:00:02") {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
                    SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read, .write) }
                }
            })
        let tag = "/org/bluez/hci0/dev_C0_00_00_00_00_02"
        stage.connect(tag)
        let characteristic = tag + "/service000a/char000b"
        #expect(stage.property(characteristic, "GattCharacteristic1", "Flags") == "[read, write]")
        #expect(stage.characteristic(characteristic, "ReadValue", .properties([:])) == "ok <>")
        #expect(stage.characteristic(characteristic, "WriteValue", .bytes([7]), .properties([:])) == "ok")
        #expect(stage.characteristic(characteristic, "ReadValue", .properties([:])) == "ok <7>")
    }
}
