public import Dispatch

/// Does work on a dispatch queue without an order of its own; on a serial queue the order is that of the queue.
public final class ConcurrentDispatchQueueScheduler: DispatchQueueScheduler, @unchecked Sendable {
    // Guard for `@unchecked`: that of the superclass.

    /// A scheduler on the given queue.
    public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        super.init(on: queue, leeway: leeway)
    }

    /// A scheduler on a new concurrent queue of that quality of service.
    public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        self.init(
            queue: DispatchQueue(label: "rx.dispatch_queue.\(qos)", qos: qos, attributes: [.concurrent]), leeway: leeway
        )
    }
}
