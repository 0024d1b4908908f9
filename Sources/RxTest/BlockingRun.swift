import Dispatch
import Rx

/// One wait for a stream: collects elements until there are enough or the stream or the time ends.
///
/// Guard for `@unchecked`: `lock` guards `elements` and `result`; the other fields do not change.
final class BlockingRun<Element>: @unchecked Sendable {
    private let requiredCount: Int
    private let predicate: @Sendable (Element) throws -> Bool
    private let subscription = SingleAssignmentDisposable()
    private let ended = DispatchSemaphore(value: 0)
    private let isOnMainThread = MainRunLoop.isCurrent

    private let lock = Lock()
    private var elements: [Element] = []
    private var result: MaterializedSequenceResult<Element>?

    init(_ requiredCount: Int, _ predicate: @escaping @Sendable (Element) throws -> Bool) {
        self.requiredCount = requiredCount
        self.predicate = predicate
    }

    func wait(for stream: Observable<Element>, timeout: Double?) -> MaterializedSequenceResult<Element> {
        let deadline = timeout.map { .now() + max($0, 0) } ?? DispatchTime.distantFuture
        begin(stream, until: deadline)
        if isOnMainThread { MainRunLoop.run(until: deadline) { self.lock.withLock { self.result == nil } } }
        // If there is a result already, `end` has no effect.
        if ended.wait(timeout: deadline) == .timedOut { end(RxError.timeout) }
        subscription.dispose()
        return lock.withLock { result ?? .completed(elements: []) }
    }

    private func begin(_ stream: Observable<Element>, until deadline: DispatchTime) {
        guard CurrentThreadScheduler.isScheduleRequired else {
            // The caller is inside a subscription. Work for the current thread would wait for the caller, which waits
            // here, so another thread subscribes.
            DispatchQueue(label: "RxTest.toBlocking").async { self.subscribe(to: stream, until: deadline) }
            return
        }
        // Subscribes as work of the current thread, so that `subscribe` returns before a cold stream starts. Otherwise
        // an endless stream could not be disposed of.
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
            self.subscribe(to: stream, until: deadline)
            return Disposables.create()
        }
    }

    private func subscribe(to stream: Observable<Element>, until deadline: DispatchTime) {
        subscription.setDisposable(
            stream.subscribe(
                onNext: { self.take($0, until: deadline) }, onError: { self.end($0) }, onCompleted: { self.end(nil) }))
    }

    private func take(_ element: Element, until deadline: DispatchTime) {
        do {
            if try predicate(element) {
                let count = lock.withLock {
                    if result == nil { elements.append(element) }
                    return elements.count
                }
                if count >= requiredCount { end(nil) }
            }
            // Checks the time at each element, because a stream that sends on the calling thread without a pause never
            // returns to `wait`.
            if deadline != .distantFuture, DispatchTime.now() > deadline { end(RxError.timeout) }
        } catch {
            end(error)
        }
    }

    private func end(_ error: (any Error)?) {
        lock.withLock {
            if result != nil { return }
            result = error.map { .failed(elements: elements, error: $0) } ?? .completed(elements: elements)
        }
        subscription.dispose()
        ended.signal()
        if isOnMainThread { MainRunLoop.wake() }
    }
}
