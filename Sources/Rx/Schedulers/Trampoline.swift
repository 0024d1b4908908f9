#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Which threads are inside a subscription, and what each of them has still to do before it leaves.
///
/// A table keyed by the thread stands in for thread-local storage, which Swift reaches by raw pointers only. It is cut
/// into shards, so threads hardly ever meet at a lock. Nothing is run or released under a lock.
enum Trampoline {
    private struct Entry {
        let thread: UInt
        // What was taken out is nil: the last reference to it must not go under the lock.
        var queue: [ScheduledAction?] = []
        var head = 0
    }

    private final class Shard: Sendable {
        let entries = Guarded<[Entry]>([])
    }

    private static let shards = (0..<32).map { _ in Shard() }

    @inline(__always)
    private static func shard(of thread: UInt) -> Shard {
        shards[Int(truncatingIfNeeded: (thread >> 12) ^ (thread >> 23)) & 31]
    }

    /// Whether the calling thread is inside.
    static var isActive: Bool {
        let thread = pthread_self()
        return shard(of: thread).entries.withLock { entries in
            entries.contains { $0.thread == thread }
        }
    }

    /// Whether the calling thread is inside and nothing waits there: what is left now would be done next.
    static var isIdle: Bool {
        let thread = pthread_self()
        return shard(of: thread).entries.withLock { entries in
            for entry in entries where entry.thread == thread { return entry.head == entry.queue.count }
            return false
        }
    }

    /// Goes inside; false when the thread was inside already. Who gets true must call `drain`.
    static func enter() -> Bool {
        let thread = pthread_self()
        return shard(of: thread).entries.withLock { entries in
            for index in entries.indices where entries[index].thread == thread { return false }
            entries.append(Entry(thread: thread))
            return true
        }
    }

    /// Leaves work for the calling thread; false when it is not inside.
    static func enqueue(_ action: ScheduledAction) -> Bool {
        let thread = pthread_self()
        return shard(of: thread).entries.withLock { entries in
            for index in entries.indices where entries[index].thread == thread {
                entries[index].queue.append(action)
                return true
            }
            return false
        }
    }

    /// Does what was left, in order, then leaves.
    static func drain() {
        let thread = pthread_self()
        let shard = shard(of: thread)
        while let action = shard.entries.withLock({ pop(thread, from: &$0) }) { action.run() }
    }

    private static func pop(_ thread: UInt, from entries: inout [Entry]) -> ScheduledAction? {
        for index in entries.indices where entries[index].thread == thread {
            let head = entries[index].head
            if head == entries[index].queue.count {
                entries.swapAt(index, entries.count - 1)
                entries.removeLast()
                return nil
            }
            let action = entries[index].queue[head].take()
            entries[index].head = head + 1
            // What was done is let go of in blocks, so a long run of work takes constant time an action.
            if head >= 63 {
                entries[index].queue.removeFirst(head + 1)
                entries[index].head = 0
            }
            return action
        }
        return nil
    }
}
