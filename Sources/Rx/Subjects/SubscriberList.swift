/// The subscribers of a subject, in the order of subscription. Guarded by the drain of the subject.
///
/// The slots form a linked list, so sending an event needs no lock, array or metadata. An event may cause
/// subscriptions, disposals and further events during the iteration. New slots are appended at once; disposed slots are
/// unlinked after the iteration.
final class SubscriberList<Element> {
    private var first: SubscriberSlot<Element>?
    private var last: SubscriberSlot<Element>?
    /// The number of the newest subscriber in the list.
    private var newest = 0
    private var iterations = 0
    private var hasDisposedSlots = false

    /// Appends a chain of new slots from `start` to `end`. `newest` is the number of the slot `end`.
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
        // Slots that are added during the event have higher numbers and are skipped. This form of the loop retains each
        // slot once; other forms cost up to 50 instructions more for each subscriber.
        let newest = min(newest, limit)
        guard let start = first, start.number <= newest else { return }
        iterations &+= 1
        var slot = consume start
        while true {
            let current = consume slot
            current.next(value)
            guard let following = current.following, following.number <= newest else { break }
            slot = following
        }
        iterations &-= 1
        if hasDisposedSlots { unlinkDisposed() }
    }

    /// Removes all slots and calls the closure for each of them.
    func removeAll(_ body: (SubscriberSlot<Element>) -> Void) {
        var cursor = first
        first = nil
        last = nil
        // While `iterations` is positive, a disposed slot stays linked. Unlinking it would make the remaining slots
        // unreachable.
        iterations &+= 1
        while let slot = cursor {
            cursor = slot.following
            clearLinks(slot)
            body(slot)
        }
        iterations &-= 1
        if hasDisposedSlots { unlinkDisposed() }
    }

    /// Removes a slot that was disposed of.
    func remove(_ slot: SubscriberSlot<Element>) {
        guard slot.isListed else { return }
        if iterations > 0 { hasDisposedSlots = true } else { unlink(slot) }
    }

    private func unlink(_ slot: SubscriberSlot<Element>) {
        let (before, after) = (slot.preceding, slot.following)
        if let before { before.following = after } else { first = after }
        if let after { after.preceding = before } else { last = before }
        clearLinks(slot)
    }

    // Clears the links of each removed slot, because releasing a long chain of slots would recurse.
    private func clearLinks(_ slot: SubscriberSlot<Element>) {
        slot.isListed = false
        slot.following = nil
        slot.preceding = nil
    }

    private func unlinkDisposed() {
        guard iterations == 0 else { return }
        hasDisposedSlots = false
        // Keeps the slots until the list is consistent, because releasing a slot may run a user's `deinit` that uses
        // the subject.
        var unlinked: [SubscriberSlot<Element>] = []
        var cursor = first
        while let slot = cursor {
            cursor = slot.following
            if slot.isLive { continue }
            unlink(slot)
            unlinked.append(slot)
        }
    }
}
