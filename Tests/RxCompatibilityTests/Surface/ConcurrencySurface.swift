import Foundation
import Rx
import RxTest
import XCTest

private final class Box {
    let value: Int
    init(_ value: Int) { self.value = value }
}

private struct Countdown: AsyncSequence, AsyncIteratorProtocol {
    typealias Element = Box
    var box: Box

    mutating func next() async -> Box? {
        if box.value == 0 { return nil }
        defer { box = Box(box.value - 1) }
        return box
    }

    func makeAsyncIterator() -> Countdown { self }
}

/// `values`, `value` and `asObservable` with their declared types, for elements of any kind.
final class ConcurrencySurface: XCTestCase {
    func testStreamsAreSequences() async throws {
        let values: AsyncThrowingStream<Int, Error> = Observable.of(1, 2).values
        let sure: AsyncStream<Int> = Infallible.of(1, 2).values
        let boxes: AsyncThrowingStream<Box, Error> = Observable.of(Box(1), Box(2)).values
        var heard: [Int] = []
        for try await value in values { heard.append(value) }
        for await value in sure { heard.append(value) }
        for try await box in boxes { heard.append(box.value) }
        XCTAssertEqual(heard, [1, 2, 1, 2, 1, 2])
    }

    func testTraitsAreValues() async throws {
        let one: Int = try await Single.just(1).value
        let box: Box = try await Single.just(Box(2)).value
        let maybe: Int? = try await Maybe.just(3).value
        let none: Int? = try await Maybe<Int>.empty().value
        let nothing: Void = try await Completable.empty().value
        XCTAssertEqual([one, box.value, maybe, none], [1, 2, 3, nil])
        _ = nothing
        let made: Single<Int> = Single.create(detached: true, priority: .high) { () async throws -> Int in 4 }
        let short = Single<Int>.create { 5 }
        let sum = try await made.value + short.value
        XCTAssertEqual(sum, 9)
    }

    func testSequencesAreStreams() async throws {
        let numbers = AsyncStream<Int> { continuation in
            continuation.yield(1)
            continuation.yield(2)
            continuation.finish()
        }
        let stream: Observable<Int> = numbers.asObservable()
        let array = try await stream.toArray().value
        XCTAssertEqual(array, [1, 2])
        let own = try await Countdown(box: Box(2)).asObservable().map { $0.value }.toArray().value
        XCTAssertEqual(own, [2, 1])
        let failing = AsyncThrowingStream<Int, Error> { $0.finish(throwing: testError) }
        do {
            _ = try await failing.asObservable().toArray().value
            XCTFail("The sequence fails.")
        } catch {
            XCTAssertErrorEqual(error, testError)
        }
    }

    /// Converts a sequence in each possible way. The sequence has a type that only the caller knows.
    private func stream<Numbers: AsyncSequence>(of numbers: Numbers) -> Observable<Numbers.Element> {
        Observable.merge(
            numbers.asObservable(), numbers.asObservable(detached: true), numbers.asObservable(priority: .high),
            numbers.asObservable(detached: true, priority: .low))
    }

    func testSequencesAreStreamsWithEveryOption() async throws {
        let all = try await stream(of: Countdown(box: Box(1))).map { $0.value }.toArray().value
        XCTAssertEqual(all, [1, 1, 1, 1])
    }

    func testClosuresAreStreams() async throws {
        let stream = Observable<Int>.create { observer in
            observer(1)
            await Task.yield()
            observer(2)
        }
        let numbers = try await stream.toArray().value
        XCTAssertEqual(numbers, [1, 2])
        let work: (Observable<Int>.ElementObserver<Int>) async throws -> Void = { $0(3) }
        let made: Observable<Int> = Observable.create(detached: true, priority: .high, work: work)
        let number = try await made.asSingle().value
        XCTAssertEqual(number, 3)
        let sure: Infallible<Int> = Infallible.create(priority: .low) { observer in observer(await Task { 4 }.value) }
        for await number in sure.values { XCTAssertEqual(number, 4) }
        let usual = Observable<Int>.create { observer in
            observer.onNext(5)
            observer.onCompleted()
            return Disposables.create()
        }
        XCTAssertEqual(try usual.toBlocking().toArray(), [5])
    }

    func testValuesEndWithTheirTask() async throws {
        let subject = PublishSubject<Int>()
        let task = Task { () -> Int in
            var count = 0
            for try await _ in subject.values { count += 1 }
            return count
        }
        while !subject.hasObservers { await Task.yield() }
        task.cancel()
        _ = try? await task.value
        while subject.hasObservers { await Task.yield() }
        XCTAssertFalse(subject.hasObservers)
    }
}
