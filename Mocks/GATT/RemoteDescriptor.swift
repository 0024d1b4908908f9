import DBus
import RxBluetoothSupport

/// A descriptor object of bluetoothd, `org.bluez.GattDescriptor1`.
final class RemoteDescriptor {
    let path: ObjectPath
    private unowned let characteristic: RemoteCharacteristic
    private unowned let device: DaemonDevice
    private let server: ServerDescriptor
    /// The value that was read last.
    private var value: [UInt8] = []
    private var object: ServedObject?
    private var reading = SharedRead()
    private var isWriting = false

    init(_ server: ServerDescriptor, of characteristic: RemoteCharacteristic) {
        self.server = server
        self.characteristic = characteristic
        device = characteristic.device
        path =
            characteristic.path.appending("desc" + server.handle.hexadecimal()) ?? characteristic.path
    }

    static let table = InterfaceTable<RemoteDescriptor>(
        name: "org.bluez.GattDescriptor1",
        properties: [
            PropertyRow("Handle", "q", with: .handle) { .uint16($0.server.handle) },
            PropertyRow("UUID", "s") { .string($0.server.uuid) },
            PropertyRow("Characteristic", "o") { .objectPath($0.characteristic.path) },
            PropertyRow("Value", "ay") { .bytes($0.value) },
        ],
        methods: [
            MethodRow("ReadValue", in: [ArgumentRow("options", "a{sv}")], out: [ArgumentRow("value", "ay")]) {
                (descriptor, call) throws(DBusError) in try descriptor.read(call)
            },
            MethodRow("WriteValue", in: [ArgumentRow("value", "ay"), ArgumentRow("options", "a{sv}")]) {
                (descriptor, call) throws(DBusError) in try descriptor.write(call)
            },
        ])

    func appear() {
        object = device.tree.add(
            TypedInterface(device.adapter.tables.descriptor, of: self), at: path)
    }

    func disappear() {
        if let object { device.tree.remove(object) }
        object = nil
    }

    private func read(_ call: IncomingCall) throws(DBusError) {
        guard let link = device.link else { throw BlueZError.failed("Not connected") }
        let options = try AttributeOptions(call.message)
        guard try reading.join(call, offset: options.offset) else { return }
        // The request retains the descriptor, because the service can be removed before the reply (Q111).
        link.request(needing: server.protection) { [self, characteristic] in
            let held = server.isSwitch ? characteristic.switchValue : server.value
            return options.offset <= held.count ? .value(Array(held.dropFirst(options.offset))) : .error(0x07)
        } dropped: { [self] in
            reading.isStale = true
        } _: { [self] outcome in
            let calls = reading.finish()
            guard case .value(let part) = outcome else {
                return calls.forEach { device.tree.fail($0, outcome.error) }
            }
            value = Array(value.prefix(options.offset)) + part
            if let object { device.tree.changed(object, "Value") }
            for call in calls { device.tree.reply(call) { (body) throws(DBusError) in body.bytes(part) } }
        }
    }

    private func write(_ call: IncomingCall) throws(DBusError) {
        guard let link = device.link else { throw BlueZError.failed("Not connected") }
        if characteristic.isReadOnly { throw BlueZError.notAuthorized }
        if isWriting { throw BlueZError.inProgress }
        let options = try AttributeOptions(call.message, hasValue: true)
        // Only StartNotify may write the CCCD (Q108).
        if server.isSwitch { throw BlueZError.notPermitted("Write not permitted") }
        try options.refuseEmptyLongWrite()
        isWriting = true
        link.request(needing: server.protection) { [self] in
            guard server.isWritable else { return .error(0x03) }
            guard options.offset <= server.value.count else { return .error(0x07) }
            server.value = Array(server.value.prefix(options.offset)) + options.value
            return .accepted
        } _: { [self] outcome in
            isWriting = false
            if case .error = outcome { device.tree.fail(call, outcome.error) } else { device.tree.reply(call) }
        }
    }
}
