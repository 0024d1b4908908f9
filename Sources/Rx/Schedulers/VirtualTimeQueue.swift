/// A binary heap of work, ordered by time and, at equal times, by arrival.
struct VirtualTimeQueue<Converter: VirtualTimeConverterType> {
    typealias Time = Converter.VirtualTimeUnit

    struct Item {
        let time: Time
        let number: Int
        let action: ScheduledAction
    }

    private let converter: Converter
    private var heap: [Item] = []

    init(_ converter: Converter) { self.converter = converter }

    /// The time of the first piece of work, even if that work was disposed of.
    var firstTime: Time? { heap.first?.time }

    /// The times of all work that was not disposed of, in order.
    var times: [Time] { heap.filter { !$0.action.isDisposed }.sorted(by: comes).map(\.time) }

    mutating func add(_ item: Item) {
        heap.append(item)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard comes(heap[child], before: heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func takeFirst() -> Item? {
        guard let first = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown()
        return first
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, comes(heap[child + 1], before: heap[child]) { child += 1 }
            guard comes(heap[child], before: heap[parent]) else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }

    private func comes(_ one: Item, before other: Item) -> Bool {
        switch converter.compareVirtualTime(one.time, other.time) {
        case .lessThan: true
        case .equal: one.number < other.number
        case .greaterThan: false
        }
    }
}
