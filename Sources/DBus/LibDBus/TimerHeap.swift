/// An entry of a ``TimerHeap``. It expires at its due time, unless it is removed before.
package class Deadline: EndFlag, @unchecked Sendable {
    // Guard: only the bus's context uses the variables.
    package fileprivate(set) var due: UInt64 = 0
    fileprivate var order: UInt64 = 0
    fileprivate var slot = -1

    /// Runs at the due time, after the heap has removed the entry.
    func expire() {}

    fileprivate func isBefore(_ other: Deadline) -> Bool { (due, order) < (other.due, other.order) }
}

/// A deadline that identifies its item by an index.
package final class IndexedDeadline: Deadline, @unchecked Sendable {
    // Guard: as in `Deadline`.
    package let index: Int

    package init(_ index: Int) { self.index = index }
}

/// A binary heap of deadlines, the earliest at the top.
///
/// An entry stores its slot, so that removal needs no search. A cancelled entry must be removed at once, because its
/// deadline would wake an idle process.
package struct TimerHeap {
    private var entries: [Deadline] = []
    private var inserted: UInt64 = 0

    package var isEmpty: Bool { entries.isEmpty }
    package var earliest: UInt64? { entries.first?.due }

    package init() {}

    /// Inserts an entry. Among entries with the same due time, the entry with the lower `order` is first.
    ///
    /// Without `order`, entries with the same due time keep the order of insertion.
    package mutating func insert(_ entry: Deadline, due: UInt64, order: UInt64? = nil) {
        inserted += 1
        entry.due = due
        entry.order = order ?? inserted
        entries.append(entry)
        entry.slot = entries.count - 1
        rise(from: entry.slot)
    }

    /// Removes an entry, if the heap contains it.
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

    /// Removes and returns the earliest entry that is due.
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
