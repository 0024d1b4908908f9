import Testing

@testable import Rx

/// The queue of `observe(on:)`, `zip` and other operators, which stores its elements in chunks.
@Suite struct FIFOQueueTests {
    /// More elements than two chunks contain.
    private let many = 0..<50

    @Test("Elements leave the queue in order, across chunks")
    func order() {
        let queue = FIFOQueue<Int>()
        for element in many { queue.append(element) }
        #expect(queue.count == many.count)
        #expect(queue.contents == Array(many))
        #expect(take(from: queue) == Array(many))
        #expect(queue.isEmpty)
        #expect(queue.contents.isEmpty)
    }

    @Test("Adding and removing elements in turns keeps their order")
    func turns() {
        let queue = FIFOQueue<Int>()
        var taken: [Int] = []
        for element in 0..<300 {
            queue.append(element)
            if element % 3 != 0 { taken.append(queue.removeFirst()) }
        }
        #expect(queue.count == 100)
        #expect(queue.contents == Array(200..<300))
        #expect(taken + take(from: queue) == Array(0..<300))
    }

    @Test("All elements move to an empty queue, and both queues work afterwards")
    func moving() {
        let (source, target) = (FIFOQueue<Int>(), FIFOQueue<Int>())
        for round in 0..<4 {
            for element in many { source.append(element + round) }
            source.moveAll(to: target)
            #expect(source.isEmpty)
            source.append(-1)
            #expect(take(from: target) == many.map { $0 + round })
            #expect(source.removeFirst() == -1)
        }
    }

    @Test("A removed element is released at once, the others with the queue")
    func release() {
        var queue: FIFOQueue<Tracked>? = FIFOQueue()
        let log = Log<Int>()
        for number in many { queue?.append(Tracked(number, log)) }
        for number in 0..<20 {
            _ = queue?.removeFirst()
            #expect(log.all == Array(0...number))
        }
        queue = nil
        #expect(log.all == Array(many))
    }

    @Test("A box releases a replaced element after it has stored the new one")
    func boxes() {
        let log = Log<Int>()
        let box = Box<Tracked>()
        #expect(box.isEmpty)
        box.store(Tracked(1, log))
        box.store(Tracked(2, log) { [box = UncheckedTransfer(box)] in log.add(10 * box.value.value.number) })
        #expect(log.all == [1])
        box.store(Tracked(3, log))
        #expect(log.all == [1, 30, 2])
        var other = Tracked(4, log)
        box.exchange(&other)
        #expect(other.number == 3)
        #expect(box.value.number == 4)
    }

    private func take(from queue: FIFOQueue<Int>) -> [Int] {
        var elements: [Int] = []
        while !queue.isEmpty { elements.append(queue.removeFirst()) }
        return elements
    }
}

/// Adds its number to the log when it is released.
private final class Tracked {
    let number: Int
    private let log: Log<Int>
    private let onRelease: @Sendable () -> Void

    init(_ number: Int, _ log: Log<Int>, _ onRelease: @escaping @Sendable () -> Void = {}) {
        self.number = number
        self.log = log
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
        log.add(number)
    }
}
