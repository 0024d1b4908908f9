import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Services that change during a connection, and included services.
struct ModifiedAndIncludedServicesTests {
    private static let old = SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([1]), .notify) }
    private static let stays = SimulatedService("180a") { SimulatedCharacteristic("2a29", .read([2])) }

    private func stage(
        _ services: [SimulatedService], _ options: ConnectOptions = ConnectOptions()
    ) -> (Stage, Peripheral, Recording<Peripheral>) {
        var sensor = SimulatedPeripheral("Sensor", address: Sensor.text) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
        }
        sensor.services = services
        let stage = Stage(with: [sensor])
        let peripheral = stage.find(Sensor.address)
        let link = stage.record(peripheral.connect(options: options))
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        stage.simulation.bluez.forgetCalls()
        return (stage, peripheral, link)
    }

    @Test(.proves(.S53, .Q111), .covers(.modifiedServices))
    func `Modified services are emitted, old attributes fail, and new ones work`() {
        let (stage, peripheral, link) = stage([Self.old, Self.stays])
        let modified = stage.record(peripheral.observeModifiedServices())
        let characteristic = stage.characteristic(0xFFF1, of: peripheral)
        let values = stage.record(characteristic.observeValueUpdates())
        let services = stage.record(peripheral.discoverServices())
        stage.advance(100)
        #expect(modified.times.isEmpty)
        stage.simulation.bluez.changeServices(of: Sensor.text, to: [Self.old])
        stage.advance(10)
        // bluetoothd has removed both services together, so the stream emits one modification with both.
        #expect(modified.elements == [services.elements])
        #expect(values.kind == .attributeNotFound)
        #expect(stage.record(characteristic.readValue()).outcome(stage) == .attributeNotFound)
        stage.advance(500)
        #expect(modified.elements.count == 2)
        #expect(modified.elements.last == [])
        // The old characteristic stays invalid: the new one has the same handle and UUID, but is another object (Q60).
        #expect(stage.record(characteristic.readValue()).outcome(stage) == .attributeNotFound)
        #expect(stage.record(services.elements[0].discoverCharacteristics()).outcome(stage) == .attributeNotFound)
        let fresh = stage.characteristic(0xFFF1, of: peripheral)
        #expect(fresh.handle == characteristic.handle)
        #expect(fresh != characteristic)
        let read = stage.record(fresh.readValue())
        stage.advance(100)
        #expect(read.elements == [[1]])
        #expect(link.isLive)
    }

    @Test(.proves(.S53)) func `Unchanged services stay valid when other services change`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        daemon.always("StartNotify")
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let stays = stage.characteristic(0x2A37, of: peripheral)
        let values = stage.record(stays.observeValueUpdates())
        let modified = stage.record(peripheral.observeModifiedServices())
        stage.advance(0)
        let path = ScriptedDaemon.Objects.devicePath + "/service0030"
        daemon.add([
            path: [
                "org.bluez.GattService1": [
                    "UUID": .string("0000fff0-0000-1000-8000-00805f9b34fb"), "Primary": .bool(true),
                ]
            ]
        ])
        stage.advance(0)
        #expect(modified.elements == [[]])
        daemon.remove(path, "org.bluez.GattService1")
        stage.advance(0)
        #expect(modified.elements.last?.map(\.uuid) == [0xFFF0])
        daemon.notifies([4])
        stage.advance(0)
        #expect(values.elements == [[4]])
        #expect(link.isLive)
    }

    @Test(.proves(.S53, .Q111)) func `A service added to an existing link is a modification without discovery`() {
        let objects = ScriptedDaemon.Objects.oneKnownDevice.setting(
            ScriptedDaemon.Objects.devicePath, "org.bluez.Device1",
            ["Connected": .bool(true), "ServicesResolved": .bool(true)])
        let (stage, daemon, peripheral) = Stage.scripted(objects)
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        let modified = stage.record(peripheral.observeModifiedServices())
        stage.advance(0)
        daemon.add([
            ScriptedDaemon.Objects.devicePath + "/service0030": [
                "org.bluez.GattService1": [
                    "UUID": .string("0000fff0-0000-1000-8000-00805f9b34fb"), "Primary": .bool(true),
                ]
            ]
        ])
        stage.advance(0)
        #expect(modified.elements == [[]])
        #expect(link.isLive)
    }

    @Test(.proves(.S53)) func `Removing the device does not emit modified services`() {
        let (stage, peripheral, link) = stage([Self.old])
        let modified = stage.record(peripheral.observeModifiedServices())
        stage.advance(1)
        let other = stage.simulation.connect()
        let removal = try? Message.call(
            to: "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.Adapter1",
            member: "RemoveDevice",
            { (body) throws(DBusError) in try body.objectPath(ObjectPath(Sensor.path) ?? .root) })
        if let removal { other.call(removal, timeout: .seconds(9)) { _ in } }
        stage.advance(3_000)
        #expect(modified.elements.isEmpty)
        #expect(modified.error?.kind == link.error?.kind)
        #expect(!link.isLive)
        #expect(stage.record(peripheral.observeModifiedServices()).outcome(stage) != nil)
    }

    @Test(.covers(.includedServices)) func `Discovery of included services returns only those`() {
        let battery = SimulatedService("180f", isPrimary: false) { SimulatedCharacteristic("2a19", .read([3])) }
        let (stage, peripheral, link) = stage([
            SimulatedService("fff0", including: ["180f", "180a"]) {}, Self.stays, battery,
        ])
        let services = stage.record(peripheral.discoverServices([0xFFF0]))
        stage.advance(0)
        guard let service = services.elements.first else { return #expect(Bool(false)) }
        let all = stage.record(service.discoverIncludedServices())
        let one = stage.record(service.discoverIncludedServices([0x180F]))
        let none = stage.record(service.discoverIncludedServices([0x1234]))
        stage.advance(0)
        #expect(all.elements.map(\.uuid) == [0x180A, 0x180F])
        #expect(all.isCompleted)
        #expect(one.elements.map(\.isPrimary) == [false])
        #expect(none.kind == .attributeNotFound)
        let level = stage.record(
            service.discoverIncludedServices([0x180F]).flatMap { $0.discoverCharacteristics() }
                .flatMap { $0.readValue() })
        stage.advance(100)
        #expect(level.elements == [[3]])
        #expect(link.isLive)
    }

    @Test(.proves(.S78)) func `Discovery within a service waits for reconnection`() {
        let including = SimulatedService("fff0", including: ["180a"]) { SimulatedCharacteristic("fff1", .read([1])) }
        let (stage, peripheral, link) = stage([including, Self.stays], .reconnect())
        let services = stage.record(peripheral.discoverServices([0xFFF0]))
        stage.advance(0)
        guard let service = services.elements.first else { return #expect(Bool(false)) }
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(0)
        let included = stage.record(service.discoverIncludedServices())
        let characteristics = stage.record(service.discoverCharacteristics())
        #expect(included.isLive && characteristics.isLive)
        stage.advance(5_000)
        #expect(included.elements.map(\.uuid) == [0x180A] && included.isCompleted)
        #expect(characteristics.elements.map(\.uuid) == [0xFFF1] && characteristics.isCompleted)
        #expect(link.isLive)
    }

    @Test func `Services that are included later are found, and invalid paths are ignored`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let services = stage.record(peripheral.discoverServices())
        stage.advance(0)
        let path = ScriptedDaemon.Objects.servicePath
        let included = stage.record(services.elements[0].discoverIncludedServices())
        stage.advance(0)
        daemon.change(
            path, "org.bluez.GattService1",
            [
                "Includes": .array(
                    of: "o",
                    [path, "/org/bluez/hci0", path + "/char0011"].compactMap { ObjectPath($0).map(Value.objectPath) })
            ])
        stage.advance(0)
        #expect(included.elements.isEmpty && included.isCompleted)
        let later = stage.record(services.elements[0].discoverIncludedServices())
        stage.advance(0)
        #expect(later.elements == services.elements)
        #expect(link.isLive)
    }
}
