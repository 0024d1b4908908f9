import DBus
import Rx

/// Receives each call before the daemon does: records it and applies the faults that match.
///
/// It belongs to the bus's context and outlives the daemon, so faults keep counting calls across restarts.
final class CallInterceptor {
    let recorder: Recorder
    let quirks: Set<Quirk>
    let propertyRemover: PropertyRemover
    weak var simulation: SimulatedBlueZ?
    private var rules: [ActiveFault] = []
    /// The number of unanswered calls of each client.
    private var waiting: [String: Int] = [:]

    /// A fault that is in force.
    final class ActiveFault {
        let fault: Fault
        private var count = 0
        /// The stored reply that waits for the next reply.
        ///
        /// It is locked, because the two replies can be of two daemon runs, which have different contexts.
        private let held = Guarded<(@Sendable () -> Void)?>(nil)

        init(_ fault: Fault) { self.fault = fault }

        func acts(on call: RecordedCall) -> Bool {
            guard fault.pattern.matches(call) else { return false }
            count += 1
            return fault.calls.contains(count)
        }

        /// Stores the reply and returns nil, or removes and returns the reply that was stored before.
        func swap(with answer: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
            held.withLock { held in
                defer { held = held == nil ? answer : nil }
                return held
            }
        }
    }

    init(_ scenario: Scenario, recorder: Recorder) {
        self.recorder = recorder
        quirks = scenario.quirks
        propertyRemover = PropertyRemover(scenario.quirks)
        rules = scenario.faults.map(ActiveFault.init)
    }

    func add(_ fault: Fault) { rules.append(ActiveFault(fault)) }

    func removeAll() { rules = [] }

    /// Records a call, applies the matching faults, and passes the call to the daemon by `answer`.
    func take(
        _ call: IncomingCall, on bus: any Bus, of environment: DaemonEnvironment, _ answer: (IncomingCall) -> Void
    ) {
        let (recorded, refusal) = recorder.record(call.message)
        let path = ReplyInterceptor(call.message, recorded.number, on: bus, interceptor: self)
        let call = IncomingCall(call.message, on: path)
        if let refusal { return call.fail(refusal) }
        if !call.message.noReplyExpected { waiting[recorded.sender, default: 0] += 1 }
        // Faults do not apply to competing clients.
        let acting = recorded.isFromCompetingClient ? [] : rules.filter { $0.acts(on: recorded) }
        guard !acting.isEmpty else { return answer(call) }
        var error: DBusError?
        for rule in acting {
            switch rule.fault.effect.kind {
            case .late(let delay): path.delay += delay
            case .never: path.copies = 0
            case .lost: return
            case .twice: path.copies = 2
            case .swapped: path.rule = rule
            case .error(let given): error = error ?? given
            case .errorAfterwards(let given): path.replacement = given
            case .refused(let reason):
                let links = environment.radio.deviceStates.count { $0.link != nil }
                error = error ?? reason(.init(links: links, waiting: waiting[recorded.sender] ?? 0))
            case .meanwhile: break
            }
        }
        if let error { call.fail(error) } else { answer(call) }
        for rule in acting {
            guard case .meanwhile(let delay, let event) = rule.fault.effect.kind, let simulation else { continue }
            simulation.after(delay) { event($0, recorded) }
        }
    }

    /// Records a reply when it is sent, and counts the call as answered.
    func answered(_ number: Int, of client: String, with message: Message) {
        recorder.answered(number, with: message)
        if let left = waiting[client] { waiting[client] = left > 1 ? left - 1 : nil }
    }
}
