import Rx

/// Values that arrive before a step waits for them.
final class ValueQueue: Sendable {
    private let state = Guarded(QueueState())
    /// The number of stored values. Above it, the oldest value is dropped.
    private static let limit = 1000

    private struct QueueState {
        var values: [[UInt8]] = []
        var end: (any Error)?
        var waiter: (isWanted: @Sendable ([UInt8]) -> Bool, observer: AnyObserver<[UInt8]>)?
        var source: (any Disposable)?
    }

    deinit { state.withLock { $0.source }?.dispose() }

    /// Stores the values of a stream. Calls `onFailure` when the stream fails.
    func start(_ source: Observable<[UInt8]>, onFailure: @escaping @Sendable (any Error) -> Void) {
        let subscription = source.subscribe(
            onNext: { [weak self] in self?.add($0) },
            onError: { [weak self] error in
                self?.fail(error)
                onFailure(error)
            })
        state.withLock { $0.source = subscription }
    }

    private func add(_ value: [UInt8]) {
        let observer = state.withLock { state -> AnyObserver<[UInt8]>? in
            if let waiter = state.waiter {
                guard waiter.isWanted(value) else { return nil }
                state.waiter = nil
                return waiter.observer
            }
            if state.values.count == Self.limit { state.values.removeFirst() }
            state.values.append(value)
            return nil
        }
        observer?.on(.next(value))
        observer?.on(.completed)
    }

    private func fail(_ error: any Error) {
        let observer = state.withLock { state in
            state.end = error
            return state.waiter?.observer
        }
        observer?.on(.error(error))
    }

    /// Emits the first value that passes a test, and drops it and the values before it.
    ///
    /// A later call replaces an earlier one that still waits.
    func first(where isWanted: @escaping @Sendable ([UInt8]) -> Bool) -> Observable<[UInt8]> {
        Observable.create { [self] observer in
            let (value, end) = state.withLock { state -> ([UInt8]?, (any Error)?) in
                if let place = state.values.firstIndex(where: isWanted) {
                    let value = state.values[place]
                    state.values.removeSubrange(...place)
                    return (value, nil)
                }
                state.values = []
                state.waiter = (isWanted, observer)
                return (nil, state.end)
            }
            if let value {
                observer.on(.next(value))
                observer.on(.completed)
            } else if let end {
                observer.on(.error(end))
            }
            return Disposables.create { [self] in state.withLock { $0.waiter = nil } }
        }
    }
}
