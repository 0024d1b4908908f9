import Foundation
import Rx
import RxFoundation
import RxTest
import XCTest

/// The scheduler for an `OperationQueue`, which is in the module RxFoundation.
final class OperationQueueSchedulerShapeTests: XCTestCase {
    func testWorkIsDoneOnTheQueue() {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let scheduler = OperationQueueScheduler(operationQueue: queue, queuePriority: .high)
        XCTAssertEqual(try Observable.of(1, 2).observe(on: scheduler).toBlocking(timeout: 60).toArray(), [1, 2])
        XCTAssertEqual(scheduler.queuePriority, .high)
        XCTAssertTrue(scheduler.operationQueue === queue)
        XCTAssertTrue(OperationQueueScheduler(operationQueue: queue).operationQueue === queue)
    }

    func testWorkIsTakenBack() {
        let queue = OperationQueue()
        queue.isSuspended = true
        let scheduler = OperationQueueScheduler(operationQueue: queue)
        var done = false
        let work = scheduler.schedule(()) { _ in
            done = true
            return Disposables.create()
        }
        work.dispose()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        XCTAssertFalse(done)
    }
}
