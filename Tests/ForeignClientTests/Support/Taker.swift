import DBus
import Synchronization

/// A client that takes every advertisement and does nothing else: how many there were is known to it exactly.
///
/// It stops the scan itself and waits for the answer. What the daemon sent before comes before, so that then nothing is under way.
final class Taker: Sendable {
    struct Taken {
        /// How many advertisements came from each device.
        var byDevice: [ObjectPath: Int] = [:]
        /// From the answer to `StartDiscovery` to the last of as many as were wanted; 20 s where they did not come.
        var time = Duration.seconds(20)

        var count: Int { byDevice.values.reduce(0, +) }
    }

    private struct State {
        var taken = Taken()
        var count = 0
        var begin = ContinuousClock.now
        var isStopping = false
        var ended: (@Sendable (Result<Taken, DBusError>) -> Void)?
    }

    private let bus: Connection
    private let wanted: Int
    private let state = Mutex(State())

    private init(_ bus: Connection, wanted: Int) {
        self.bus = bus
        self.wanted = wanted
    }

    /// Scans at the bus at this address until so many advertisements have come, or 20 seconds have passed.
    static func take(_ wanted: Int, at address: String) async throws -> Taken {
        let bus = Connection.open(.address(address))
        defer { bus.close() }
        let taker = Taker(bus, wanted: wanted)
        let result = await withCheckedContinuation { continuation in taker.start { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private func start(_ ended: @escaping @Sendable (Result<Taken, DBusError>) -> Void) {
        state.withLock { $0.ended = ended }
        bus.schedule(after: .seconds(20)) { [self] in stop() }
        _ = bus.subscribe(
            MatchRule(
                sender: "org.bluez", interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
                path: "/org/bluez/hci0", includesChildren: true)
        ) { [self] signal in
            guard let path = signal.path, path.name.hasPrefix("dev_"), Self.isAdvertisement(signal) else { return }
            took(path)
        }
        _ = bus.subscribe(
            MatchRule(
                sender: "org.bluez", interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded")
        ) { [self] signal in
            let path = try? signal.read { (body) throws(DBusError) in try body.objectPath() }
            if let path, path.name.hasPrefix("dev_") { took(path) }
        }
        let filter = Value.properties(["Transport": .string("le"), "DuplicateData": .bool(true)])
        call("SetDiscoveryFilter", [filter]) { [self] in
            call("StartDiscovery") { [self] in state.withLock { $0.begin = .now } }
        }
    }

    /// Not so are the changes with which a scan ends: they take the strength away.
    private static func isAdvertisement(_ signal: Message) -> Bool {
        let body = try? signal.read { (body) throws(DBusError) in try body.values() }
        guard let body, body.count == 3, case .dictionary(_, _, let changes) = body[1] else { return false }
        return changes.contains { $0.key == .string("ManufacturerData") }
    }

    private func took(_ path: ObjectPath) {
        let isLast = state.withLock { state in
            state.taken.byDevice[path, default: 0] += 1
            state.count += 1
            guard state.count == wanted else { return false }
            state.taken.time = .now - state.begin
            return true
        }
        if isLast { stop() }
    }

    private func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        if isFirst { call("StopDiscovery") { [self] in end(.success(state.withLock { $0.taken })) } }
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
            bus.call(message, timeout: .seconds(30)) { [self] answer in
                switch answer {
                case .success: done()
                case .failure(let error): end(.failure(error))
                }
            }
        }
    }

    private func end(_ result: Result<Taken, DBusError>) {
        let ended = state.withLock { state in
            defer { state.ended = nil }
            return state.ended
        }
        ended?(result)
    }
}
