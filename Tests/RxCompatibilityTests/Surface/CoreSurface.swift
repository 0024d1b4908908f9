import Foundation
import Rx
import RxTest
import XCTest

private final class Owner {}

/// `Event`, `RxError`, `AnyObserver`, `Observable`, `Hooks` and the basic protocols.
final class CoreSurface: ResourceCountingCase {
    func testEventsByPattern() {
        func describe<T>(_ event: Event<T>) -> String {
            switch event {
            case let .next(value): return "next \(value)"
            case let .error(error): return "error \(error)"
            case .completed: return "completed"
            }
        }
        XCTAssertEqual(describe(Event.next(1)), "next 1")
        XCTAssertEqual(describe(Event<Int>.completed), "completed")
        XCTAssertEqual(Event<Int>.next(1).debugDescription, "next(1)")
        XCTAssertEqual(Event<Int>.error(RxError.overflow).debugDescription, "error(Arithmetic overflow occurred.)")
        XCTAssertEqual(Event<Int>.completed.debugDescription, "completed")
        let element: Int? = Event.next(3).element
        let error: Swift.Error? = Event<Int>.error(testError).error
        XCTAssertEqual(element, 3)
        XCTAssertNotNil(error)
        let mapped: Event<String> = Event.next(3).map { (value: Int) throws -> String in "\(value)" }
        XCTAssertEqual(mapped, Event.next("3"))
        XCTAssertEqual(Event<Int>.completed.map { $0 + 1 }, .completed)
        func event<E: EventConvertible>(_ e: E) -> Event<E.Element> { e.event }
        XCTAssertEqual(event(Event.next(2)), .next(2))
        XCTAssertEqual(event(InfallibleEvent.next(2)), .next(2))
        XCTAssertEqual(event(InfallibleEvent<Int>.completed), .completed)
    }

    func testErrorsAndTheirMessages() {
        let all: [(RxError, String)] = [
            (.unknown, "Unknown error occurred."), (.disposed(object: "x"), "Object `x` was already disposed."),
            (.overflow, "Arithmetic overflow occurred."), (.argumentOutOfRange, "Argument out of range."),
            (.noElements, "Sequence doesn't contain any elements."),
            (.moreThanOneElement, "Sequence contains more than one element."), (.timeout, "Sequence timeout."),
        ]
        for (error, message) in all { XCTAssertEqual(error.debugDescription, message) }
        let owner = Owner()
        guard case .disposed(let object) = RxError.disposed(object: owner) else { return XCTFail("It is disposed.") }
        XCTAssertTrue(object as? Owner === owner)
        let anything: Any = object
        XCTAssertTrue(anything as AnyObject === owner)
    }

    func testAnyObserversAreMadeOfAHandlerOrAnObserver() {
        var log: [Event<Int>] = []
        let handler: AnyObserver<Int>.EventHandler = { log.append($0) }
        let observer = AnyObserver<Int>(eventHandler: handler)
        let trailing = AnyObserver<Int> { (event: Event<Int>) in log.append(event) }
        let wrapped: AnyObserver<Int> = AnyObserver(trailing)
        let same: AnyObserver<Int> = wrapped.asObserver()
        observer.on(.next(1))
        observer.onNext(2)
        same.onNext(3)
        same.onError(testError)
        trailing.onCompleted()
        XCTAssertEqual(log, [.next(1), .next(2), .next(3), .error(testError), .completed])
    }

    func testMappedObservers() {
        let mock = PrimitiveMockObserver()
        let mapped: AnyObserver<String> = mock.mapObserver { (text: String) throws -> Int in
            guard let number = Int(text) else { throw testError }
            return number
        }
        mapped.on(.next("1"))
        mapped.on(.next("x"))
        XCTAssertEqual(mock.events, [.next(0, 1), .error(0, testError)])
    }

    func testAStreamIsConverted() {
        func erase<Source: ObservableConvertibleType>(_ source: Source) -> Observable<Source.Element> {
            source.asObservable()
        }
        let xs: Observable<Int> = Observable.just(1)
        XCTAssertTrue(erase(xs) === xs)
        XCTAssertTrue(xs.asObservable() === xs)
        let element: Observable<Int>.Element = 2
        XCTAssertEqual(element, 2)
        XCTAssertEqual(try! erase(Single.just(1)).toBlocking().first(), 1)
    }

    func testAllFormsOfSubscribe() {
        var log: [String] = []
        let owner = Owner()
        let xs = Observable.of(1, 2)
        _ = xs.subscribe()
        _ = xs.subscribe { log.append("\($0)") }
        _ = xs.subscribe(
            onNext: { (value: Int) in log.append("n\(value)") }, onError: { (_: Error) in },
            onCompleted: { log.append("c") }, onDisposed: { log.append("d") })
        _ = xs.subscribe(
            with: owner, onNext: { (_: Owner, value: Int) in log.append("w\(value)") }, onError: { _, _ in },
            onCompleted: { _ in log.append("wc") }, onDisposed: { _ in log.append("wd") })
        _ = xs.subscribe(with: owner) { _, value in log.append("t\(value)") }
        XCTAssertEqual(
            log, ["next(1)", "next(2)", "completed", "n1", "n2", "c", "d", "w1", "w2", "wc", "wd", "t1", "t2"])
    }

    func testSubscribingWithAnObjectThatIsGone() {
        var owner: Owner? = Owner()
        let subject = PublishSubject<Int>()
        var log: [String] = []
        let subscription = subject.subscribe(
            with: owner!, onNext: { _, value in log.append("\(value)") }, onDisposed: { _ in log.append("disposed") })
        subject.onNext(1)
        owner = nil
        subject.onNext(2)
        subscription.dispose()
        XCTAssertEqual(log, ["1"])
        XCTAssertFalse(subject.hasObservers)
    }

    func testHooksHaveTheirTypes() {
        let before: Hooks.DefaultErrorHandler = Hooks.defaultErrorHandler
        let capture: Hooks.CustomCaptureSubscriptionCallstack = Hooks.customCaptureSubscriptionCallstack
        let record: Bool = Hooks.recordCallStackOnError
        defer {
            Hooks.defaultErrorHandler = before
            Hooks.customCaptureSubscriptionCallstack = capture
            Hooks.recordCallStackOnError = record
        }
        var heard: [String] = []
        Hooks.recordCallStackOnError = true
        Hooks.customCaptureSubscriptionCallstack = { ["here"] }
        Hooks.defaultErrorHandler = { (stack: [String], error: Error) in heard += stack + ["\(error)"] }
        _ = Observable<Int>.error(RxError.timeout).subscribe(onNext: { _ in })
        XCTAssertEqual(heard, ["here", "Sequence timeout."])
    }
}
