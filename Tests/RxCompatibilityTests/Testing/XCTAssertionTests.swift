import Rx
import RxTest
import XCTest

final class XCTAssertionTests: XCTestCase {
    private enum Failure: Error { case one, two }

    func testOutcomesOfSinglesAreCompared() {
        XCTAssertEqual(SingleEvent<Int>.success(1), .success(1))
        XCTAssertEqual([SingleEvent<Int>.success(1), .failure(Failure.one)], [.success(1), .failure(Failure.one)])
    }

    func testRecordedElements() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, "a"), .next(220, "b"), .completed(230)])
        XCTAssertRecordedElements(scheduler.start { source }.events, ["a", "b"])
    }
}
