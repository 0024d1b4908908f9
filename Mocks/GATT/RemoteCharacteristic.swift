import DBus
import RxBluetoothSupport

/// A characteristic object of bluetoothd, `org.bluez.GattCharacteristic1`.
final class RemoteCharacteristic {
    let path: ObjectPath
    let servicePath: ObjectPath
    /// Whether clients may only read, because bluetoothd claims the service (Q109).
    let isReadOnly: Bool
    /// The device, which is stored because the service can be removed while a request is pending (Q111).
    unowned let device: DaemonDevice
    let server: ServerCharacteristic
    /// The attribute table of the peripheral from which bluetoothd made the object.
    private let table: PeripheralGATTServer?
    /// The value that was read or notified last. It outlives the link.
    var value: [UInt8] = []
    var isNotifying = false
    let notifySessions = NotifySessions()
    /// The sockets of `AcquireWrite` and `AcquireNotify`.
    var writing: Acquisition?
    var notifications: Acquisition?
    private var descriptors: [RemoteDescriptor] = []
    private var object: ServedObject?
    private var reading = SharedRead()
    private var isWriting = false
    /// Whether bluetoothd has lost the request that sets the CCCD, and refuses further ones (Q126).
    var isSubscribingStale = false
    /// Whether bluetoothd keeps a freed object of an `AcquireNotify` that was refused (Q132).
    var isSocketFreed = false

    init(_ server: ServerCharacteristic, of service: RemoteService) {
        self.server = server
        servicePath = service.path
        isReadOnly = service.isReadOnly
        device = service.device
        table = service.device.attributeTable
        path = service.path.appending("char" + server.handle.hexadecimal()) ?? service.path
        descriptors = server.descriptors.map { RemoteDescriptor($0, of: self) }
    }

    var tree: ObjectTree { device.tree }

    func appear() {
        object = tree.add(TypedInterface(device.adapter.tables.characteristic, of: self), at: path)
        for descriptor in descriptors { descriptor.appear() }
    }

    func disappear() {
        for acquisition in acquisitions { acquisition.close() }
        endNotifySessions()
        for descriptor in descriptors { descriptor.disappear() }
        if let object { tree.remove(object) }
        object = nil
    }

    func changed(_ property: String, atOnce: Bool = false) {
        if let object { tree.changed(object, property, atOnce: atOnce) }
    }

    // MARK: Reading and writing

    /// Returns the characteristic that a request reaches, because requests contain only the handle (Q93).
    ///
    /// It is another one if the peripheral changed its services without an announcement.
    private func reached(over link: DaemonLink) -> ServerCharacteristic? {
        let present = link.deviceState.server
        return present === table ? server : present.characteristic(at: server.handle)
    }

    func read(_ call: IncomingCall) throws(DBusError) {
        guard let link = device.link else { throw BlueZError.failed("Not connected") }
        let options = try AttributeOptions(call.message)
        guard try reading.join(call, offset: options.offset) else { return }
        link.request(needing: server.protection) { [self] in
            guard let reached = reached(over: link) else { return .error(0x01) }
            return reached.read().dropping(options.offset)
        } dropped: { [self] in
            reading.isStale = true
        } _: { [self] outcome in
            let calls = reading.finish()
            guard case .value(let part) = outcome else { return calls.forEach { tree.fail($0, outcome.error) } }
            value = Array(value.prefix(options.offset)) + part
            // A read also signals Value, and subscribers cannot distinguish that signal from a notification (Q95).
            changed("Value", atOnce: true)
            for call in calls { tree.reply(call) { (body) throws(DBusError) in body.bytes(part) } }
        }
    }

    /// Writes the value, with or without response (Q98, Q99).
    ///
    /// The choice is that of characteristic_write_value in src/gatt-client.c.
    func write(_ call: IncomingCall) throws(DBusError) {
        guard let link = device.link else { throw BlueZError.failed("Not connected") }
        if isReadOnly { throw BlueZError.notAuthorized }
        if writing != nil { throw BlueZError.notPermitted("Write acquired") }
        if isWriting { throw BlueZError.inProgress }
        let options = try AttributeOptions(call.message, hasValue: true, hasType: true)
        let type = options.type ?? (server.has("write") ? "request" : "command")
        switch type {
        case "request", "reliable":
            try options.refuseEmptyLongWrite(isReliable: type == "reliable")
            isWriting = true
            link.request(needing: server.protection) { [self] in
                reached(over: link)?.write(options.value, at: options.offset) ?? .error(0x01)
            } _: { [self] outcome in
                isWriting = false
                if case .error = outcome { tree.fail(call, outcome.error) } else { tree.reply(call) }
            }
        case "command" where options.offset == 0 && (options.type != nil || server.has("write-without-response")):
            guard options.value.count <= Int(link.mtu) - 3 else { throw BlueZError.failed("Failed to initiate write") }
            if link.protection >= server.protection { reached(over: link)?.take(options.value) }
            // bluetoothd has only queued the command, so the reply proves nothing (Q97).
            tree.reply(call)
        default: throw BlueZError.notSupported
        }
    }
}

extension RemoteCharacteristic {
    /// The interface `org.bluez.GattCharacteristic1` as BlueZ serves it.
    static let table = InterfaceTable<RemoteCharacteristic>(
        name: "org.bluez.GattCharacteristic1",
        properties: [
            PropertyRow("Handle", "q", with: .handle) { .uint16($0.server.handle) },
            PropertyRow("UUID", "s") { .string($0.server.uuid) },
            PropertyRow("Service", "o") { .objectPath($0.servicePath) },
            PropertyRow("Value", "ay") { .bytes($0.value) },
            PropertyRow("Notifying", "b") { $0.server.notifications == nil ? nil : .bool($0.isNotifying) },
            PropertyRow("Flags", "as") { .strings($0.server.flags) },
            PropertyRow("WriteAcquired", "b") {
                $0.server.has("write-without-response") ? .bool($0.writing?.isOpen == true) : nil
            },
            PropertyRow("NotifyAcquired", "b") {
                $0.server.has("notify") ? .bool($0.notifications?.isOpen == true) : nil
            },
            PropertyRow("MTU", "q") { ($0.device.link?.mtu).map(Value.uint16) },
        ],
        methods: [
            MethodRow("ReadValue", in: [ArgumentRow("options", "a{sv}")], out: [ArgumentRow("value", "ay")]) {
                (characteristic, call) throws(DBusError) in try characteristic.afterReceivingPackets.read(call)
            },
            MethodRow("WriteValue", in: [ArgumentRow("value", "ay"), ArgumentRow("options", "a{sv}")]) {
                (characteristic, call) throws(DBusError) in try characteristic.afterReceivingPackets.write(call)
            },
            MethodRow(
                "AcquireWrite", in: [ArgumentRow("options", "a{sv}")],
                out: [ArgumentRow("fd", "h"), ArgumentRow("mtu", "q")]
            ) { (characteristic, call) throws(DBusError) in try characteristic.afterReceivingPackets.acquireWrite(call)
            },
            MethodRow(
                "AcquireNotify", in: [ArgumentRow("options", "a{sv}")],
                out: [ArgumentRow("fd", "h"), ArgumentRow("mtu", "q")]
            ) { (characteristic, call) throws(DBusError) in try characteristic.afterReceivingPackets.acquireNotify(call)
            },
            MethodRow("StartNotify") { (characteristic, call) throws(DBusError) in
                try characteristic.afterReceivingPackets.startNotify(call)
            },
            MethodRow("StopNotify") { (characteristic, call) throws(DBusError) in
                try characteristic.afterReceivingPackets.stopNotify(call)
            },
        ])
}
