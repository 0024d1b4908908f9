public import Foundation
public import Rx

/// A scheduler that runs work as operations of an operation queue, within the limits of the queue.
///
/// Work runs in order only if the queue has `maxConcurrentOperationCount = 1`.
public final class OperationQueueScheduler: ImmediateSchedulerType {
    /// The queue that runs the work.
    public let operationQueue: OperationQueue
    /// The priority of the operations.
    public let queuePriority: Operation.QueuePriority

    /// Creates a scheduler on the given queue.
    public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
        self.operationQueue = operationQueue
        self.queuePriority = queuePriority
    }

    /// Runs the action as an operation of the queue. Dispose of the result to cancel the action.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let transfer = UncheckedTransfer(state)
        let slot = SingleAssignmentDisposable()
        let operation = BlockOperation {
            if !slot.isDisposed { slot.setDisposable(action(transfer.value)) }
        }
        operation.queuePriority = queuePriority
        operationQueue.addOperation(operation)
        return slot
    }
}
