import Dispatch
import Synchronization
import Testing

@testable import DBus

@Suite struct EventLoopTests {
    /// Real time, because it is the kernel that waits here. A machine may be late, so only earliness is a fault.
    @Test func timersFireWhenTheyAreDue() async throws {
        let context = EventLoop()
        let record = Record<Bool>()
        let start = ContinuousClock.now
        for delay in [30, 10, 20, 0, -5, 15] {
            context.schedule(after: .milliseconds(delay)) {
                record.add(ContinuousClock.now - start >= .milliseconds(delay))
            }
        }
        let tooLate = Record<Bool>()
        // In the context, so that the timer cannot fire first.
        context.perform { context.schedule(after: .milliseconds(12)) { tooLate.add(true) }.cancel() }
        context.schedule(after: .seconds(Int64.max)) { tooLate.add(true) }
        // A sum of durations may have more seconds than 64 bits hold.
        context.schedule(after: .seconds(Int64.max) + .seconds(Int64.max)) { tooLate.add(true) }
        #expect(try await record.first(6) == Array(repeating: true, count: 6))
        #expect(tooLate.elements.isEmpty)
    }

    @Test func workRunsInOrderAndOneAtATime() async throws {
        let context = EventLoop()
        let record = Record<Int>()
        let seenByTimer = Promise<[Int]>()
        context.perform {
            record.add(1)
            // Neither runs before this returns, although it runs in the context. Which of the two is first is not specified.
            context.perform { record.add(3) }
            context.schedule(after: .zero) { seenByTimer.fulfil(record.elements) }
            record.add(2)
        }
        #expect(try await record.first(3) == [1, 2, 3])
        #expect(try await seenByTimer.value().starts(with: [1, 2]))
    }

    /// The thread ends when there is nothing to do and starts again: nothing may be lost in between.
    @Test func workFromManyThreadsIsNotLost() async throws {
        final class Counter: Sendable { let value = Atomic(0) }
        let context = EventLoop()
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 {
                context.perform {
                    context.preconditionInContext()
                    counter.value.add(1, ordering: .relaxed)
                }
            }
        }
        let done = Promise<Bool>()
        context.perform { done.fulfil(true) }
        _ = try await done.value()
        #expect(counter.value.load(ordering: .relaxed) == 4000)
        #expect(!context.isCurrent)
    }

    @Test func outsideOfTheContextIsATrap() async {
        await #expect(processExitsWith: .failure) { EventLoop().preconditionInContext() }
    }

    @Test func theHeapKeepsItsOrder() {
        var random = SystemRandomNumberGenerator()
        var heap = TimerHeap()
        var entries = (0..<500).map { _ in Deadline() }
        for entry in entries { heap.insert(entry, due: UInt64.random(in: 0..<50, using: &random)) }
        entries.shuffle()
        for entry in entries.prefix(250) {
            heap.remove(entry)
            heap.remove(entry)
        }
        var popped: [Deadline] = []
        while let entry = heap.popDue(at: 1000) { popped.append(entry) }
        #expect(popped.count == 250)
        #expect(zip(popped, popped.dropFirst()).allSatisfy { $0.due <= $1.due })
        #expect(Set(popped.map(ObjectIdentifier.init)) == Set(entries.dropFirst(250).map(ObjectIdentifier.init)))
        #expect(heap.isEmpty)
    }
}
