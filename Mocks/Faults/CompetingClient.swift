public import DBus
import Rx

/// Another client of the same bluetoothd that interferes with the client under test.
/// It does not wait for replies. ``SimulatedBlueZ/competingClient()`` creates it. Faults do not apply to its calls.
public final class CompetingClient: Sendable {
    private let bus: any Bus
    /// Calls that wait until the recorder has the name of this client; nil afterwards.
    private let waiting: Guarded<[Message]?>

    init(_ bus: any Bus, known: @escaping @Sendable (String) -> Void) {
        self.bus = bus
        if let name = (bus as? LoopbackConnection)?.uniqueName {
            waiting = Guarded(nil)
            known(name)
            return
        }
        waiting = Guarded([])
        // A real bus assigns the unique name later. Once the bus replies to any call, the name exists.
        guard
            let question = try? Message.call(
                to: BusName.daemon, path: "/org/freedesktop/DBus", interface: BusName.daemon, member: "GetId")
        else { return }
        bus.call(question, timeout: .seconds(25)) { [weak self] _ in
            if let name = self?.name { known(name) }
            self?.begin()
        }
    }

    /// The unique name of the client, as in ``RecordedCall/sender``; nil until a real bus has assigned it.
    public var name: String? { (bus as? LoopbackConnection)?.uniqueName ?? (bus as? Connection)?.uniqueName }

    /// Calls a method of BlueZ, for example `call("/org/bluez/hci0", "Adapter1.StartDiscovery")`.
    /// Traps if the call is not valid D-Bus.
    public func call(_ path: String, _ method: String, _ arguments: Value...) {
        let parts = method.split(separator: ".")
        guard let path = ObjectPath(path), parts.count == 2,
            let message = try? Message.call(
                to: "org.bluez", path: path,
                interface: (parts[0] == "Properties" ? "org.freedesktop.DBus." : "org.bluez.") + parts[0],
                member: String(parts[1]),
                { (body) throws(DBusError) in
                    for argument in arguments { try body.value(argument) }
                })
        else { preconditionFailure("“\(path) \(method)” is not a call.") }
        let isReady = waiting.withLock { waiting in
            waiting?.append(message)
            return waiting == nil
        }
        if isReady { send(message) }
    }

    private func begin() {
        // Calls that are made while this loop sends also wait, so that they are sent in order.
        while true {
            let messages = waiting.withLock { waiting in
                let messages = waiting ?? []
                waiting = messages.isEmpty ? nil : []
                return messages
            }
            if messages.isEmpty { return }
            for message in messages { send(message) }
        }
    }

    private func send(_ message: Message) { bus.call(message, timeout: .seconds(300)) { _ in } }

    /// Starts a scan on an adapter, optionally with a filter.
    public func startDiscovery(_ filter: [String: Value]? = nil, adapter number: Int = 0) {
        if let filter { call("/org/bluez/hci\(number)", "Adapter1.SetDiscoveryFilter", .properties(filter)) }
        call("/org/bluez/hci\(number)", "Adapter1.StartDiscovery")
    }

    /// Stops the client's scan on an adapter.
    public func stopDiscovery(adapter number: Int = 0) { call("/org/bluez/hci\(number)", "Adapter1.StopDiscovery") }

    /// Connects to a peripheral.
    public func connect(_ address: String, adapter number: Int = 0) {
        call(Self.path(address, number), "Device1.Connect")
    }

    /// Disconnects a peripheral, whichever client connected to it.
    public func disconnect(_ address: String, adapter number: Int = 0) {
        call(Self.path(address, number), "Device1.Disconnect")
    }

    /// Removes a device from the daemon.
    public func remove(_ address: String, adapter number: Int = 0) {
        guard let device = ObjectPath(Self.path(address, number)) else { return }
        call("/org/bluez/hci\(number)", "Adapter1.RemoveDevice", .objectPath(device))
    }

    /// Switches an adapter on or off.
    public func setPower(_ isOn: Bool, adapter number: Int = 0) {
        call(
            "/org/bluez/hci\(number)", "Properties.Set", .string("org.bluez.Adapter1"), .string("Powered"),
            .variant(.bool(isOn)))
    }

    /// Leaves the bus. The client's scans and notify sessions end.
    public func leave() { bus.close() }

    private static func path(_ address: String, _ adapter: Int) -> String {
        let digits = address.uppercased().split(separator: ":").joined(separator: "_")
        return "/org/bluez/hci\(adapter)/dev_\(digits)"
    }
}

extension SimulatedBlueZ {
    /// Connects another client to the bus.
    ///
    /// The client stays on the bus until ``CompetingClient/leave()``, even if no reference to it remains.
    public func competingClient() -> CompetingClient {
        let rival = CompetingClient(anotherConnection()) { [recorder] in recorder.note(rival: $0) }
        keep(rival)
        return rival
    }
}
