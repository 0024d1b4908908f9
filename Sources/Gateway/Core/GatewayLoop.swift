public import Dispatch
public import Rx

/// The serial context in which a gateway runs: its state machines, its broker and its store.
///
/// The manager of the gateway delivers in the same context, because its configuration contains ``scheduler``. In tests,
/// the context is a scheduler with virtual time, so a gateway runs for simulated days within seconds.
public struct GatewayLoop: Sendable {
    /// Runs all work of the gateway, one piece after another.
    public let scheduler: any SchedulerType
    private let readMonotonicTime: @Sendable () -> Duration
    private let checkContext: @Sendable () -> Void

    /// Creates a context from a serial scheduler.
    ///
    /// - Parameters:
    ///   - scheduler: A serial scheduler.
    ///   - monotonicTime: Returns a time that never goes back, and that a change of the wall clock does not affect.
    ///   - checkContext: Traps if the caller does not run on the scheduler. Default: no check.
    public init(
        scheduler: any SchedulerType, monotonicTime: @escaping @Sendable () -> Duration,
        checkContext: @escaping @Sendable () -> Void = {}
    ) {
        self.scheduler = scheduler
        readMonotonicTime = monotonicTime
        self.checkContext = checkContext
    }

    /// Creates a context in which the queue runs all work. The queue must be serial.
    public init(queue: DispatchQueue) {
        let start = ContinuousClock.now
        self.init(
            scheduler: SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: queue.label),
            monotonicTime: { ContinuousClock.now - start },
            checkContext: { dispatchPrecondition(condition: .onQueue(queue)) })
    }

    /// The time for decisions. It counts from an arbitrary start.
    public var monotonicTime: Duration { readMonotonicTime() }

    /// Traps if the caller does not run in this context.
    public func preconditionInContext() { checkContext() }

    /// Wraps a value that belongs to this context, so that it can be passed through other threads.
    public func bound<Value>(_ value: Value) -> LoopBound<Value> { LoopBound(value, to: self) }

    /// Runs work in this context, after all work that already waits there.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        _ = scheduler.schedule(()) { _ in
            work()
            return Disposables.create()
        }
    }

    /// Runs work in this context after a delay. Disposing of the result cancels the work.
    ///
    /// The delay is rounded up to milliseconds, so that the work never runs before its time. Work that finds its time
    /// not reached would schedule itself again and again.
    public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable {
        let milliseconds = min(1e15, max(0, (delay / .milliseconds(1)).rounded(.up)))
        return scheduler.scheduleRelative((), dueTime: .milliseconds(Int(milliseconds))) { _ in
            work()
            return Disposables.create()
        }
    }
}

/// State that belongs to the context of a gateway, and may be passed through other threads. Access elsewhere traps.
public struct LoopBound<Value>: @unchecked Sendable {
    // Guard: every access checks that it happens in the context of `loop`.
    private let loop: GatewayLoop
    private let bound: Value

    init(_ value: Value, to loop: GatewayLoop) {
        self.loop = loop
        bound = value
    }

    /// The value. Traps outside the context of its gateway.
    public var value: Value {
        loop.preconditionInContext()
        return bound
    }
}
