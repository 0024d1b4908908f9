import Synchronization

/// Something that is over once: answered, run or called off, whichever comes first, on whichever thread.
package class Entry: @unchecked Sendable {
    // Guard: the flag is atomic. What subclasses add is touched in the context only.
    private let ended = Atomic<Bool>(false)

    /// Whether it is over.
    final var isEnded: Bool { ended.load(ordering: .acquiring) }

    /// Ends the wait. Returns true to the first caller only.
    final func end() -> Bool { !ended.exchange(true, ordering: .acquiringAndReleasing) }
}

/// Something that happens at a moment, unless it is taken out of the heap before.
package class Deadline: Entry, @unchecked Sendable {
    // Guard: touched in the context only.
    package fileprivate(set) var due: UInt64 = 0
    fileprivate var order: UInt64 = 0
    fileprivate var slot = -1

    /// What happens. The entry is out of the heap already.
    func expire() {}

    fileprivate func isBefore(_ other: Deadline) -> Bool { (due, order) < (other.due, other.order) }
}

/// A deadline of the item with an index.
package final class IndexedDeadline: Deadline, @unchecked Sendable {
    // Guard: as in `Deadline`.
    package let index: Int

    package init(_ index: Int) { self.index = index }
}

/// The deadlines of a context, the earliest on top. Each knows its slot, so that one that is called off goes at once: a
/// stale one would wake an idle process up.
package struct TimerHeap {
    private var entries: [Deadline] = []
    private var inserted: UInt64 = 0

    package var isEmpty: Bool { entries.isEmpty }
    package var earliest: UInt64? { entries.first?.due }

    package init() {}

    /// Inserts an entry. Of entries that are due at the same time, the one with the lower order is first.
    ///
    /// Without an order, entries keep the order of insertion.
    package mutating func insert(_ entry: Deadline, due: UInt64, order: UInt64? = nil) {
        inserted += 1
        entry.due = due
        entry.order = order ?? inserted
        entries.append(entry)
        entry.slot = entries.count - 1
        rise(from: entry.slot)
    }

    /// Takes an entry out; nothing happens where it is not in.
    package mutating func remove(_ entry: Deadline) {
        let slot = entry.slot
        guard slot >= 0 else { return }
        let last = entries.removeLast()
        entry.slot = -1
        guard last !== entry else { return }
        place(last, at: slot)
        sink(from: slot)
        rise(from: slot)
    }

    /// Takes out the earliest entry that is due.
    package mutating func popDue(at now: UInt64) -> Deadline? {
        guard let first = entries.first, first.due <= now else { return nil }
        remove(first)
        return first
    }

    private mutating func place(_ entry: Deadline, at slot: Int) {
        entries[slot] = entry
        entry.slot = slot
    }

    private mutating func rise(from start: Int) {
        var slot = start
        let entry = entries[slot]
        while slot > 0, entry.isBefore(entries[(slot - 1) / 2]) {
            place(entries[(slot - 1) / 2], at: slot)
            slot = (slot - 1) / 2
        }
        place(entry, at: slot)
    }

    private mutating func sink(from start: Int) {
        var slot = start
        let entry = entries[slot]
        while true {
            var child = 2 * slot + 1
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard child < entries.count, entries[child].isBefore(entry) else { break }
            place(entries[child], at: slot)
            slot = child
        }
        place(entry, at: slot)
    }
}
