import DBus

/// The objects that bluetoothd reads for passive scans: an object manager, and advertisement monitors below it.
///
/// At most two monitors exist: the active one, and one that replaces it as soon as bluetoothd has activated it.
///
/// Source: BlueZ, `advertisement-monitor-api.txt`.
final class MonitorApplication {
    let path: ObjectPath
    private unowned let client: BlueZClient
    private let handler: (Event) -> Void
    /// The monitor that bluetoothd has activated.
    private(set) var active: Monitor?
    /// The monitor that was added last, until bluetoothd has activated it.
    private(set) var added: Monitor?
    /// The number of monitors so far, for their object paths.
    private var count = 0
    private var export: BusTask?

    struct Monitor {
        let path: ObjectPath
        let patterns: Set<AdvertisementPattern>
    }

    /// A call of bluetoothd to a monitor.
    enum Event {
        case activated
        /// The monitor that was added last was released, so bluetoothd does not support it.
        case refused
        /// The active monitor was released.
        case released
        /// A packet of a device matches the active monitor.
        case found(ObjectPath)
    }

    init(_ client: BlueZClient, number: Int, _ handler: @escaping (Event) -> Void) {
        self.client = client
        self.handler = handler
        path = ObjectPath("/rxbluetooth/monitors\(number)") ?? .root
        export = client.export(self, at: path, includingChildren: true, gone: Self.gone) { $0.handle($1) }
    }

    private static let gone = DBusError(name: DBusError.Name.unknownObject, message: "There is no such monitor")

    // MARK: Monitors

    /// Adds a monitor. Signals it, unless bluetoothd reads the application only after this call.
    func add(_ patterns: Set<AdvertisementPattern>, isSignalled: Bool) {
        count += 1
        let monitor = Monitor(path: path.appending("monitor\(count)") ?? path, patterns: patterns)
        added = monitor
        guard isSignalled else { return }
        signal("InterfacesAdded") { (body) throws(DBusError) in
            try body.objectPath(monitor.path)
            try body.value(Self.interfaces(monitor))
        }
    }

    /// Replaces the active monitor by the one that was added last.
    func useAdded() {
        let replaced = active
        active = added
        added = nil
        if let replaced { signalRemoval(of: replaced) }
    }

    func removeAdded() {
        if let added { signalRemoval(of: added) }
        added = nil
    }

    /// Removes all objects without a signal.
    func remove() {
        export?.cancel()
        export = nil
        active = nil
        added = nil
    }

    private func signalRemoval(of monitor: Monitor) {
        signal("InterfacesRemoved") { (body) throws(DBusError) in
            try body.objectPath(monitor.path)
            try body.value(.strings([BlueZ.monitor]))
        }
    }

    private func signal(_ member: String, _ body: (inout MessageWriter) throws(DBusError) -> Void) {
        let signal = try? Message.signal(path: path, interface: BlueZ.objectManager, member: member, body)
        if let signal { client.bus.send(signal) }
    }

    private static func interfaces(_ monitor: Monitor) -> Value {
        .dictionary(
            key: "s", value: "a{sv}", [Value.Entry(.string(BlueZ.monitor), .properties(properties(monitor)))])
    }

    private static func properties(_ monitor: Monitor) -> [String: Value] {
        let patterns = monitor.patterns.sorted {
            ($0.type, $0.offset) == ($1.type, $1.offset)
                ? $0.bytes.lexicographicallyPrecedes($1.bytes) : ($0.type, $0.offset) < ($1.type, $1.offset)
        }
        return [
            "Type": .string("or_patterns"),
            "Patterns": .array(
                of: "(yyay)",
                patterns.map {
                    .structure([.byte(UInt8(clamping: $0.offset)), .byte($0.type), .bytes($0.bytes)])
                }),
        ]
    }

    // MARK: Calls of bluetoothd

    private func handle(_ call: IncomingCall) {
        // Every program on the bus can call the objects, but only calls from bluetoothd are accepted (Q17).
        guard let owner = client.owner, call.message.sender == owner else {
            return call.fail(
                DBusError(name: DBusError.Name.accessDenied, message: "Only bluetoothd may use this monitor"))
        }
        let monitors = [active, added].compactMap { $0 }
        if call.message.path == path, call.message.member == "GetManagedObjects" {
            return call.reply { (body) throws(DBusError) in
                try body.value(
                    .dictionary(
                        key: "o", value: "a{sa{sv}}",
                        monitors.map { Value.Entry(.objectPath($0.path), Self.interfaces($0)) }))
            }
        }
        guard let monitor = monitors.first(where: { $0.path == call.message.path }) else { return call.fail(Self.gone) }
        let isActive = monitor.path == active?.path
        switch call.message.member {
        case "GetAll":
            call.reply { (body) throws(DBusError) in try body.properties(Self.properties(monitor)) }
        case "Activate":
            call.reply()
            if !isActive { handler(.activated) }
        case "Release":
            call.reply()
            handler(isActive ? .released : .refused)
        case "DeviceFound":
            call.reply()
            let device = try? call.message.read { (body) throws(DBusError) in try body.objectPath() }
            if isActive, let device { handler(.found(device)) }
        case "DeviceLost": call.reply()
        default: call.fail(DBusError(name: DBusError.Name.unknownMethod, message: "No such method of a monitor"))
        }
    }
}
