import Rx
import RxTest
import XCTest

private enum TestError: Error { case one }

/// Conversions between streams and Swift concurrency, as in RxSwift 6.5 and later.
final class AsyncTests: XCTestCase {
    func testValues() async throws {
        var heard: [Int] = []
        for try await value in Observable.of(1, 2, 3).values { heard.append(value) }
        XCTAssertEqual(heard, [1, 2, 3])
        do {
            for try await _ in Observable<Int>.error(TestError.one).values { XCTFail("There is no element.") }
            XCTFail("The stream failed.")
        } catch {
            XCTAssertEqual(error as? TestError, .one)
        }
    }

    func testTraits() async throws {
        let single = try await Single.just(1).value
        let maybe = try await Maybe<Int>.empty().value
        try await Completable.empty().value
        XCTAssertEqual(single, 1)
        XCTAssertNil(maybe)
        do {
            _ = try await Single<Int>.error(TestError.one).value
            XCTFail("The stream failed.")
        } catch {
            XCTAssertEqual(error as? TestError, .one)
        }
    }

    func testASequenceIsAStream() async throws {
        let sequence = AsyncStream<Int> { continuation in
            (1...3).forEach { continuation.yield($0) }
            continuation.finish()
        }
        var heard: [Int] = []
        for try await value in sequence.asObservable().map({ $0 * 2 }).values { heard.append(value) }
        XCTAssertEqual(heard, [2, 4, 6])
    }

    func testASingleOfATask() async throws {
        let good = Single.create { () async throws -> Int in 7 }
        let value = try await good.value
        XCTAssertEqual(value, 7)
        let bad = Single<Int>.create { throw TestError.one }
        do {
            _ = try await bad.value
            XCTFail("The task failed.")
        } catch {
            XCTAssertEqual(error as? TestError, .one)
        }
    }
}
