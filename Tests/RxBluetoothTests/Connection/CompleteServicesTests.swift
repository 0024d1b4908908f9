import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Discovery with a bluetoothd that shows the services in any order relative to `ServicesResolved`.
struct CompleteServicesTests {
    private static let uuids = ["180d", "180f", "181a"]
    private static let all: [BluetoothUUID] = [0x180D, 0x180F, 0x181A]

    /// The objects of one service: with a characteristic that notifies, and its 2902.
    private static func service(_ number: Int) -> ScriptedDaemon.Objects {
        let path = ScriptedDaemon.Objects.devicePath + "/service00\(number + 1)0"
        return [
            path: ["org.bluez.GattService1": ["UUID": long(uuids[number]), "Primary": .bool(true)]],
            path + "/char00\(number + 1)1": [
                "org.bluez.GattCharacteristic1": ["UUID": long("2a37"), "Flags": .strings(["notify"])]
            ],
            path + "/char00\(number + 1)1/desc00\(number + 1)3": ["org.bluez.GattDescriptor1": ["UUID": long("2902")]],
        ]
    }

    private static func long(_ uuid: String) -> Value { .string("0000\(uuid)-0000-1000-8000-00805f9b34fb") }

    private static func list(_ uuids: [String]) -> Value {
        .strings(uuids.map { "0000\($0)-0000-1000-8000-00805f9b34fb" })
    }

    /// What bluetoothd lists in `UUIDs` before `ServicesResolved`.
    enum List: CaseIterable, Sendable { case none, advertised, complete, withHidden, withUnknown }

    private static func announce(_ daemon: ScriptedDaemon, _ list: List) {
        switch list {
        case .none: break
        case .advertised: break
        case .complete: daemon.deviceChanges(["UUIDs": Self.list(uuids)])
        case .withHidden: daemon.deviceChanges(["UUIDs": Self.list(["1800"] + uuids)])
        case .withUnknown: daemon.deviceChanges(["UUIDs": Self.list(["feaa"] + uuids)])
        }
    }

    /// A device, with the services that it advertises.
    private static func objects(_ list: List) -> ScriptedDaemon.Objects {
        let path = ScriptedDaemon.Objects.devicePath
        return list == .advertised
            ? .oneDevice.setting(path, "org.bluez.Device1", ["UUIDs": Self.list(["180d"])]) : .oneDevice
    }

    private static func connected(
        _ objects: ScriptedDaemon.Objects = .oneDevice
    ) -> (Stage, ScriptedDaemon, Peripheral, Recording<Peripheral>) {
        let (stage, daemon, peripheral) = Stage.scripted(objects)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        stage.advance(0)
        return (stage, daemon, peripheral, link)
    }

    private static func resolve(_ daemon: ScriptedDaemon) {
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
    }

    @Test(.proves(.Q72), arguments: List.allCases, [0, 1, 2])
    func `Services that follow ServicesResolved after milliseconds belong to the tree`(list: List, early: Int) {
        let (stage, daemon, peripheral, link) = Self.connected(Self.objects(list))
        let changes = stage.record(peripheral.observeModifiedServices())
        let found = stage.record(peripheral.discoverServices())
        for number in 0..<early { daemon.add(Self.service(number)) }
        Self.announce(daemon, list)
        Self.resolve(daemon)
        for number in early..<3 {
            stage.advance(5)
            daemon.add(Self.service(number))
        }
        stage.advance(1_000)
        #expect(found.elements.map(\.uuid) == Self.all)
        #expect(found.isCompleted && changes.elements.isEmpty && link.isLive)
        stage.expectNoTimers()
    }

    @Test(.proves(.Q72)) func `Characteristics and descriptors that follow ServicesResolved belong to the tree`() {
        for missing in ["char", "desc"] {
            let (stage, daemon, peripheral, link) = Self.connected()
            let objects = Self.service(0).adding(Self.service(1))
            let isLate = { (path: String) in path.contains("service0020") && path.contains(missing) }
            daemon.add(objects.filter { !isLate($0.key) })
            daemon.deviceChanges(["UUIDs": Self.list(["180d", "180f"]), "ServicesResolved": .bool(true)])
            let found = stage.record(
                peripheral.discoverServices([0x180F]).flatMap { $0.discoverCharacteristics() }
                    .flatMap { $0.discoverDescriptors() })
            stage.advance(5)
            daemon.add(objects.filter { isLate($0.key) })
            stage.advance(1_000)
            #expect(found.elements.map(\.uuid) == [0x2902], "\(missing)")
            #expect(found.isCompleted && link.isLive, "\(missing)")
        }
    }

    @Test(.proves(.Q72)) func `A service that includes another one waits for it`() {
        let (stage, daemon, peripheral, link) = Self.connected()
        let path = ScriptedDaemon.Objects.devicePath
        daemon.add(
            Self.service(0).setting(
                path + "/service0010", "org.bluez.GattService1",
                ["Includes": .array(of: "o", [.objectPath(ObjectPath(path + "/service0020") ?? .root)])]))
        daemon.deviceChanges(["UUIDs": Self.list(["180d"]), "ServicesResolved": .bool(true)])
        let found = stage.record(peripheral.discoverServices())
        stage.advance(100)
        #expect(found.elements.isEmpty)
        daemon.add(
            Self.service(1).setting(
                path + "/service0020", "org.bluez.GattService1", ["Primary": .bool(false)]))
        stage.advance(1_000)
        #expect(found.elements.map(\.uuid) == [0x180D, 0x180F] && link.isLive)
    }

    @Test(.proves(.Q72), arguments: [List.complete, .withHidden])
    func `In the usual order, the services are complete at once`(list: List) {
        let (stage, daemon, peripheral, link) = Self.connected()
        let found = stage.record(peripheral.discoverServices())
        for number in 0..<3 { daemon.add(Self.service(number)) }
        Self.announce(daemon, list)
        #expect(found.isLive)
        Self.resolve(daemon)
        stage.advance(0)
        #expect(found.elements.map(\.uuid) == Self.all && found.isCompleted && link.isLive)
        #expect(daemon.methods == ["Connect"])
    }

    @Test(.proves(.Q72), arguments: [List.none, .advertised, .withUnknown])
    func `If the list of services does not match, they are complete after 250 ms`(list: List) {
        let (stage, daemon, peripheral, link) = Self.connected(Self.objects(list))
        let found = stage.record(peripheral.discoverServices())
        for number in 0..<3 { daemon.add(Self.service(number)) }
        Self.announce(daemon, list)
        Self.resolve(daemon)
        stage.advance(249)
        #expect(found.isLive && found.elements.isEmpty)
        stage.advance(1)
        #expect(found.elements.map(\.uuid) == Self.all && found.isCompleted && link.isLive)
        let again = stage.record(peripheral.discoverServices())
        stage.advance(0)
        #expect(again.isCompleted)
    }

    @Test(.proves(.Q71)) func `Services from an earlier connection are complete at once`() {
        let known = ScriptedDaemon.Objects.oneDevice.adding(Self.service(0)).adding(Self.service(1))
        let (stage, daemon, peripheral, link) = Self.connected(known)
        let found = stage.record(peripheral.discoverServices())
        Self.resolve(daemon)
        stage.advance(0)
        #expect(found.elements.count == 2 && found.isCompleted && link.isLive)
    }

    @Test(.proves(.Q72, .Q111)) func `Services that are read again are waited for again`() {
        let (stage, daemon, peripheral, link) = Self.connected()
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let first = stage.record(peripheral.discoverServices())
        daemon.add(Self.service(0))
        daemon.deviceChanges(["UUIDs": Self.list(["180d"]), "ServicesResolved": .bool(true)])
        stage.advance(0)
        #expect(first.elements.map(\.uuid) == [0x180D])
        let changes = stage.record(peripheral.observeModifiedServices())
        daemon.deviceChanges(["ServicesResolved": .bool(false)])
        stage.advance(10)
        let second = stage.record(peripheral.discoverServices())
        stage.advance(10)
        #expect(second.isLive && second.elements.isEmpty)
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        stage.advance(5)
        daemon.add(Self.service(1))
        daemon.deviceChanges(["UUIDs": Self.list(["180d", "180f"])])
        stage.advance(1_000)
        #expect(second.elements.last?.uuid == 0x180F || second.elements.count == 1)
        #expect(!changes.elements.isEmpty && link.isLive)
    }
}
