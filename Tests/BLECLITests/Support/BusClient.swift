import DBus
import Rx
import Testing

/// A raw D-Bus client of a served simulation. It calls methods and waits for signals.
final class BusClient: Sendable {
    private let connection: Connection
    private let received = Guarded(Received())

    private struct Received {
        var lines: [String] = []
        var waiting: (parts: [String], continuation: CheckedContinuation<String, Never>)?
    }

    init(_ address: String, from sender: String = "org.bluez") {
        connection = Connection.open(.address(address))
        _ = connection.subscribe(MatchRule(sender: sender)) { [weak self] in self?.receive($0) }
    }

    deinit { connection.close() }

    private func receive(_ signal: Message) {
        let values = (try? signal.read { (body) throws(DBusError) in try body.values() }) ?? []
        let line = "\(signal.path?.description ?? "") \(signal.member ?? "") \(values)"
        let waiting = received.withLock { received -> CheckedContinuation<String, Never>? in
            guard let waiting = received.waiting, waiting.parts.allSatisfy(line.contains) else {
                received.lines.append(line)
                return nil
            }
            received.waiting = nil
            return waiting.continuation
        }
        waiting?.resume(returning: line)
    }

    /// The received signals that no call of ``signal(_:)`` has returned or skipped.
    var lines: [String] { received.withLock { $0.lines } }

    /// Waits for the next signal that contains all parts, and skips earlier signals.
    ///
    /// Records an issue if no such signal arrives within 280 s.
    @discardableResult
    func signal(_ parts: String...) async -> String {
        let limit = connection.schedule(after: .seconds(280)) { [weak self] in self?.timeOut() }
        defer { limit.cancel() }
        return await withCheckedContinuation { continuation in
            let line = received.withLock { received -> String? in
                guard let place = received.lines.firstIndex(where: { parts.allSatisfy($0.contains) }) else {
                    received.lines = []
                    received.waiting = (parts, continuation)
                    return nil
                }
                defer { received.lines.removeFirst(place + 1) }
                return received.lines[place]
            }
            if let line { continuation.resume(returning: line) }
        }
    }

    private func timeOut() {
        let waiting = received.withLock { received in
            defer { received.waiting = nil }
            return received.waiting
        }
        guard let waiting else { return }
        Issue.record("No signal with \(waiting.parts) arrived within a minute.")
        waiting.continuation.resume(returning: "")
    }

    /// Calls a method. Returns “ok” with the values, or the error text after the last part of its name.
    @discardableResult
    func call(
        _ path: String, _ method: String, _ arguments: Value..., timeout: Duration = .seconds(120)
    ) async throws -> String {
        let (interface, member) = try #require(Self.parts(method))
        let message = try Message.call(
            to: "org.bluez", path: try #require(ObjectPath(path)), interface: interface, member: member
        ) { (body) throws(DBusError) in
            for argument in arguments { try body.value(argument) }
        }
        // The reply is passed through a lock: the thread sanitizer reports a false race for the value of a continuation
        // that is resumed before it is awaited.
        let answer = Guarded<Result<Message, DBusError>?>(nil)
        await withCheckedContinuation { continuation in
            _ = connection.call(message, timeout: timeout) { result in
                answer.withLock { $0 = result }
                continuation.resume()
            }
        }
        switch try #require(answer.withLock { $0 }) {
        case .success(let reply):
            let values = try reply.read { (body) throws(DBusError) in try body.values() }
            return (["ok"] + values.map { "\($0)" }).joined(separator: " ")
        case .failure(let error): return "\(error.name.split(separator: ".").last ?? ""): \(error.message)"
        }
    }

    /// Returns all objects of the simulation as text.
    func objects() async throws -> String {
        try await call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects")
    }

    /// Scans until a device appears.
    func find(_ device: String) async throws {
        try await call(
            "/org/bluez/hci0", "org.bluez.Adapter1.SetDiscoveryFilter",
            .properties(["Transport": .string("le"), "DuplicateData": .bool(true)]))
        try await call("/org/bluez/hci0", "org.bluez.Adapter1.StartDiscovery")
        await signal(device)
    }

    private static func parts(_ method: String) -> (String, String)? {
        guard let dot = method.lastIndex(of: ".") else { return nil }
        return (String(method[..<dot]), String(method[method.index(after: dot)...]))
    }
}
