import DBus
import Rx

/// Every call that clients made to the simulated bluetoothd, in order, with the answers. Any thread may ask.
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

    /// All calls since the beginning or the last ``clear()``, those of rivals too.
    public var calls: [RecordedCall] { state.withLock { $0.calls } }

    /// Forgets all calls so far.
    public func clear() {
        state.withLock { $0.calls = [] }
    }

    /// Strict from now on: a call that fits none of the patterns is answered `org.freedesktop.DBus.Error.NotSupported`, and
    /// `fail` gets a text with its sender, path, method and arguments, to fail the test with; for example
    /// `{ Issue.record(Comment(rawValue: $0)) }`. Calls of rivals are always allowed.
    public func expectOnly(_ allowed: [CallPattern], otherwise fail: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.script = Script(allowed: allowed, fail: fail) }
    }

    /// Ends the strict mode.
    public func expectAnything() {
        state.withLock { $0.script = nil }
    }

    // MARK: What the daemon tells

    func note(rival name: String) {
        state.withLock { _ = $0.rivals.insert(name) }
    }

    /// Writes a call down. With it comes why it is refused, where the script does not have it.
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

/// Short questions for assertions. They leave the calls of rivals out unless `sender` names one.
extension Recorder {
    /// The calls that fit a pattern, of one sender or of all clients.
    public func calls(_ pattern: CallPattern, from sender: String? = nil) -> [RecordedCall] {
        calls.filter { call in
            pattern.matches(call) && (sender == nil ? !call.isFromCompetingClient : call.sender == sender)
        }
    }

    /// How many calls fit a pattern.
    public func count(_ pattern: CallPattern, from sender: String? = nil) -> Int { calls(pattern, from: sender).count }

    /// The calls of `pattern` that came after a call of `other` had failed, by the same client to the same object.
    /// An empty answer also where none of `other` failed: assert that as well.
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

    /// The calls that have not been answered so far.
    public var unanswered: [RecordedCall] { calls("*").filter { $0.answered == nil } }
}
