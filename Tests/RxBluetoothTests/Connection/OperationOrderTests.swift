import SoakTesting
import TestTraits
import Testing

@testable import RxBluetooth

/// The order in which waiting operations start, without a bus.
struct OperationOrderTests {
    typealias Priority = OperationOptions.Priority

    private final class Entry {
        let number: Int
        let priority: Priority

        init(_ number: Int, _ priority: Priority) { (self.number, self.priority) = (number, priority) }
    }

    /// Returns the order of entries with these priorities, as their indices.
    private static func order(_ priorities: [Priority], removing removed: Set<Int> = []) -> [Int] {
        var order = OperationOrder<Entry>()
        let entries = priorities.enumerated().map { Entry($0.offset, $0.element) }
        for entry in entries { order.append(entry, entry.priority) }
        for number in removed.sorted() {
            let isRemoved = order.remove(entries[number])
            #expect(isRemoved)
        }
        #expect(order.count == entries.count - removed.count)
        return (0..<order.count).compactMap { _ in order.next()?.number }
    }

    @Test(.proves(.S56)) func `Higher priorities are first, equal ones in order, and removed ones never`() {
        #expect(Self.order([.normal, .low, .high, .normal, .high]) == [2, 4, 0, 3, 1])
        #expect(Self.order([.low, .low, .low]) == [0, 1, 2])
        #expect(Self.order([.normal, .high, .low, .high], removing: [1, 2]) == [3, 0])
        #expect(Self.order([]) == [])
        var order = OperationOrder<Entry>()
        let (next, isRemoved) = (order.next(), order.remove(Entry(0, .high)))
        #expect(next == nil && !isRemoved)
    }

    @Test(.proves(.S56)) func `An entry that follows the previous one is first, and can be removed`() {
        var order = OperationOrder<Entry>()
        let entries = [Entry(0, .high), Entry(1, .low), Entry(2, .low)]
        order.append(entries[0], .high)
        order.insertFollowing(entries[1])
        let (count, first, second) = (order.count, order.next()?.number, order.next()?.number)
        #expect(count == 2 && first == 1 && second == 0)
        order.insertFollowing(entries[1])
        let isRemoved = order.remove(entries[1])
        #expect(isRemoved && order.count == 0)
        order.append(entries[0], .high)
        order.insertFollowing(entries[2])
        #expect(order.removeAll().map(\.number) == [2, 0])
    }

    @Test(.proves(.S56)) func `After four entries in a row with a higher priority, a lower one follows`() {
        let high = [Priority](repeating: .high, count: 9)
        #expect(Self.order(high + [.normal, .normal, .low]) == [0, 1, 2, 3, 9, 4, 5, 6, 7, 10, 8, 11])
        let normal = [Priority](repeating: .normal, count: 6)
        #expect(Self.order(normal + [.low]) == [0, 1, 2, 3, 6, 4, 5])
    }

    /// The first waiting entry of a priority waits at most this long; the documentation states the same numbers.
    @Test(.proves(.S56), arguments: [(Priority.normal, 9), (.low, 24)])
    func `The bound holds under constant load, and is reached`(priority: Priority, bound: Int) {
        var order = OperationOrder<Entry>()
        var dice = Dice(seed: 56)
        var waited = 0
        var longest = 0
        var counts: [Priority: Int] = [:]
        order.append(Entry(0, priority), priority)
        for _ in 0..<200_000 {
            for other in Priority.allCases where other != priority && counts[other, default: 0] < 10 {
                guard Int.random(in: 0..<8, using: &dice) > 0 else { continue }
                order.append(Entry(1, other), other)
                counts[other, default: 0] += 1
            }
            guard let next = order.next() else { continue }
            if next.number == 0 {
                longest = max(longest, waited)
                waited = 0
                order.append(Entry(0, priority), priority)
            } else {
                counts[next.priority, default: 0] -= 1
                waited += 1
            }
        }
        #expect(longest == bound)
    }

    @Test(.proves(.S56)) func `An entry with the highest priority waits for at most one with a lower priority`() {
        var order = OperationOrder<Entry>()
        var dice = Dice(seed: 57)
        var waiting = 0
        var lower = 0
        var longest = 0
        for _ in 0..<100_000 {
            if order.count < 20 {
                order.append(Entry(0, .normal), .normal)
                order.append(Entry(0, .low), .low)
            }
            if waiting < 5, Int.random(in: 0..<3, using: &dice) > 0 {
                order.append(Entry(1, .high), .high)
                waiting += 1
            }
            let isHigh = order.next()?.priority == .high
            lower = isHigh || waiting == 0 ? 0 : lower + 1
            longest = max(longest, lower)
            if isHigh { waiting -= 1 }
        }
        #expect(longest == 1)
    }
}
