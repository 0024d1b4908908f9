import Rx
import RxDeprecated
import RxTest
import XCTest

private enum TestError: Error { case one }

/// Names of RxSwift 5 that RxSwift 6 still accepts with a warning.
final class DeprecatedNameTests: XCTestCase {
    private let scheduler = TestScheduler(initialClock: 0)

    private func all<Stream: ObservableConvertibleType>(_ stream: Stream) throws -> [Stream.Element] {
        try stream.toBlocking(timeout: 5).toArray()
    }

    func testErrors() throws {
        let failing = Observable.of(1).concat(Observable.error(TestError.one))
        XCTAssertEqual(try all(failing.catchErrorJustReturn(2)), [1, 2])
        XCTAssertEqual(try all(failing.catchError { _ in .just(3) }), [1, 3])
        XCTAssertEqual(try all(failing.take(2).retryWhen { (e: Observable<Error>) in e.take(0) }), [1])
        XCTAssertEqual(try all(Observable.catchError([Observable.just(1)])), [1])
    }

    func testFilters() throws {
        let a = Observable.of(1, 2, 3)
        XCTAssertEqual(try all(a.takeWhile { $0 < 2 }), [1])
        XCTAssertEqual(try all(a.skipWhile { $0 < 2 }), [2, 3])
        XCTAssertEqual(try all(a.takeUntil(Observable<Int>.never())), [1, 2, 3])
        XCTAssertEqual(try all(a.takeUntil(.inclusive) { $0 == 2 }), [1, 2])
        XCTAssertEqual(try all(a.skipUntil(Observable.just(0))), [1, 2, 3])
        XCTAssertEqual(try all(a.elementAt(1)), [2])
    }

    func testSchedulers() throws {
        let queue = SerialDispatchQueueScheduler(qos: .default)
        XCTAssertEqual(try all(Observable.of(1, 2).observeOn(queue)), [1, 2])
        XCTAssertEqual(try all(Observable.of(1, 2).subscribeOn(queue)), [1, 2])
        let result = scheduler.start { Observable.of(1).take(.seconds(5), scheduler: self.scheduler) }
        XCTAssertEqual(result.events, [.next(200, 1), .completed(200)])
        let skipped = Observable.of(1).skip(.seconds(5), scheduler: scheduler)
        skipped.subscribe().dispose()
    }

    func testTraits() throws {
        XCTAssertEqual(try all(Single<Int>.error(TestError.one).catchErrorJustReturn(4)), [4])
        XCTAssertEqual(try all(Single<Int>.error(TestError.one).catchError { _ in .just(5) }), [5])
        let queue = SerialDispatchQueueScheduler(qos: .default)
        XCTAssertEqual(try all(Single.just(1).observeOn(queue).subscribeOn(queue)), [1])
        var errors = 0
        _ = Single<Int>.error(TestError.one).subscribe(onSuccess: { _ in }, onError: { _ in errors += 1 })
        XCTAssertEqual(errors, 1)
    }
}
