import DBus

/// The names and constants of bluetoothd's D-Bus interface.
///
/// Source: BlueZ, `doc/*-api.txt`.
enum BlueZ {
    static let name = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let bearerLE = "org.bluez.Bearer.LE1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let agentManager = "org.bluez.AgentManager1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let monitor = "org.bluez.AdvertisementMonitor1"
    static let agent = "org.bluez.Agent1"
    static let doesNotExist = "org.bluez.Error.DoesNotExist"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"

    /// The services that bluetoothd handles itself: GAP, HID and Scan Parameters.
    ///
    /// bluetoothd hides these services. From 5.80 on, it shows them read-only (Q109).
    /// Source: BlueZ 5.66, `profiles/gap/gas.c`, `profiles/input/hog.c`, `profiles/scanparam/scan.c`.
    static let claimedServices = Set(ClaimedService.all.map(\.uuid))

    /// The interfaces in the mirror, recognised by their bytes because a `String` would cost time.
    enum Interface {
        case adapter, device, battery, service, characteristic, descriptor, bearerLE, bearerClassic

        init?(bytes: Span<UInt8>) {
            switch bytes.count {
            case 18 where bytes.isEqual(to: "org.bluez.Adapter1"): self = .adapter
            case 18 where bytes.isEqual(to: "org.bluez.Battery1"): self = .battery
            case 17 where bytes.isEqual(to: "org.bluez.Device1"): self = .device
            case 20 where bytes.isEqual(to: BlueZ.bearerLE): self = .bearerLE
            case 23 where bytes.isEqual(to: "org.bluez.Bearer.BREDR1"): self = .bearerClassic
            case 22 where bytes.isEqual(to: "org.bluez.GattService1"): self = .service
            case 29 where bytes.isEqual(to: "org.bluez.GattCharacteristic1"): self = .characteristic
            case 25 where bytes.isEqual(to: "org.bluez.GattDescriptor1"): self = .descriptor
            default: return nil
            }
        }
    }
}

extension Span<UInt8> {
    /// Returns whether the bytes are those of a text.
    func isEqual(to text: String) -> Bool {
        let other = text.utf8.span
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}

/// A method call to bluetoothd.
struct BlueZCall {
    let path: String
    let interface: String
    let member: String
    var body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }

    func message() throws(DBusError) -> Message {
        guard let path = ObjectPath(path) else { throw .invalidArgument("“\(path)” is not an object path.") }
        return try Message.call(to: BlueZ.name, path: path, interface: interface, member: member, body)
    }
}

/// The calls that the library makes.
///
/// Source: BlueZ, `doc/*-api.txt`.
extension BlueZCall {
    // MARK: Adapters

    static func startDiscovery(on adapter: UInt16) -> BlueZCall { adapterCall(adapter, "StartDiscovery") }

    static func stopDiscovery(on adapter: UInt16) -> BlueZCall { adapterCall(adapter, "StopDiscovery") }

    static func setDiscoveryFilter(_ filter: DiscoveryFilter, on adapter: UInt16) -> BlueZCall {
        adapterCall(adapter, "SetDiscoveryFilter") { (body) throws(DBusError) in
            try body.properties(filter.properties)
        }
    }

    static func clearDiscoveryFilter(on adapter: UInt16) -> BlueZCall {
        adapterCall(adapter, "SetDiscoveryFilter") { (body) throws(DBusError) in try body.properties([:]) }
    }

    /// Connects to a device that bluetoothd does not have. The reply is the path of the new device.
    static func connectDevice(_ device: DeviceKey, _ kind: BluetoothAddress.Kind) -> BlueZCall {
        adapterCall(device.adapter, "ConnectDevice") { (body) throws(DBusError) in
            // Without the type, bluetoothd would connect over BR/EDR.
            try body.properties([
                "Address": .string(device.address.description), "AddressType": .string(kind.rawValue),
            ])
        }
    }

    static func removeDevice(_ device: ObjectPath, on adapter: UInt16) -> BlueZCall {
        adapterCall(adapter, "RemoveDevice") { (body) throws(DBusError) in try body.objectPath(device) }
    }

    static func registerAdvertisement(_ object: ObjectPath, on adapter: UInt16) -> BlueZCall {
        BlueZCall(
            path: adapterPath(adapter), interface: BlueZ.advertisingManager, member: "RegisterAdvertisement"
        ) { (body) throws(DBusError) in
            try body.objectPath(object)
            try body.properties([:])
        }
    }

    static func unregisterAdvertisement(_ object: ObjectPath, on adapter: UInt16) -> BlueZCall {
        BlueZCall(
            path: adapterPath(adapter), interface: BlueZ.advertisingManager, member: "UnregisterAdvertisement"
        ) { (body) throws(DBusError) in try body.objectPath(object) }
    }

    static func registerMonitors(_ application: ObjectPath, on adapter: UInt16) -> BlueZCall {
        monitorCall(application, adapter, "RegisterMonitor")
    }

    static func unregisterMonitors(_ application: ObjectPath, on adapter: UInt16) -> BlueZCall {
        monitorCall(application, adapter, "UnregisterMonitor")
    }

    private static func monitorCall(_ application: ObjectPath, _ adapter: UInt16, _ member: String) -> BlueZCall {
        BlueZCall(path: adapterPath(adapter), interface: BlueZ.monitorManager, member: member) {
            (body) throws(DBusError) in try body.objectPath(application)
        }
    }

    static func setPowered(_ isOn: Bool, _ adapter: UInt16) -> BlueZCall {
        setProperty("Powered", of: BlueZ.adapter, at: adapterPath(adapter), .bool(isOn))
    }

    static func setAlias(_ alias: String, _ adapter: UInt16) -> BlueZCall {
        setProperty("Alias", of: BlueZ.adapter, at: adapterPath(adapter), .string(alias))
    }

    static func registerApplication(_ root: ObjectPath, on adapter: UInt16) -> BlueZCall {
        BlueZCall(path: adapterPath(adapter), interface: BlueZ.gattManager, member: "RegisterApplication") {
            (body) throws(DBusError) in
            try body.objectPath(root)
            try body.properties([:])
        }
    }

    static func unregisterApplication(_ root: ObjectPath, on adapter: UInt16) -> BlueZCall {
        BlueZCall(path: adapterPath(adapter), interface: BlueZ.gattManager, member: "UnregisterApplication") {
            (body) throws(DBusError) in try body.objectPath(root)
        }
    }

    private static func adapterCall(
        _ adapter: UInt16, _ member: String,
        _ body: @escaping (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) -> BlueZCall {
        BlueZCall(path: adapterPath(adapter), interface: BlueZ.adapter, member: member, body: body)
    }

    // MARK: Devices

    /// Connects to a device.
    ///
    /// - Parameter overLE: Over LE only; otherwise bluetoothd chooses the bearer.
    static func connect(_ device: DeviceKey, overLE: Bool) -> BlueZCall {
        overLE ? bearerCall(device, "Connect") : deviceCall(device, "Connect")
    }

    /// Disconnects a device from LE only, or from all bearers.
    static func disconnect(_ device: DeviceKey, overLE: Bool) -> BlueZCall {
        overLE ? bearerCall(device, "Disconnect") : deviceCall(device, "Disconnect")
    }

    static func pair(_ device: DeviceKey) -> BlueZCall { deviceCall(device, "Pair") }

    static func cancelPairing(_ device: DeviceKey) -> BlueZCall { deviceCall(device, "CancelPairing") }

    static func setTrusted(_ isTrusted: Bool, _ device: DeviceKey) -> BlueZCall {
        setProperty("Trusted", of: BlueZ.device, at: device.path, .bool(isTrusted))
    }

    private static func bearerCall(_ device: DeviceKey, _ member: String) -> BlueZCall {
        BlueZCall(path: device.path, interface: BlueZ.bearerLE, member: member)
    }

    private static func deviceCall(_ device: DeviceKey, _ member: String) -> BlueZCall {
        BlueZCall(path: device.path, interface: BlueZ.device, member: member)
    }

    // MARK: Attributes

    static func readValue(_ key: CharacteristicKey) -> BlueZCall { attributeCall(key, "ReadValue") }

    static func writeValue(_ value: [UInt8], isRequest: Bool, _ key: CharacteristicKey) -> BlueZCall {
        BlueZCall(path: key.path, interface: BlueZ.characteristic, member: "WriteValue") { (body) throws(DBusError) in
            body.bytes(value)
            // The type is always sent, because bluetoothd would choose one itself otherwise (Q98).
            try body.properties(["type": .string(isRequest ? "request" : "command")])
        }
    }

    static func startNotify(_ key: CharacteristicKey) -> BlueZCall {
        BlueZCall(path: key.path, interface: BlueZ.characteristic, member: "StartNotify")
    }

    static func stopNotify(_ key: CharacteristicKey) -> BlueZCall {
        BlueZCall(path: key.path, interface: BlueZ.characteristic, member: "StopNotify")
    }

    static func acquireNotify(_ key: CharacteristicKey) -> BlueZCall { attributeCall(key, "AcquireNotify") }

    static func acquireWrite(_ key: CharacteristicKey) -> BlueZCall { attributeCall(key, "AcquireWrite") }

    static func readDescriptor(_ path: String) -> BlueZCall {
        BlueZCall(path: path, interface: BlueZ.descriptor, member: "ReadValue") { (body) throws(DBusError) in
            try body.properties([:])
        }
    }

    static func writeDescriptor(_ value: [UInt8], _ path: String) -> BlueZCall {
        BlueZCall(path: path, interface: BlueZ.descriptor, member: "WriteValue") { (body) throws(DBusError) in
            body.bytes(value)
            try body.properties([:])
        }
    }

    /// Returns a call with an empty dictionary of options.
    private static func attributeCall(_ key: CharacteristicKey, _ member: String) -> BlueZCall {
        BlueZCall(path: key.path, interface: BlueZ.characteristic, member: member) { (body) throws(DBusError) in
            try body.properties([:])
        }
    }

    // MARK: The agent

    static func registerAgent(_ object: ObjectPath, capability: String) -> BlueZCall {
        BlueZCall(path: "/org/bluez", interface: BlueZ.agentManager, member: "RegisterAgent") {
            (body) throws(DBusError) in
            try body.objectPath(object)
            try body.string(capability)
        }
    }

    static func requestDefaultAgent(_ object: ObjectPath) -> BlueZCall {
        BlueZCall(path: "/org/bluez", interface: BlueZ.agentManager, member: "RequestDefaultAgent") {
            (body) throws(DBusError) in try body.objectPath(object)
        }
    }

    // MARK: Any object

    static var managedObjects: BlueZCall {
        BlueZCall(path: "/", interface: BlueZ.objectManager, member: "GetManagedObjects")
    }

    static var ping: BlueZCall { BlueZCall(path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping") }

    static var introspect: BlueZCall {
        BlueZCall(path: "/", interface: "org.freedesktop.DBus.Introspectable", member: "Introspect")
    }

    private static func setProperty(
        _ name: String, of interface: String, at path: String, _ value: Value
    ) -> BlueZCall {
        BlueZCall(path: path, interface: BlueZ.properties, member: "Set") { (body) throws(DBusError) in
            try body.string(interface)
            try body.string(name)
            try body.value(.variant(value))
        }
    }

    /// Returns a call that reads all properties of an interface.
    static func properties(of interface: String, at path: String) -> BlueZCall {
        BlueZCall(path: path, interface: BlueZ.properties, member: "GetAll") { (body) throws(DBusError) in
            try body.string(interface)
        }
    }

    /// Returns a call that reads a property.
    ///
    /// The reply arrives after all signals that bluetoothd sent before the reply.
    static func property(_ name: String, of interface: String, at path: String) -> BlueZCall {
        BlueZCall(path: path, interface: BlueZ.properties, member: "Get") { (body) throws(DBusError) in
            try body.string(interface)
            try body.string(name)
        }
    }
}

extension BlueZClient {
    /// Calls bluetoothd, and passes the reply or the error to `then`.
    ///
    /// If the client is released before the reply, `then` does not run. If the message cannot be written, `then`
    /// receives that error. This is a bug of the library, which makes the path and the body.
    @discardableResult
    func call(
        _ call: BlueZCall, deadline: Duration, then: @escaping (Result<Message, DBusError>) -> Void
    ) -> BusTask? {
        do throws(DBusError) {
            return bus.call(try call.message(), timeout: deadline) { [weak self] result in
                // The parts of the client do not retain it, so it must exist until they have handled the reply.
                guard let self else { return }
                withExtendedLifetime(self) { then(result) }
            }
        } catch {
            bus.perform { then(.failure(error)) }
            return nil
        }
    }

    /// Serves an object of this client. If the object or the client has been released, the error `gone` is the answer.
    func export<Object: AnyObject>(
        _ object: Object, at path: ObjectPath, includingChildren: Bool, gone: DBusError,
        _ handler: @escaping (Object, IncomingCall) -> Void
    ) -> BusTask {
        bus.export(at: path, includingChildren: includingChildren) { [weak self, weak object] call in
            guard let self, let object else { return call.fail(gone) }
            withExtendedLifetime(self) { handler(object, call) }
        }
    }

    /// Reads a Boolean property.
    ///
    /// The reply arrives after all signals that bluetoothd sent before the reply.
    @discardableResult
    func readFlag(
        _ name: String, of interface: String, at path: String, deadline: Duration? = nil,
        then: @escaping (Result<Bool, DBusError>) -> Void
    ) -> BusTask? {
        call(.property(name, of: interface, at: path), deadline: deadline ?? settings.deadlines.cleanup) { result in
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
