import DBus
import Rx
import Testing

/// A client of a served simulation that speaks raw D-Bus: it calls, and waits for signals.
final class BusClient: Sendable {
    private let connection: Connection
    private let heard = Guarded(Heard())

    private struct Heard {
        var lines: [String] = []
        var waiting: (parts: [String], continuation: CheckedContinuation<String, Never>)?
    }

    init(_ address: String, hearing sender: String = "org.bluez") {
        connection = Connection.open(.address(address))
        _ = connection.subscribe(MatchRule(sender: sender)) { [weak self] in self?.hear($0) }
    }

    deinit { connection.close() }

    private func hear(_ signal: Message) {
        let values = (try? signal.read { (body) throws(DBusError) in try body.values() }) ?? []
        let line = "\(signal.path?.description ?? "") \(signal.member ?? "") \(values)"
        let waiting = heard.withLock { heard -> CheckedContinuation<String, Never>? in
            guard let waiting = heard.waiting, waiting.parts.allSatisfy(line.contains) else {
                heard.lines.append(line)
                return nil
            }
            heard.waiting = nil
            return waiting.continuation
        }
        waiting?.resume(returning: line)
    }

    /// What was heard and not waited for.
    var lines: [String] { heard.withLock { $0.lines } }

    /// The next signal with all of this in it; what came before is passed over. An issue and nothing where none comes in a minute.
    @discardableResult
    func signal(_ parts: String...) async -> String {
        let limit = connection.schedule(after: .seconds(280)) { [weak self] in self?.giveUp() }
        defer { limit.cancel() }
        return await withCheckedContinuation { continuation in
            let line = heard.withLock { heard -> String? in
                guard let place = heard.lines.firstIndex(where: { parts.allSatisfy($0.contains) }) else {
                    heard.lines = []
                    heard.waiting = (parts, continuation)
                    return nil
                }
                defer { heard.lines.removeFirst(place + 1) }
                return heard.lines[place]
            }
            if let line { continuation.resume(returning: line) }
        }
    }

    private func giveUp() {
        let waiting = heard.withLock { heard in
            defer { heard.waiting = nil }
            return heard.waiting
        }
        guard let waiting else { return }
        Issue.record("No signal with \(waiting.parts) came within a minute.")
        waiting.continuation.resume(returning: "")
    }

    /// Calls a method, and gives “ok” with the values, or the error's last word with its text.
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
        // Through a lock, for the thread sanitizer does not see what a continuation hands over that is resumed before it is
        // awaited.
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

    /// All objects, as a text.
    func objects() async throws -> String {
        try await call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects")
    }

    /// Scans until a device is there.
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
