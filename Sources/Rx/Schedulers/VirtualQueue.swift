/// Work in the order of its time, and among equals in the order in which it came: a binary heap.
struct VirtualQueue<Time: Comparable> {
    private struct Item {
        let time: Time
        let number: Int
        let action: ScheduledAction

        func comes(before other: Item) -> Bool {
            time < other.time || (time == other.time && number < other.number)
        }
    }

    private var heap: [Item] = []
    private var number = 0

    mutating func add(_ action: ScheduledAction, at time: Time) {
        number += 1
        heap.append(Item(time: time, number: number, action: action))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].comes(before: heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the first piece of work that is due by the given time, disposed of or not.
    mutating func takeFirst(until end: Time?) -> (ScheduledAction, Time)? {
        guard let first = heap.first else { return nil }
        if let end, first.time > end { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink()
        return (first.action, first.time)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, heap[child + 1].comes(before: heap[child]) { child += 1 }
            guard heap[child].comes(before: heap[parent]) else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}
