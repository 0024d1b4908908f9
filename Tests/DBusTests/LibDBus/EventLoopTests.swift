import Dispatch
import Synchronization
import Testing

@testable import DBus

@Suite struct EventLoopTests {
    // This test uses the real clock, because the kernel waits. Only early timers fail: a busy machine may be late.
    @Test func `Timers fire when they are due`() async throws {
        let loop = EventLoop()
        let record = Record<Bool>()
        let start = ContinuousClock.now
        for delay in [30, 10, 20, 0, -5, 15] {
            loop.schedule(after: .milliseconds(delay)) {
                record.add(ContinuousClock.now - start >= .milliseconds(delay))
            }
        }
        let tooLate = Record<Bool>()
        // Scheduling and cancelling in one turn of the event loop ensures that the timer cannot fire in between.
        loop.perform { loop.schedule(after: .milliseconds(12)) { tooLate.add(true) }.cancel() }
        loop.schedule(after: .seconds(Int64.max)) { tooLate.add(true) }
        // The loop must accept a delay that needs more than 64 bits in seconds.
        loop.schedule(after: .seconds(Int64.max) + .seconds(Int64.max)) { tooLate.add(true) }
        #expect(try await record.first(6) == Array(repeating: true, count: 6))
        #expect(tooLate.elements.isEmpty)
    }

    @Test func `Work runs in order, one item at a time`() async throws {
        let loop = EventLoop()
        let record = Record<Int>()
        let seenByTimer = Promise<[Int]>()
        loop.perform {
            record.add(1)
            // The work and the timer run only after this closure returns, in any order, even on the loop's own thread.
            loop.perform { record.add(3) }
            loop.schedule(after: .zero) { seenByTimer.fulfil(record.elements) }
            record.add(2)
        }
        #expect(try await record.first(3) == [1, 2, 3])
        #expect(try await seenByTimer.value().starts(with: [1, 2]))
    }

    // The loop's thread ends when it is idle, and starts again for new work. Work that arrives meanwhile must run too.
    @Test func `Work from many threads is not lost`() async throws {
        final class Counter: Sendable { let value = Atomic(0) }
        let loop = EventLoop()
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 {
                loop.perform {
                    loop.preconditionInContext()
                    counter.value.add(1, ordering: .relaxed)
                }
            }
        }
        let done = Promise<Bool>()
        loop.perform { done.fulfil(true) }
        _ = try await done.value()
        #expect(counter.value.load(ordering: .relaxed) == 4000)
        #expect(!loop.isCurrent)
    }

    @Test func `preconditionInContext traps on another thread`() async {
        await #expect(processExitsWith: .failure) { EventLoop().preconditionInContext() }
    }

    @Test func `Work for the end of a turn runs after the other work, and only in the context`() async throws {
        let loop = EventLoop()
        let record = Record<Int>()
        #expect(!loop.performAtEndOfTurn { record.add(0) })
        loop.perform {
            for number in [3, 4] { _ = loop.performAtEndOfTurn { record.add(number) } }
            // This work belongs to the next turn.
            loop.perform { record.add(5) }
            record.add(1)
            record.add(2)
        }
        #expect(try await record.first(5) == [1, 2, 3, 4, 5])
        // Work that is added at the end of a turn also runs, without another event.
        loop.perform { _ = loop.performAtEndOfTurn { _ = loop.performAtEndOfTurn { record.add(6) } } }
        #expect(try await record.first(6).last == 6)
    }

    @Test func `The timer heap keeps its order`() {
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
