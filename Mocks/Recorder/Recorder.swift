import DBus
import Rx

/// Records every call of clients to the simulated bluetoothd, in order, with its reply. Thread-safe.
///
///     #expect(simulation.recorder.count("StartDiscovery") == 1)
///     #expect(simulation.recorder.calls("Device1.Disconnect", afterFailed: "Device1.Connect").isEmpty)
public final class Recorder: Sendable {
    private struct State {
        var calls: [RecordedCall] = []
        var count = 0
        var rivals: Set<String> = []
        var script: Script?
    }

    private struct Script {
        let allowed: [CallPattern]
        let fail: @Sendable (String) -> Void
    }

    private let state = Guarded(State())
    private let now: @Sendable () -> Duration

    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// All calls since the beginning or the last ``clear()``, including those of competing clients.
    public var calls: [RecordedCall] { state.withLock { $0.calls } }

    /// Deletes all recorded calls.
    public func clear() {
        state.withLock { $0.calls = [] }
    }

    /// Turns the strict mode on.
    ///
    /// Calls that match no pattern fail with `org.freedesktop.DBus.Error.NotSupported`.
    /// `fail` is called with a text that contains sender, path, method and arguments, for example
    /// `{ Issue.record(Comment(rawValue: $0)) }`. Calls of competing clients are always allowed.
    public func expectOnly(_ allowed: [CallPattern], otherwise fail: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.script = Script(allowed: allowed, fail: fail) }
    }

    /// Turns the strict mode off.
    public func expectAnything() {
        state.withLock { $0.script = nil }
    }

    // MARK: Recording

    func note(rival name: String) {
        state.withLock { _ = $0.rivals.insert(name) }
    }

    /// Records a call. Also returns an error if the strict mode rejects the call.
    func record(_ message: Message) -> (call: RecordedCall, refusal: DBusError?) {
        let arguments = (try? message.read { (body) throws(DBusError) in try body.values() }) ?? []
        let time = now()
        let (call, script) = state.withLock { state in
            let sender = message.sender ?? ""
            let call = RecordedCall(
                number: state.count, sender: sender, path: message.path?.description ?? "",
                interface: message.interface ?? "", member: message.member ?? "", arguments: arguments, time: time,
                isFromCompetingClient: state.rivals.contains(sender))
            state.calls.append(call)
            state.count += 1
            return (call, state.script)
        }
        guard let script, !call.isFromCompetingClient, !script.allowed.contains(where: { $0.matches(call) }) else {
            return (call, nil)
        }
        let text = "Unscripted call of \(call.sender): \(call.withArguments)"
        script.fail(text)
        return (call, DBusError(name: "org.freedesktop.DBus.Error.NotSupported", message: text))
    }

    func answered(_ number: Int, with message: Message) {
        let answer: RecordedCall.Reply =
            if let error = message.error {
                .error(error)
            } else {
                .values((try? message.read { (body) throws(DBusError) in try body.values() }) ?? [])
            }
        let time = now()
        state.withLock { state in
            guard let first = state.calls.first?.number, number >= first else { return }
            state.calls[number - first].answer = answer
            state.calls[number - first].answered = time
            state.calls[number - first].next = state.count
        }
    }
}

/// Queries for assertions. They omit calls of competing clients, unless `sender` is a competing client.
extension Recorder {
    /// Returns the calls that match a pattern, of one sender or of all clients.
    public func calls(_ pattern: CallPattern, from sender: String? = nil) -> [RecordedCall] {
        calls.filter { call in
            pattern.matches(call) && (sender == nil ? !call.isFromCompetingClient : call.sender == sender)
        }
    }

    /// Returns the number of calls that match a pattern.
    public func count(_ pattern: CallPattern, from sender: String? = nil) -> Int { calls(pattern, from: sender).count }

    /// Returns the calls of `pattern` after a failed call of `other` by the same client to the same object.
    ///
    /// The result is also empty if no call of `other` failed, so check in the test that one failed.
    public func calls(_ pattern: CallPattern, afterFailed other: CallPattern) -> [RecordedCall] {
        let failures = calls(other).filter(\.hasFailed)
        return calls(pattern).filter { call in
            failures.contains { failure in
                failure.sender == call.sender && failure.path == call.path
                    && failure.next.map { $0 <= call.number } == true
            }
        }
    }

    /// The calls that failed.
    public var failures: [RecordedCall] { calls("*").filter(\.hasFailed) }

    /// The calls without a reply.
    public var unanswered: [RecordedCall] { calls("*").filter { $0.answered == nil } }
}
