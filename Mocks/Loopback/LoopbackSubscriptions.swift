import DBus

/// Signal subscriptions by sender. A signal is compared with the rules of its sender only.
struct LoopbackSubscriptions {
    private var bySender: [String: [LoopbackSubscription]] = [:]
    private var count = 0

    mutating func add(_ subscription: LoopbackSubscription) {
        guard !subscription.ended.isEnded else { return }
        count += 1
        subscription.number = count
        bySender[subscription.rule.sender, default: []].append(subscription)
    }

    var total: Int { bySender.values.map(\.count).reduce(0, +) }

    mutating func remove(_ subscription: LoopbackSubscription) {
        let sender = subscription.rule.sender
        bySender[sender]?.removeAll { $0 === subscription }
        if bySender[sender]?.isEmpty == true { bySender[sender] = nil }
    }

    mutating func removeAll(of peer: LoopbackPeer) {
        for (sender, list) in bySender {
            for subscription in list where subscription.peer === peer { subscription.ended.end() }
            let left = list.filter { $0.peer !== peer }
            bySender[sender] = left.isEmpty ? nil : left
        }
    }

    /// Returns the subscriptions to any of these senders, in the order in which they were added.
    func naming(_ senders: [String]) -> [LoopbackSubscription] {
        if senders.count == 1 { return bySender[senders[0]] ?? [] }
        let lists = senders.compactMap { bySender[$0] }
        if lists.count < 2 { return lists.first ?? [] }
        return lists.flatMap(\.self).sorted { $0.number < $1.number }
    }
}

/// A match rule with its handler.
final class LoopbackSubscription: @unchecked Sendable {
    // Guard: `number` is set once, when the subscription is added, and used only in the router's serial context.
    let rule: MatchRule
    let ended = EndFlag()
    fileprivate(set) var number = 0
    fileprivate weak let peer: LoopbackPeer?
    private let handler: @Sendable (Message) -> Void

    init(_ rule: MatchRule, peer: LoopbackPeer, _ handler: @escaping @Sendable (Message) -> Void) {
        self.rule = rule
        self.peer = peer
        self.handler = handler
    }

    func offer(_ signal: Message) {
        if !ended.isEnded, rule.matches(signal) { handler(signal) }
    }

    /// Returns whether a signal to `destination` is for the subscriber; nil is a broadcast.
    func isFor(_ destination: String?) -> Bool { destination == nil || destination == peer?.uniqueName }
}
