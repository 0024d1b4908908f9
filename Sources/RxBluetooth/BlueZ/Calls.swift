import DBus

/// The names that bluetoothd answers to. Source: BlueZ, `doc/*-api.txt`.
enum BlueZ {
    static let name = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let agentManager = "org.bluez.AgentManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let agent = "org.bluez.Agent1"
    static let doesNotExist = "org.bluez.Error.DoesNotExist"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"

    /// The services that bluetoothd handles itself: GAP, HID and Scan Parameters. It hides them, or from 5.80 on shows them read-only
    /// (Q109). Source: BlueZ 5.66, `profiles/gap/gas.c`, `profiles/input/hog.c`, `profiles/scanparam/scan.c`.
    static let claimedServices: Set<BluetoothUUID> = [0x1800, 0x1812, 0x1813]
    /// The GAP service, and its characteristics. Source: Core Specification 5.4, Vol 3, Part C, 12.
    static let gapAttributes: Set<BluetoothUUID> = [
        0x1800, 0x2A00, 0x2A01, 0x2A02, 0x2A03, 0x2A04, 0x2AA6, 0x2AC9, 0x2BF5,
    ]

    /// The interfaces that the mirror keeps, told from their bytes with no String between.
    enum Interface {
        case adapter, device, battery, service, characteristic, descriptor

        init?(bytes: Span<UInt8>) {
            switch bytes.count {
            case 18 where bytes.isEqual(to: "org.bluez.Adapter1"): self = .adapter
            case 18 where bytes.isEqual(to: "org.bluez.Battery1"): self = .battery
            case 17 where bytes.isEqual(to: "org.bluez.Device1"): self = .device
            case 22 where bytes.isEqual(to: "org.bluez.GattService1"): self = .service
            case 29 where bytes.isEqual(to: "org.bluez.GattCharacteristic1"): self = .characteristic
            case 25 where bytes.isEqual(to: "org.bluez.GattDescriptor1"): self = .descriptor
            default: return nil
            }
        }
    }
}

extension Span<UInt8> {
    /// Whether these are the bytes of a text.
    func isEqual(to text: String) -> Bool {
        let other = text.utf8.span
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}

extension BlueZClient {
    /// Calls bluetoothd. The object's path and the body are ours, so a failure to write them is a bug of ours.
    @discardableResult
    func call(
        path: String, interface: String, member: String, deadline: Duration,
        _ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in },
        then: @escaping (Result<Message, DBusError>) -> Void
    ) -> BusTask? {
        do throws(DBusError) {
            return bus.call(
                try Self.message(path: path, interface: interface, member: member, body), timeout: deadline, reply: then
            )
        } catch {
            bus.perform { then(.failure(error)) }
            return nil
        }
    }

    static func message(
        path: String, interface: String, member: String,
        _ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) throws(DBusError) -> Message {
        guard let path = ObjectPath(path) else { throw .invalidArgument("“\(path)” is not an object path.") }
        return try Message.call(to: BlueZ.name, path: path, interface: interface, member: member, body)
    }
}

extension BlueZClient {
    /// Asks bluetoothd for a property that is a Boolean. Its answer comes after all that it has signalled before.
    @discardableResult
    func readFlag(
        _ name: String, of interface: String, at path: String, deadline: Duration? = nil,
        then: @escaping (Result<Bool, DBusError>) -> Void
    ) -> BusTask? {
        call(
            path: path, interface: BlueZ.properties, member: "Get", deadline: deadline ?? settings.deadlines.cleanup
        ) { (body) throws(DBusError) in
            try body.string(interface)
            try body.string(name)
        } then: { result in
            then(
                result.flatMap { reply in
                    do throws(DBusError) {
                        return .success(
                            try reply.read { (body) throws(DBusError) in
                                try body.variant { (value) throws(DBusError) in try value.bool() }
                            })
                    } catch { return .failure(error) }
                })
        }
    }
}
