import DBus

/// The interface `org.bluez.Bearer.LE1` of a device, as BlueZ 5.87 serves it with `-E` (experimental).
///
/// `Paired` and `Bonded` have no signal, as observed.
extension DaemonDevice {
    static let bearerTable = InterfaceTable<DaemonDevice>(
        name: "org.bluez.Bearer.LE1",
        properties: [
            PropertyRow("Adapter", "o") { .objectPath($0.adapter.path) },
            PropertyRow("Paired", "b") { .bool($0.isPaired) },
            PropertyRow("Bonded", "b") { .bool($0.isBonded) },
            PropertyRow("Connected", "b") { .bool($0.link != nil) },
        ],
        methods: [
            MethodRow("Connect") { (device, call) throws(DBusError) in try device.connect(call) },
            MethodRow("Disconnect") { (device, call) throws(DBusError) in device.requestDisconnect(call) },
        ],
        signals: [disconnectedRow])

    static let disconnectedRow = SignalRow(
        name: "Disconnected", arguments: [ArgumentRow("name", "s"), ArgumentRow("message", "s")])

    /// Adds the interface to the device's new object.
    func addBearer(to object: ServedObject) {
        guard adapter.differences.has(.leBearer) else { return }
        let bearer = TypedInterface(Self.bearerTable, of: self)
        self.bearer = bearer
        tree.add(bearer, to: object)
    }

    /// Signals the change of `Connected` in the interface of the bearer.
    func bearerChanged() {
        if let bearer, let object { tree.changed(bearer, of: object, "Connected") }
    }

    /// Sends the signal `Disconnected`, between the changes of `ServicesResolved` and `Connected`.
    func sendDisconnectedSignal(_ reason: SimulatedDisconnectReason) {
        bearerChanged()
        guard adapter.differences.has(.disconnectedSignal) else { return }
        tree.flush()
        let interfaces = bearer == nil ? ["org.bluez.Device1"] : [Self.bearerTable.name, "org.bluez.Device1"]
        for interface in interfaces {
            tree.signal(at: path, interface, "Disconnected") { (body) throws(DBusError) in
                try body.string(reason.name)
                try body.string(reason.text)
            }
        }
    }
}
