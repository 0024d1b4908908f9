/// Which peripheral sends next: a heap by time, and by number where times are equal.
struct DueQueue {
    private struct Item {
        let due: Int
        let index: Int

        func comes(before other: Item) -> Bool { (due, index) < (other.due, other.index) }
    }

    private var heap: [Item] = []

    var first: Int? { heap.first?.due }

    mutating func add(_ index: Int, at due: Int) {
        heap.append(Item(due: due, index: index))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].comes(before: heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func takeFirst(until due: Int) -> (index: Int, due: Int)? {
        guard let first = heap.first, first.due <= due else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { return (first.index, first.due) }
            if child + 1 < heap.count, heap[child + 1].comes(before: heap[child]) { child += 1 }
            guard heap[child].comes(before: heap[parent]) else { return (first.index, first.due) }
            heap.swapAt(child, parent)
            parent = child
        }
    }

    mutating func remove(_ index: Int) {
        let left = heap.filter { $0.index != index }
        heap = []
        for item in left { add(item.index, at: item.due) }
    }
}
