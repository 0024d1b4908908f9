/// The subscribers of a subject, in the order of subscription. Guarded by the drain of the subject.
///
/// The slots form a linked list, so sending an event needs no lock, array or metadata. An event may cause
/// subscriptions, disposals and further events during the iteration. New slots are appended at once; disposed slots are
/// unlinked after the iteration.
///
/// Memory safety: an iteration retains no slot, because that would double its cost. While `iterations` is positive, no
/// link of a slot is cleared, and `first` or `removed` retains the first slot of each chain.
final class SubscriberList<Element> {
    private var first: SubscriberSlot<Element>?
    private var last: SubscriberSlot<Element>?
    /// The number of the newest subscriber in the list.
    private var newest = 0
    private var iterations = 0
    private var needsUnlinking = false
    /// The slots that `removeAll` removed during an iteration of `send`.
    private var removed: SubscriberSlot<Element>?

    /// Appends a chain of new slots from `start` to `end`. `newest` is the number of the slot `end`.
    func append(from start: SubscriberSlot<Element>, to end: SubscriberSlot<Element>, newest: Int) {
        var slot = start
        unsafe slot.preceding = last
        if let last { last.following = start } else { first = start }
        while true {
            slot.isListed = true
            guard let following = slot.following else { break }
            unsafe following.preceding = slot
            slot = following
        }
        last = end
        self.newest = newest
    }

    /// Sends the element to all subscribers with a number up to the limit.
    @inline(__always)
    func send(_ value: Element, upTo limit: Int) {
        // Slots that are added during the event have higher numbers and are skipped.
        let newest = min(newest, limit)
        guard var slot = unsafe unretained(first, upTo: newest) else { return }
        iterations &+= 1
        while true {
            unsafe slot._withUnsafeGuaranteedRef { $0.next(value) }
            let following = unsafe slot._withUnsafeGuaranteedRef { unsafe unretained($0.following, upTo: newest) }
            guard let following = unsafe following else { break }
            unsafe slot = following
        }
        iterations &-= 1
        if needsUnlinking { unlinkDisposed() }
    }

    @inline(__always)
    private func unretained(
        _ slot: SubscriberSlot<Element>?, upTo newest: Int
    ) -> Unmanaged<SubscriberSlot<Element>>? {
        guard let slot, slot.number <= newest else { return nil }
        return unsafe .passUnretained(slot)
    }

    /// Removes all slots and calls the closure for each of them.
    func removeAll(_ body: (SubscriberSlot<Element>) -> Void) {
        let isIterating = iterations > 0
        if isIterating, first != nil {
            removed = first
            needsUnlinking = true
        }
        var cursor = first
        first = nil
        last = nil
        // While `iterations` is positive, a disposed slot stays linked. Unlinking it would make the remaining slots
        // unreachable.
        iterations &+= 1
        while let slot = cursor {
            cursor = slot.following
            if isIterating { slot.isListed = false } else { clearLinks(slot) }
            body(slot)
        }
        iterations &-= 1
        if needsUnlinking { unlinkDisposed() }
    }

    /// Removes a slot that was disposed of.
    func remove(_ slot: SubscriberSlot<Element>) {
        guard slot.isListed else { return }
        if iterations > 0 { needsUnlinking = true } else { unlink(slot) }
    }

    private func unlink(_ slot: SubscriberSlot<Element>) {
        let (before, after) = unsafe (slot.preceding, slot.following)
        if let before { before.following = after } else { first = after }
        if let after { unsafe after.preceding = before } else { last = before }
        clearLinks(slot)
    }

    // Clears the links of each removed slot, because releasing a long chain of slots would recurse.
    private func clearLinks(_ slot: SubscriberSlot<Element>) {
        slot.isListed = false
        slot.following = nil
        unsafe slot.preceding = nil
    }

    private func unlinkDisposed() {
        guard iterations == 0 else { return }
        needsUnlinking = false
        // Keeps the slots until the list is consistent, because releasing a slot may run a user's `deinit` that uses
        // the subject.
        var unlinked: [SubscriberSlot<Element>] = []
        var cursor = removed
        removed = nil
        while let slot = cursor {
            cursor = slot.following
            clearLinks(slot)
            unlinked.append(slot)
        }
        cursor = first
        while let slot = cursor {
            cursor = slot.following
            if slot.isLive { continue }
            unlink(slot)
            unlinked.append(slot)
        }
    }
}
