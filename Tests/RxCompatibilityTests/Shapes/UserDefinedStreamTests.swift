import Rx
import RxTest
import XCTest

private enum TestError: Error, Equatable { case one, two }

/// A hot stream that a user has written: a list of observers, without a base class.
private class HotStream<Value>: ObservableType {
    typealias Element = Value

    var observers: [Int: AnyObserver<Value>] = [:]
    var log: [String] = []
    private var next = 0

    func subscribe<Observer>(_ observer: Observer) -> Disposable
    where Observer: ObserverType, Value == Observer.Element {
        next += 1
        let key = next
        observers[key] = AnyObserver(observer)
        log.append("+\(key)")
        return Disposables.create {
            self.observers[key] = nil
            self.log.append("-\(key)")
        }
    }

    func send(_ event: Event<Value>) {
        for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer.on(event) }
    }
}

/// An observer that a user has written.
private final class Recorder<Value>: ObserverType {
    typealias Element = Value
    var events: [Event<Value>] = []
    func on(_ event: Event<Value>) { events.append(event) }
}

/// A subject that a user has written, similar to those in RxSwift's own tests: it counts and forwards.
private final class CountingSubject<Value>: SubjectType, ObserverType {
    typealias Element = Value
    typealias Observer = CountingSubject<Value>

    private let inner = PublishSubject<Value>()
    var subscribed = 0
    var disposed = 0
    var heard: [Event<Value>] = []

    func subscribe<O: ObserverType>(_ observer: O) -> Disposable where O.Element == Value {
        subscribed += 1
        let subscription = inner.subscribe(observer)
        return Disposables.create {
            subscription.dispose()
            self.disposed += 1
        }
    }

    func on(_ event: Event<Value>) {
        heard.append(event)
        inner.on(event)
    }

    func asObserver() -> CountingSubject<Value> { self }
}

/// A connectable stream that a user has written.
private final class ManualConnectable<Value>: ConnectableObservableType {
    typealias Element = Value
    let subject = PublishSubject<Value>()
    var connections = 0
    var disconnections = 0

    func subscribe<O: ObserverType>(_ observer: O) -> Disposable where O.Element == Value {
        subject.subscribe(observer)
    }

    func connect() -> Disposable {
        connections += 1
        return Disposables.create { self.disconnections += 1 }
    }
}

final class UserDefinedStreamTests: XCTestCase {
    func testAnOwnHotStreamGoesThroughEveryOperator() {
        let hot = HotStream<Int>()
        var heard: [Int] = []
        let subscription = hot.map { $0 * 2 }.filter { $0 > 2 }.subscribe(onNext: { heard.append($0) })
        hot.send(.next(1))
        hot.send(.next(2))
        subscription.dispose()
        hot.send(.next(3))
        XCTAssertEqual(heard, [4])
        XCTAssertEqual(hot.log, ["+1", "-1"])
    }

    func testAnOwnHotStreamIsLeftWhenItEnds() {
        let hot = HotStream<Int>()
        let recorder = Recorder<Int>()
        _ = hot.asObservable().subscribe(recorder)
        hot.send(.next(1))
        hot.send(.error(TestError.one))
        hot.send(.next(2))
        XCTAssertEqual(recorder.events, [.next(1), .error(TestError.one)])
        XCTAssertEqual(hot.log, ["+1", "-1"])
    }

    func testAnOwnHotStreamIsAnArgumentOfOperators() {
        let source = HotStream<Int>()
        let other = HotStream<String>()
        var heard: [String] = []
        let subscription = Observable.combineLatest(source, other) { "\($0)\($1)" }
            .take(until: HotStream<Void>())
            .subscribe(onNext: { heard.append($0) })
        source.send(.next(1))
        other.send(.next("a"))
        source.send(.next(2))
        subscription.dispose()
        XCTAssertEqual(heard, ["1a", "2a"])
        XCTAssertEqual(source.observers.count + other.observers.count, 0)
    }

    func testAnOwnHotStreamIsSubscribedWithClosuresDirectly() {
        let hot = HotStream<Int>()
        var log: [String] = []
        _ = hot.subscribe(
            onNext: { log.append("next \($0)") }, onCompleted: { log.append("completed") },
            onDisposed: { log.append("disposed") })
        _ = hot.subscribe { event in log.append("\(event)") }
        hot.send(.next(1))
        hot.send(.completed)
        XCTAssertEqual(log, ["next 1", "next(1)", "completed", "disposed", "completed"])
    }

    func testAnOwnObserverIsSubscribedMappedAndErased() {
        let recorder = Recorder<Int>()
        let erased: AnyObserver<Int> = recorder.asObserver()
        let mapped: AnyObserver<String> = erased.mapObserver { text in
            guard let number = Int(text) else { throw TestError.two }
            return number
        }
        _ = Observable.of("1", "2", "x").subscribe(mapped)
        XCTAssertEqual(recorder.events, [.next(1), .next(2), .error(TestError.two), .completed])
    }

    func testAnOwnSubjectIsMulticast() {
        let source = PublishSubject<Int>()
        let subject = CountingSubject<Int>()
        let connectable = source.multicast(subject)
        var heard: [Int] = []
        let subscription = connectable.subscribe(onNext: { heard.append($0) })
        let connection = connectable.connect()
        source.onNext(1)
        subscription.dispose()
        source.onNext(2)
        connection.dispose()
        source.onNext(3)
        XCTAssertEqual(heard, [1])
        XCTAssertEqual(subject.heard, [.next(1), .next(2)])
        XCTAssertEqual([subject.subscribed, subject.disposed], [1, 1])
    }

    func testAnOwnSubjectIsMadeForEachRun() {
        let source = PublishSubject<Int>()
        var made: [CountingSubject<Int>] = []
        let shared = source.multicast(makeSubject: { () -> CountingSubject<Int> in
            let subject = CountingSubject<Int>()
            made.append(subject)
            return subject
        }).refCount()
        shared.subscribe(onNext: { _ in }).dispose()
        let second = shared.subscribe(onNext: { _ in })
        source.onNext(7)
        second.dispose()
        XCTAssertEqual(made.map(\.heard), [[], [.next(7)]])
    }

    func testAnOwnConnectableStreamIsCounted() {
        let connectable = ManualConnectable<Int>()
        let counted = connectable.refCount()
        var heard: [Int] = []
        let first = counted.subscribe(onNext: { heard.append($0) })
        let second = counted.subscribe(onNext: { heard.append($0 * 10) })
        XCTAssertEqual(connectable.connections, 1)
        connectable.subject.onNext(1)
        first.dispose()
        XCTAssertEqual(connectable.disconnections, 0)
        second.dispose()
        XCTAssertEqual(connectable.disconnections, 1)
        counted.subscribe(onNext: { _ in }).dispose()
        XCTAssertEqual([connectable.connections, connectable.disconnections], [2, 2])
        XCTAssertEqual(heard, [1, 10])
    }
}
