/// One who wants signals.
final class SignalSubscription: Entry, @unchecked Sendable {
    // Guard: touched in the context only, once it is made.
    let rule: MatchRule
    /// Whom the rule's well-known name means at this moment; nil where the rule names its sender as signals do.
    var owner: NameOwner?
    var handler: (@Sendable (Message) -> Void)?
    /// Whether the bus knows of the rule.
    var isRegistered = false

    init(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) {
        self.rule = rule
        self.handler = handler
    }

    /// Whether the rule names its sender as signals do: by a unique name, or as the bus itself, which has no other.
    var namesSender: Bool { rule.sender == BusName.daemon || rule.sender.utf8.first == UInt8(ascii: ":") }

    /// Whether a signal is meant. Anybody can address a signal to us, whatever our rules say, so the sender counts (Q17).
    func wants(_ signal: Message) -> Bool {
        guard rule.matches(signal) else { return false }
        if let owner { return owner.name.map { signal.isSent(by: $0) } ?? false }
        return signal.isSent(by: rule.sender)
    }
}

/// Who owns a well-known name at this moment, as far as the wire has told; shared by all rules that name it.
final class NameOwner: @unchecked Sendable {
    // Guard: touched in the context only.
    var name: String?
    var users = 0
}
