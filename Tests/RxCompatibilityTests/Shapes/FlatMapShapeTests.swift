import Rx
import RxTest
import XCTest

/// The ways to call `flatMap` and similar operators in code for RxSwift. Each must compile and work.
final class FlatMapShapeTests: XCTestCase {
    private struct Custom<Element>: ObservableConvertibleType {
        let element: Element
        func asObservable() -> Observable<Element> { .just(element) }
    }

    private final class Model {
        var numbers: Observable<Int>? = .just(7)
        func twice(_ value: Int) -> Observable<Int> { .of(value, value) }
        func checked(_ value: Int) throws -> Single<Int> { .just(value + 1) }
    }

    private let source = Observable.of(1, 2)
    private let model = Model()

    private func all<Stream: ObservableConvertibleType>(_ stream: Stream) throws -> [Stream.Element] {
        try stream.toBlocking(timeout: 5).toArray()
    }

    func testEachKindOfStream() throws {
        XCTAssertEqual(try all(source.flatMap { Observable.just($0) }), [1, 2])
        XCTAssertEqual(try all(source.flatMap { Single.just("\($0)") }), ["1", "2"])
        XCTAssertEqual(try all(source.concatMap { Maybe<Int>.just($0) }), [1, 2])
        XCTAssertEqual(try all(source.flatMapLatest { _ in Completable.empty() }).count, 0)
        XCTAssertEqual(try all(source.flatMapFirst { Infallible.just($0) }), [1, 2])
        XCTAssertEqual(try all(source.flatMap { BehaviorSubject(value: $0).take(1) }), [1, 2])
        XCTAssertEqual(try all(source.flatMap { Custom(element: $0) }), [1, 2])
        XCTAssertEqual(try all(Infallible.of(1, 2).flatMap { Infallible.just($0) }), [1, 2])
        XCTAssertEqual(try all(Infallible.of(1, 2).asObservable().flatMap { Single.just($0) }), [1, 2])
    }

    func testFunctionsInsteadOfClosures() throws {
        XCTAssertEqual(try all(source.flatMap(model.twice)), [1, 1, 2, 2])
        XCTAssertEqual(try all(source.concatMap(model.checked)), [2, 3])
        XCTAssertEqual(try all(source.flatMap(Observable.just)), [1, 2])
        let selector: (Int) throws -> Single<Int> = model.checked
        XCTAssertEqual(try all(source.flatMapLatest(selector)), [2, 3])
        XCTAssertEqual(try all(Observable.just(Custom(element: 3)).flatMap(\.element.stream)), [3])
        let apply: (@escaping @Sendable (Int) throws -> Observable<Int>) -> Observable<Int> = source.flatMap
        XCTAssertEqual(try all(apply { .just($0) }), [1, 2])
    }

    func testAnnotatedClosures() throws {
        let annotated: Observable<String> = source.flatMap { (value: Int) throws -> Observable<String> in
            .just("\(value)")
        }
        XCTAssertEqual(try all(annotated), ["1", "2"])
        let several: Observable<Int> = source.flatMap { value -> Observable<Int> in
            if value == 1 { return .empty() }
            return .just(value)
        }
        XCTAssertEqual(try all(several), [2])
        let failing = source.flatMap { value -> Single<Int> in
            guard value < 2 else { throw testError }
            return .just(value)
        }
        XCTAssertThrowsError(try all(failing))
    }

    func testOptionalChainsAndConditions() throws {
        let optional: Model? = model
        XCTAssertEqual(try all(source.flatMap { _ in optional?.numbers ?? .empty() }), [7, 7])
        XCTAssertEqual(try all(source.flatMapLatest { $0 == 1 ? Observable.just($0) : .empty() }), [1])
        XCTAssertEqual(try all(source.flatMap { [weak model] in model?.twice($0) ?? .never() }), [1, 1, 2, 2])
    }
}

extension Int {
    fileprivate var stream: Observable<Int> { .just(self) }
}
