import Foundation
import Rx
import RxFoundation
import RxTest
import Testing

@Suite struct OperationQueueSchedulerTests {
    @Test func workIsAnOperationOfTheQueue() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: .high)
        let log = Guarded<[Int]>([])
        for number in 0..<50 {
            _ = scheduler.schedule(number) { number in
                log.withLock { $0.append(number) }
                return Disposables.create()
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.withLock { $0 } == Array(0..<50))
        #expect(scheduler.operationQueue === queue)
        #expect(scheduler.queuePriority == .high)
    }

    @Test func twoNamesAreMeasuredAtOnce() throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: .low)

        let lengths = Observable.from(["one", "three", "seven"])
            .flatMap { name in Observable.just(name).observe(on: scheduler).map(\.count) }

        #expect(Set(try lengths.toBlocking().toArray()) == [3, 5])
    }

    @Test func cancelledWorkDoesNotRun() {
        let queue = OperationQueue()
        queue.isSuspended = true
        let scheduler = OperationQueueScheduler(operationQueue: queue)
        let ran = Guarded(false)
        scheduler.schedule(()) { _ in
            ran.withLock { $0 = true }
            return Disposables.create()
        }.dispose()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(!ran.withLock { $0 })
    }

    @Test func theResultOfTheActionIsDisposedOf() {
        let queue = OperationQueue()
        let scheduler = OperationQueueScheduler(operationQueue: queue)
        let inner = BooleanDisposable()
        let work = scheduler.schedule(inner) { $0 }
        queue.waitUntilAllOperationsAreFinished()
        work.dispose()
        #expect(inner.isDisposed)
    }

    @Test func objectsOfFoundationHaveReactiveExtensions() {
        let object = NSObject()
        #expect(object.rx.base === object)
    }
}
