#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A scheduler that runs work on the calling thread, after the work that runs there now.
///
/// Work that is scheduled during `subscribe` waits until the subscription is complete. So the elements of several cold
/// sources that are subscribed to together alternate.
public final class CurrentThreadScheduler: ImmediateSchedulerType {
    /// The shared instance.
    public static let instance = CurrentThreadScheduler()

    /// Whether the calling thread runs no work of this scheduler and is not inside `subscribe`.
    public static var isScheduleRequired: Bool { !Trampoline.isActive }

    private init() {}

    /// Runs the action at once, then the work that the action scheduled.
    ///
    /// If the thread already runs work of this scheduler or is inside `subscribe`, the action is queued.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        if Trampoline.enter() {
            let disposable = action(state)
            Trampoline.drain()
            return disposable
        }
        let transfer = UncheckedTransfer(state)
        let item = ScheduledAction { action(transfer.value) }
        _ = Trampoline.enqueue(item)
        return item
    }
}

/// Queued work, which can be cancelled before it runs or disposed of while it runs.
final class ScheduledAction: Cancelable, DisposableContainer {
    private let action: @Sendable () -> any Disposable
    private let slot = SingleAssignmentDisposable()

    init(_ action: @escaping @Sendable () -> any Disposable) { self.action = action }

    var isDisposed: Bool { slot.isDisposed }
    func takeContents() -> DisposableContents { .one(slot) }

    func run() {
        if !slot.isDisposed { slot.setDisposable(action()) }
    }
}

/// The threads that are inside `subscribe` or `CurrentThreadScheduler`, each with its queue of work.
///
/// A table keyed by the thread replaces thread-local storage, which Swift can access by raw pointers only. The table
/// has several shards, so that threads rarely contend for a lock. Under a lock, no user code runs and no object is
/// released.
enum Trampoline {
    private struct QueuedItem {
        let thread: UInt
        // Work that has been taken leaves nil in the queue and is released outside the lock.
        var queue: [ScheduledAction?] = []
        var head = 0
    }

    private final class Shard: Sendable {
        let entries = Guarded<[QueuedItem]>([])
    }

    private static let shards = (0..<32).map { _ in Shard() }

    @inline(__always)
    private static func shard(of thread: UInt) -> Shard {
        shards[Int(truncatingIfNeeded: (thread >> 12) ^ (thread >> 23)) & 31]
    }

    /// Whether the calling thread is inside `subscribe` or the scheduler.
    static var isActive: Bool {
        let thread = pthread_self()
        return shard(of: thread).entries.withLock { entries in
            entries.contains { $0.thread == thread }
        }
    }

    /// Whether the calling thread is inside with an empty queue, so that work enqueued now runs next.
    static var isIdle: Bool {
        let thread = pthread_self()
        return shard(of: thread).entries.withLock { entries in
            for entry in entries where entry.thread == thread { return entry.head == entry.queue.count }
            return false
        }
    }

    /// Enters with the calling thread; returns false if it is inside already. After true, call `drain`.
    static func enter() -> Bool {
        let thread = pthread_self()
        return shard(of: thread).entries.withLock { entries in
            for index in entries.indices where entries[index].thread == thread { return false }
            entries.append(QueuedItem(thread: thread))
            return true
        }
    }

    /// Queues work for the calling thread; returns false if the thread is not inside.
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

    /// Runs the queued work of the calling thread in order; then the thread leaves.
    static func drain() {
        let thread = pthread_self()
        let shard = shard(of: thread)
        while let action = shard.entries.withLock({ pop(thread, from: &$0) }) { action.run() }
    }

    private static func pop(_ thread: UInt, from entries: inout [QueuedItem]) -> ScheduledAction? {
        for index in entries.indices where entries[index].thread == thread {
            let head = entries[index].head
            if head == entries[index].queue.count {
                entries.swapAt(index, entries.count - 1)
                entries.removeLast()
                return nil
            }
            let action = entries[index].queue[head].take()
            entries[index].head = head + 1
            // Finished work is removed from the queue in blocks, so that each action takes constant time on average.
            if head >= 63 {
                entries[index].queue.removeFirst(head + 1)
                entries[index].head = 0
            }
            return action
        }
        return nil
    }
}
