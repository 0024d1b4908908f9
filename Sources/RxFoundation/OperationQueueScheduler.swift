public import Foundation
public import Rx

/// Does work as operations of an operation queue, whose limits and priorities hold.
///
/// Whether work keeps its order is up to the queue: with `maxConcurrentOperationCount = 1` it does.
public final class OperationQueueScheduler: ImmediateSchedulerType {
    /// The queue.
    public let operationQueue: OperationQueue
    /// The priority of the work among the operations of the queue.
    public let queuePriority: Operation.QueuePriority

    /// A scheduler on the given queue.
    public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
        self.operationQueue = operationQueue
        self.queuePriority = queuePriority
    }

    /// Does the action as an operation of the queue; disposing of the result before it began prevents it.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let parcel = Parcel(state)
        let slot = SingleAssignmentDisposable()
        let operation = BlockOperation {
            if !slot.isDisposed { slot.setDisposable(action(parcel.value)) }
        }
        operation.queuePriority = queuePriority
        operationQueue.addOperation(operation)
        return slot
    }
}

/// Carries the state into the operation. Guard: the one who schedules does not touch it again.
private struct Parcel<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
