import DBus

/// A bus on which a fuzzing campaign takes the roles of bluetoothd and of the message bus.
///
/// Work that is passed to the bus runs in ``drain()``. Time does not pass, except that ``rest()`` ends short delays and
/// ``expire()`` ends the others.
final class FuzzBus: Bus, @unchecked Sendable {
    // Guard: only the thread of the campaign uses it.
    private var work: [@Sendable () -> Void] = []
    private var subscriptions: [Int: Subscription] = [:]
    private var waiting: [Int: Waiting] = [:]
    /// The work that is scheduled after a short delay.
    private var pauses: [Int: @Sendable () -> Void] = [:]
    /// The work that is scheduled after a longer delay.
    private var deadlines: [Int: @Sendable () -> Void] = [:]
    private var number = 0
    private var isDraining = false
    private var isClosed = false
    private let answers: [String: Message]
    /// The methods with calls that the campaign answers. All other calls get immediate replies.
    var held: Set<String> = []

    private struct Subscription {
        let rule: MatchRule
        let handler: @Sendable (Message) -> Void
    }

    private struct Waiting {
        let member: String
        let reply: @Sendable (Result<Message, DBusError>) -> Void
    }

    init(_ answers: [String: Message]) { self.answers = answers }

    var clock: BusClock { .monotonic }

    /// Runs all waiting work, and the work that results from it.
    func drain() {
        isDraining = true
        while !work.isEmpty {
            let now = work
            work = []
            for item in now { item() }
        }
        isDraining = false
    }

    /// Ends all short delays and runs their work. Returns whether there was a delay.
    func rest() -> Bool {
        let due = pauses.sorted { $0.key < $1.key }
        pauses = [:]
        for (_, action) in due { perform(action) }
        drain()
        return !due.isEmpty
    }

    /// Ends all longer delays and runs their work.
    func expire() {
        let due = deadlines.sorted { $0.key < $1.key }
        deadlines = [:]
        for (_, action) in due { perform(action) }
        drain()
    }

    /// Delivers a signal to the matching subscriptions. Returns whether there was a matching one.
    func deliver(_ signal: Message) -> Bool {
        let matching = subscriptions.sorted { $0.key < $1.key }.filter { $0.value.rule.matches(signal) }
        for (_, subscription) in matching { perform { subscription.handler(signal) } }
        drain()
        return !matching.isEmpty
    }

    /// Returns whether a call of this method waits for its answer.
    func isWaiting(for member: String) -> Bool { waiting.values.contains { $0.member == member } }

    /// Answers all waiting calls of a method. Returns whether the message is a reply or an error.
    ///
    /// With any other message, the calls fail as they would at their deadline.
    func answer(_ member: String, _ message: Message) -> Bool {
        let isAnswer = message.kind == .reply || message.kind == .error
        let result: Result<Message, DBusError> =
            isAnswer ? message.error.map { .failure($0) } ?? .success(message) : .failure(.noReply("No reply came."))
        for (key, call) in waiting.sorted(by: { $0.key < $1.key }) where call.member == member {
            waiting[key] = nil
            perform { call.reply(result) }
        }
        drain()
        return isAnswer
    }

    private func next() -> Int {
        number += 1
        return number
    }

    // MARK: Bus

    func perform(_ work: @escaping @Sendable () -> Void) {
        if !isClosed { self.work.append(work) }
    }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        let key = next()
        guard delay < .seconds(1) else {
            deadlines[key] = work
            return BusTask { [weak self] in self?.deadlines[key] = nil }
        }
        pauses[key] = work
        return BusTask { [weak self] in self?.pauses[key] = nil }
    }

    func preconditionInContext() { precondition(isDraining, "This must run in the bus's context.") }

    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        let (key, member) = (next(), message.member ?? "")
        waiting[key] = Waiting(member: member, reply: reply)
        if !held.contains(member), let answer = answers[member] ?? answers[""] {
            perform { [weak self] in self?.waiting.removeValue(forKey: key)?.reply(.success(answer)) }
        }
        return BusTask { [weak self] in self?.waiting[key] = nil }
    }

    func send(_ message: Message) {}

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        let key = next()
        subscriptions[key] = Subscription(rule: rule, handler: handler)
        return BusTask { [weak self] in self?.subscriptions[key] = nil }
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask { BusTask {} }

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {}

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask { BusTask {} }

    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask { BusTask {} }

    func close() {
        isClosed = true
        work = []
        subscriptions = [:]
        waiting = [:]
        pauses = [:]
    }
}
