import DBus

/// A bus on which the campaign is everybody else. Nothing happens on it by itself: work waits until it is told to
/// ``drain()``, and no time passes but short pauses.
final class FuzzBus: Bus, @unchecked Sendable {
    // Guard: made and used by one thread, that of its campaign.
    private var work: [@Sendable () -> Void] = []
    private var subscriptions: [Int: Subscription] = [:]
    private var waiting: [Int: Waiting] = [:]
    /// What is to be done after a short pause.
    private var pauses: [Int: @Sendable () -> Void] = [:]
    private var number = 0
    private var isDraining = false
    private var isClosed = false
    private let answers: [String: Message]
    /// The methods whose calls wait for the campaign; all others are answered at once.
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

    /// Runs everything that waits, and what that brings.
    func drain() {
        isDraining = true
        while !work.isEmpty {
            let now = work
            work = []
            for item in now { item() }
        }
        isDraining = false
    }

    /// Lets the short pauses that have begun pass. Tells whether there was one.
    func rest() -> Bool {
        let due = pauses.sorted { $0.key < $1.key }
        pauses = [:]
        for (_, action) in due { perform(action) }
        drain()
        return !due.isEmpty
    }

    /// Hands a signal to everybody whose rule it fits. Tells whether there was somebody.
    func deliver(_ signal: Message) -> Bool {
        let fitting = subscriptions.sorted { $0.key < $1.key }.filter { $0.value.rule.matches(signal) }
        for (_, subscription) in fitting { perform { subscription.handler(signal) } }
        drain()
        return !fitting.isEmpty
    }

    /// Whether somebody waits for the answer of a method.
    func isWaiting(for member: String) -> Bool { waiting.values.contains { $0.member == member } }

    /// Answers all who wait for a method, as a connection does. A message that is no answer is told by false; they get
    /// an error then, as at a deadline.
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
        guard delay < .seconds(1) else { return BusTask {} }
        let key = next()
        pauses[key] = work
        return BusTask { [weak self] in self?.pauses[key] = nil }
    }

    func preconditionInContext() { precondition(isDraining, "This is not the bus's context.") }

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
