/// Delivers signals to subscriptions, and adds and removes their match rules on the bus.
///
/// Signals contain the unique name of their sender, so the router tracks the owners of well-known names in the rules.
final class SignalRouter: @unchecked Sendable {
    // Guard: only the event loop uses the variables.
    private let loop: EventLoop
    private let lifecycle: ConnectionLifecycle
    private let connection: RawConnection
    private let calls: CallTable
    private var subscriptions: [SubscriptionEntry] = []
    /// The number of subscriptions and tracked owners that use each rule.
    private var rules: [MatchRule: Int] = [:]
    private var owners = NameOwnerTable()
    /// A subscription with what decides quickly that a signal does not match.
    private struct SubscriptionEntry {
        let member: MemberKey
        let subscription: SignalSubscription
    }

    init(_ loop: EventLoop, _ lifecycle: ConnectionLifecycle, _ connection: RawConnection, _ calls: CallTable) {
        self.loop = loop
        self.lifecycle = lifecycle
        self.connection = connection
        self.calls = calls
    }

    // MARK: Subscriptions

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        do throws(DBusError) { _ = try rule.text() } catch { preconditionFailure(error.message) }
        let subscription = SignalSubscription(rule, handler)
        loop.enter {
            guard !self.lifecycle.state.isClosed, !subscription.isEnded else { return }
            self.subscriptions.append(
                SubscriptionEntry(member: MemberKey(of: rule.member), subscription: subscription))
            if self.lifecycle.state.isOpen { self.register(subscription) }
        }
        return BusTask {
            guard subscription.end() else { return }
            self.loop.enter { self.unsubscribe(subscription) }
        }
    }

    private func register(_ subscription: SignalSubscription) {
        guard !subscription.isRegistered else { return }
        subscription.isRegistered = true
        if !subscription.namesSender {
            // Requests the owner before the rule is sent, so that the owner is known when the first signal arrives.
            subscription.owner = followOwner(of: subscription.rule.sender)
        }
        addRule(subscription.rule)
    }

    private func unsubscribe(_ subscription: SignalSubscription) {
        let handler = subscription.handler
        subscription.handler = nil
        // Releasing the handler may run code that calls back into the router, so the handler is released last.
        defer { withExtendedLifetime(handler) {} }
        guard let index = subscriptions.firstIndex(where: { $0.subscription === subscription }) else { return }
        subscriptions.remove(at: index)
        guard subscription.isRegistered, lifecycle.state.isOpen else { return }
        removeRule(subscription.rule)
        if !subscription.namesSender { unfollowOwner(of: subscription.rule.sender) }
    }

    // MARK: Delivery

    func receive(_ signal: Message) {
        guard !subscriptions.isEmpty else { return }
        let header = SignalHeader(signal)
        let member = header.memberKey
        if member == Self.ownerChange { updateOwner(signal) }
        // Iterates over a copy, because handlers may subscribe and cancel.
        let subscriptions = subscriptions
        for entry in subscriptions where entry.member.mayEqual(member) {
            let subscription = entry.subscription
            if subscription.matches(signal, header), !subscription.isEnded { subscription.handler?(signal) }
        }
    }

    private static let ownerChange = MemberKey(of: "NameOwnerChanged")

    // MARK: Match rules

    private func addRule(_ rule: MatchRule) {
        let count = rules[rule, default: 0]
        rules[rule] = count + 1
        if count == 0 { send("AddMatch", rule) }
    }

    private func removeRule(_ rule: MatchRule) {
        guard let count = rules[rule] else { return }
        rules[rule] = count == 1 ? nil : count - 1
        if count == 1 { send("RemoveMatch", rule) }
    }

    // Q18: `AddMatch` needs no reply, because the bus handles messages in order, so the rule precedes later calls.
    private func send(_ member: String, _ rule: MatchRule) {
        guard let text = try? rule.text(),
            let message = try? Message.toBus(member, { (body) throws(DBusError) in try body.string(text) })
        else { return }
        message.suppressReply()
        _ = connection.send(message)
    }

    // MARK: Owners of names

    private static func ownerChanges(of name: String) -> MatchRule {
        MatchRule(sender: BusName.daemon, interface: BusName.daemon, member: "NameOwnerChanged", firstArgument: name)
    }

    private func followOwner(of name: String) -> NameOwner {
        let (owner, isNew) = owners.retain(name)
        guard isNew else { return owner }
        addRule(Self.ownerChanges(of: name))
        calls.callBus("GetNameOwner", name) { [weak owner] result in
            owner?.uniqueName = try? result.get().read { (body) throws(DBusError) in try body.string() }
        }
        return owner
    }

    private func unfollowOwner(of name: String) {
        if owners.release(name) { removeRule(Self.ownerChanges(of: name)) }
    }

    /// Updates the owner of a well-known name if `signal` is `NameOwnerChanged`.
    ///
    /// The bus sends this signal after all messages of the old owner and before those of the new owner.
    private func updateOwner(_ signal: Message) {
        guard signal.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), signal.isSent(by: BusName.daemon) else {
            return
        }
        _ = try? signal.read { (body) throws(DBusError) in
            let name = try body.string()
            guard let owner = owners[name] else { return }
            body.skip()
            let new = try body.string()
            owner.uniqueName = new.isEmpty ? nil : new
        }
    }

    // MARK: Opening and closing

    /// Sends the rules of subscriptions that were made while the connection was opening.
    func open() {
        for entry in subscriptions { register(entry.subscription) }
    }

    /// Ends all subscriptions.
    func close() {
        let subscriptions = subscriptions
        self.subscriptions = []
        (rules, owners) = ([:], NameOwnerTable())
        for entry in subscriptions {
            entry.subscription.end()
            entry.subscription.handler = nil
        }
    }
}

/// A match rule and the handler of its signals.
private final class SignalSubscription: EndFlag, @unchecked Sendable {
    // Guard: only the event loop uses the variables after `init`.
    let rule: MatchRule
    /// The tracked owner of the rule's well-known name; nil if ``namesSender`` is true.
    var owner: NameOwner?
    var handler: (@Sendable (Message) -> Void)?
    /// Whether the rule was sent to the bus.
    var isRegistered = false
    private let interface: CText?
    private let member: CText?
    private let path: CText?
    private let sender: CText
    private let hasArguments: Bool

    init(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) {
        self.rule = rule
        self.handler = handler
        interface = rule.interface.map(CText.init)
        member = rule.member.map(CText.init)
        path = rule.path.map { CText($0.description) }
        sender = CText(rule.sender)
        hasArguments = rule.firstArgument != nil || rule.firstArgumentPath != nil
    }

    /// Whether the rule's sender is a unique name or the bus itself, as signals name their sender.
    var namesSender: Bool { rule.sender == BusName.daemon || rule.sender.utf8.first == UInt8(ascii: ":") }

    // Q17: any process can address a signal to us, whatever our rules are, so the sender is checked here.
    /// Returns whether a signal matches the rule and comes from its sender. Compares bytes, and makes no String.
    func matches(_ signal: Message, _ header: SignalHeader) -> Bool {
        if let member, !member.equals(header.member) { return false }
        if let interface, !interface.equals(header.interface) { return false }
        if let path, !path.containsPath(header.path, orBelow: rule.includesChildren) { return false }
        if hasArguments, !rule.matches(signal) { return false }
        guard let owner else { return sender.equals(header.sender) }
        return owner.name?.equals(header.sender) ?? false
    }
}

/// The present owner of a well-known name, shared by all rules that name it.
final class NameOwner: @unchecked Sendable {
    // Guard: only the event loop uses the variables.
    /// The owner's unique name; nil if the name has no owner.
    var uniqueName: String? {
        didSet { name = uniqueName.map(CText.init) }
    }
    fileprivate var name: CText?
    fileprivate var users = 0
}

/// The well-known names that match rules use, with their owners.
struct NameOwnerTable {
    private var owners: [String: NameOwner] = [:]

    subscript(name: String) -> NameOwner? { owners[name] }

    /// Adds a user of a name and returns the name's owner. `isNew` is true for the first user.
    mutating func retain(_ name: String) -> (owner: NameOwner, isNew: Bool) {
        if let owner = owners[name] {
            owner.users += 1
            return (owner, false)
        }
        let owner = NameOwner()
        owner.users = 1
        owners[name] = owner
        return (owner, true)
    }

    /// Removes a user of a name. Returns whether that was the last user.
    mutating func release(_ name: String) -> Bool {
        guard let owner = owners[name] else { return false }
        owner.users -= 1
        guard owner.users == 0 else { return false }
        owners[name] = nil
        return true
    }
}
