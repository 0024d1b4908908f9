/// The places of the subscribers of a subject, in the order in which they came. Guarded by the drain of the subject.
///
/// It is linked through the slots, so an event is sent without a lock, an array or metadata. What an event causes, be it
/// another event, comes while the list is walked: newcomers are appended then, and who left is unlinked afterwards.
final class SubscriberList<Element> {
    private var first: SubscriberSlot<Element>?
    private var last: SubscriberSlot<Element>?
    /// The number of the newest subscriber in the list.
    private var newest = 0
    private var walks = 0
    private var hasLeavers = false

    /// Takes in newcomers: a chain from `start` to `end`, whose last number is `newest`.
    func append(from start: SubscriberSlot<Element>, to end: SubscriberSlot<Element>, newest: Int) {
        var slot = start
        slot.preceding = last
        if let last { last.following = start } else { first = start }
        while true {
            slot.isListed = true
            guard let following = slot.following else { break }
            following.preceding = slot
            slot = following
        }
        last = end
        self.newest = newest
    }

    /// Sends the element to all subscribers with a number up to the limit.
    func send(_ value: Element, upTo limit: Int) {
        // Who subscribes during the event has a higher number. Written so that each slot is retained once: other forms
        // of this loop cost up to 50 instructions a subscriber more.
        let newest = min(newest, limit)
        guard let start = first, start.number <= newest else { return }
        walks &+= 1
        var slot = consume start
        while true {
            let current = consume slot
            current.next(value)
            guard let following = current.following, following.number <= newest else { break }
            slot = following
        }
        walks &-= 1
        if hasLeavers { unlinkLeavers() }
    }

    /// Forgets all subscribers, and says something to each of them.
    func empty(_ tell: (SubscriberSlot<Element>) -> Void) {
        var cursor = first
        first = nil
        last = nil
        // As in a walk, who leaves meanwhile stays linked: the others could not be reached any more.
        walks &+= 1
        while let slot = cursor {
            cursor = slot.following
            clearLinks(slot)
            tell(slot)
        }
        walks &-= 1
        if hasLeavers { unlinkLeavers() }
    }

    /// Forgets a subscriber who left.
    func remove(_ slot: SubscriberSlot<Element>) {
        guard slot.isListed else { return }
        if walks > 0 { hasLeavers = true } else { unlink(slot) }
    }

    private func unlink(_ slot: SubscriberSlot<Element>) {
        let (before, after) = (slot.preceding, slot.following)
        if let before { before.following = after } else { first = after }
        if let after { after.preceding = before } else { last = before }
        clearLinks(slot)
    }

    // Links are cut one by one: a long chain must not be let go of recursively.
    private func clearLinks(_ slot: SubscriberSlot<Element>) {
        slot.isListed = false
        slot.following = nil
        slot.preceding = nil
    }

    private func unlinkLeavers() {
        guard walks == 0 else { return }
        hasLeavers = false
        // Letting go of a slot may run a user's `deinit`, which may use the subject: that comes when the list is whole.
        var gone: [SubscriberSlot<Element>] = []
        var cursor = first
        while let slot = cursor {
            cursor = slot.following
            if slot.isLive { continue }
            unlink(slot)
            gone.append(slot)
        }
    }
}
