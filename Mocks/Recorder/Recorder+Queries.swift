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
