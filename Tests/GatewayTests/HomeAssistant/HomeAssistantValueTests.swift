import BluetoothValues
import RxBluetooth
import Testing

@testable import Gateway

/// The entities of values that jobs receive over connections.
struct HomeAssistantValueTests {
    private let device = MessageDevice(address: "C0:FF:EE:00:00:01", name: "Strap")

    private func discovery() throws -> HomeAssistantDiscovery {
        try #require(HomeAssistantDiscovery(GatewayConfiguration()))
    }

    private func value(
        _ characteristic: BluetoothUUID, _ bytes: [UInt8], in service: BluetoothUUID? = nil, name: String? = nil
    ) -> GATTValue {
        var job = GATTJob(.notify, of: characteristic, in: service)
        job.name = name
        return GATTValue(job, bytes)
    }

    private func components(_ message: Publication?) throws -> [String: ParsedJSON] {
        let json = try ParsedJSON(try #require(message).payload)
        #expect(HomeAssistantSchema.violations(json) == [])
        return try #require(json["components"]?.object)
    }

    @Test func `A battery level is a sensor with its unit and class`() throws {
        var discovery = try discovery()
        let message = discovery.add(device, value("2A19", [87]))
        let battery = try #require(try components(message)["gatt_2a19"])
        #expect(battery["platform"]?.string == "sensor" && battery["name"]?.string == "Battery Level")
        #expect(battery["device_class"]?.string == "battery" && battery["unit_of_measurement"]?.string == "%")
        #expect(battery["state_class"]?.string == "measurement" && battery["expire_after"] == nil)
        #expect(battery["state_topic"]?.string == "home/+/connection/C0FFEE000001")
        #expect(
            battery["value_template"]?.string
                == "{% set f = value_json.fields | default({}) %}{% if value_json.characteristic == '2A19'"
                + " and 'Battery Level' in f %}{{ f['Battery Level'] }}{% endif %}")
    }

    @Test func `A value without new entities makes no message`() throws {
        var discovery = try discovery()
        let first = discovery.add(device, value("2A19", [87]))
        #expect(first != nil)
        let second = discovery.add(device, value("2A19", [86]))
        #expect(second == nil)
        let other = discovery.add(device, value("2A6E", [0x10, 0x0A]))
        #expect(try components(other).keys.filter { $0.hasPrefix("gatt") }.sorted() == ["gatt_2a19", "gatt_2a6e"])
        #expect(try components(other)["gatt_2a6e"]?["device_class"]?.string == "temperature")
    }

    @Test func `The name of a job and its service distinguish entities`() throws {
        var discovery = try discovery()
        let message = discovery.add(device, value("2A19", [87], in: "180F", name: "Glove"))
        let battery = try #require(try components(message)["gatt_180f_2a19"])
        #expect(battery["name"]?.string == "Glove")
        #expect(battery["value_template"]?.string?.contains(" and value_json.service == '180F'") == true)
    }

    @Test func `Fields with a unit have entities, and flags and lists have none`() throws {
        var discovery = try discovery()
        let message = discovery.add(device, value("2A37", [0x10, 72, 0x00, 0x04]))
        let keys = try components(message).keys.filter { $0.hasPrefix("gatt") }
        #expect(keys.count == 1, "\(keys)")
        let pulse = try #require(try components(message)[keys[0]])
        #expect(pulse["unit_of_measurement"] != nil && pulse["device_class"] == nil, "\(pulse)")
    }

    @Test func `A gateway that runs no job publishes the same sensors as the owner`() throws {
        var configuration = GatewayConfiguration()
        let jobs = [GATTJob(.notify, of: "2A37"), GATTJob(.read(every: .seconds(10)), of: "2A19", in: "180F")]
        configuration.devices = [DeviceSettings(device.address, jobs)]
        var listener = try #require(HomeAssistantDiscovery(configuration))
        var owner = try #require(HomeAssistantDiscovery(configuration))
        let heard = listener.add(device)
        let keys = try components(heard).keys.filter { $0.hasPrefix("gatt") }.sorted()
        #expect(keys == ["gatt_180f_2a19", "gatt_2a37_energy_expended", "gatt_2a37_heart_rate"])
        _ = owner.add(device, GATTValue(jobs[1], [87]))
        _ = owner.add(device, GATTValue(jobs[0], [0x10, 72, 0x00, 0x04]))
        #expect(owner.message(of: device.address) == heard)
    }

    @Test func `A value adds nothing to what its job tells`() throws {
        for structure in CharacteristicStructure.all {
            let uuid = try #require(BluetoothUUID(String(structure.uuid, radix: 16, uppercase: true)))
            for size in 0...20 {
                let job = GATTJob(.notify, of: uuid)
                let described = Set(HomeAssistantComponent.all(job).map(\.key))
                let found =
                    HomeAssistantComponent.all(GATTValue(job, [UInt8](repeating: 0xFF, count: size)))
                    + HomeAssistantComponent.all(GATTValue(job, [UInt8](repeating: 0, count: size)))
                // A number without a unit that is the only one of a longer structure is learned from values.
                let more = found.filter { $0.unit != nil && !described.contains($0.key) }
                #expect(more.isEmpty, "\(structure.name): \(more.map(\.key))")
            }
        }
    }

    @Test func `A device that was forgotten gets its sensors again`() throws {
        var discovery = try #require(HomeAssistantDiscovery(GatewayConfiguration(), capacity: 1))
        _ = discovery.add(device, value("2A19", [87]))
        _ = discovery.add(MessageDevice(address: "C0:FF:EE:00:00:02"))
        _ = discovery.add(device)
        let again = discovery.add(device, value("2A19", [87]))
        #expect(try components(again)["gatt_2a19"] != nil)
    }

    @Test(arguments: [("2A29", [0x41]), ("2A19", []), ("FFF1", [1, 2]), ("2A6E", [1])] as [(String, [UInt8])])
    func `Texts, wrong lengths and unknown structures have no entities`(_ uuid: String, _ bytes: [UInt8]) throws {
        var discovery = try discovery()
        let message = discovery.add(device, value(try #require(BluetoothUUID(uuid)), bytes))
        #expect(message == nil)
    }
}
