import DBus
import Rx

/// Where each call comes in before the daemon sees it: it is written down, and rules may make it go wrong.
///
/// It lives in the bus's context and outlives the daemon, so that rules count on.
final class CallInterceptor {
    let recorder: Recorder
    let quirks: Set<Quirk>
    let propertyRemover: PropertyRemover
    weak var simulation: SimulatedBlueZ?
    private var rules: [ActiveFault] = []
    /// How many calls of each client wait for an answer.
    private var waiting: [String: Int] = [:]

    /// A fault while it is in force.
    final class ActiveFault {
        let fault: Fault
        private var count = 0
        /// The answer that waits for the next one. Behind a lock, for answers of two lives of the daemon may meet here.
        private let held = Guarded<(@Sendable () -> Void)?>(nil)

        init(_ fault: Fault) { self.fault = fault }

        func acts(on call: RecordedCall) -> Bool {
            guard fault.pattern.matches(call) else { return false }
            count += 1
            return fault.calls.contains(count)
        }

        /// Leaves an answer to wait for the next one; gives the one that waits already, which is then free.
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

    /// Takes a call. `answer` is how the daemon deals with it.
    func take(
        _ call: IncomingCall, on bus: any Bus, of environment: DaemonEnvironment, _ answer: (IncomingCall) -> Void
    ) {
        let (recorded, refusal) = recorder.record(call.message)
        let path = ReplyInterceptor(call.message, recorded.number, on: bus, interceptor: self)
        let call = IncomingCall(call.message, on: path)
        if let refusal { return call.fail(refusal) }
        if !call.message.noReplyExpected { waiting[recorded.sender, default: 0] += 1 }
        // Rivals only make trouble; they do not get into any.
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

    /// An answer goes out.
    func answered(_ number: Int, of client: String, with message: Message) {
        recorder.answered(number, with: message)
        if let left = waiting[client] { waiting[client] = left > 1 ? left - 1 : nil }
    }
}
