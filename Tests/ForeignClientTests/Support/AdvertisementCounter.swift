import DBus
import Synchronization

/// A D-Bus client that counts advertisements and does nothing else.
///
/// The counter stops the scan and waits for the reply. All advertisements arrive before that reply, so the count is
/// exact.
final class AdvertisementCounter: Sendable {
    struct Counts {
        /// The number of advertisements of each device.
        var byDevice: [ObjectPath: Int] = [:]
        /// The time from the reply to `StartDiscovery` to the last wanted one; 20 s if some are missing.
        var time = Duration.seconds(20)

        var count: Int { byDevice.values.reduce(0, +) }
    }

    private struct State {
        var counts = Counts()
        var count = 0
        var begin = ContinuousClock.now
        var isStopping = false
        var ended: (@Sendable (Result<Counts, DBusError>) -> Void)?
    }

    private let bus: Connection
    private let wanted: Int
    private let state = Mutex(State())

    private init(_ bus: Connection, wanted: Int) {
        self.bus = bus
        self.wanted = wanted
    }

    /// Scans on a bus until `wanted` advertisements arrive, or for 20 s, and returns the counts.
    static func count(_ wanted: Int, at address: String) async throws -> Counts {
        let bus = Connection.open(.address(address))
        defer { bus.close() }
        let counter = AdvertisementCounter(bus, wanted: wanted)
        let result = await withCheckedContinuation { continuation in
            counter.start { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private func start(_ ended: @escaping @Sendable (Result<Counts, DBusError>) -> Void) {
        state.withLock { $0.ended = ended }
        bus.schedule(after: .seconds(20)) { [self] in stop() }
        _ = bus.subscribe(
            MatchRule(
                sender: "org.bluez", interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
                path: "/org/bluez/hci0", includesChildren: true)
        ) { [self] signal in
            guard let path = signal.path, path.name.hasPrefix("dev_"), Self.isAdvertisement(signal) else { return }
            countAdvertisement(of: path)
        }
        _ = bus.subscribe(
            MatchRule(
                sender: "org.bluez", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded")
        ) { [self] signal in
            let path = try? signal.read { (body) throws(DBusError) in try body.objectPath() }
            if let path, path.name.hasPrefix("dev_") { countAdvertisement(of: path) }
        }
        let filter = Value.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])
        call("SetDiscoveryFilter", [filter]) { [self] in
            call("StartDiscovery") { [self] in state.withLock { $0.begin = .now } }
        }
    }

    /// Returns whether a signal is an advertisement.
    ///
    /// The signals at the end of a scan are none: they only invalidate the RSSI.
    private static func isAdvertisement(_ signal: Message) -> Bool {
        let body = try? signal.read { (body) throws(DBusError) in try body.values() }
        guard let body, body.count == 3, case .dictionary(_, _, let changes) = body[1] else { return false }
        return changes.contains { $0.key == .string("ManufacturerData") }
    }

    private func countAdvertisement(of path: ObjectPath) {
        let isLast = state.withLock { state in
            state.counts.byDevice[path, default: 0] += 1
            state.count += 1
            guard state.count == wanted else { return false }
            state.counts.time = .now - state.begin
            return true
        }
        if isLast { stop() }
    }

    private func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        if isFirst { call("StopDiscovery") { [self] in end(.success(state.withLock { $0.counts })) } }
    }

    private func call(_ method: String, _ arguments: [Value] = [], _ done: @escaping @Sendable () -> Void) {
        let message = Result { () throws(DBusError) in
            try Message.call(to: "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.Adapter1", member: method)
            {
                (body) throws(DBusError) in
                for argument in arguments { try body.value(argument) }
            }
        }
        switch message {
        case .failure(let error): end(.failure(error))
        case .success(let message):
            bus.call(message, timeout: .seconds(30)) { [self] reply in
                switch reply {
                case .success: done()
                case .failure(let error): end(.failure(error))
                }
            }
        }
    }

    private func end(_ result: Result<Counts, DBusError>) {
        let ended = state.withLock { state in
            defer { state.ended = nil }
            return state.ended
        }
        ended?(result)
    }
}
