import Rx
import RxTest
import Testing

@Suite struct CreateTests {
    @Test func createIsDisposedOfAtTheEndAndIgnoresWhatFollows() {
        let log = Log<String>()
        _ = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            observer.onNext(2)
            observer.onError(TestError.first)
            return Disposables.create { log.add("gone") }
        }.subscribe(onNext: { log.add("\($0)") }, onCompleted: { log.add(".") }, onDisposed: { log.add("disposed") })
        #expect(log.all == ["1", ".", "disposed", "gone"])
    }

    @Test func createIsCancelledByDispose() {
        let log = Log<String>()
        let subscription = Observable<Int>.create { _ in Disposables.create { log.add("cancelled") } }
            .subscribe(onDisposed: { log.add("disposed") })
        subscription.dispose()
        subscription.dispose()
        #expect(log.all == ["cancelled", "disposed"])
    }

    @Test func simpleStreams() {
        let log = Log<String>()
        func note(_ stream: Observable<Int>) {
            _ = stream.subscribe(
                onNext: { log.add("\($0)") }, onError: { log.add("\($0)") }, onCompleted: { log.add(".") })
        }
        note(.just(1))
        note(.of(2, 3))
        note(.from([4, 5]))
        note(.from(optional: nil))
        note(.empty())
        note(.never())
        note(.error(TestError.first))
        note(.range(start: 6, count: 2))
        note(.range(start: Int.max, count: 1).map { $0 == .max ? 8 : 0 })
        #expect(log.all == ["1", ".", "2", "3", ".", "4", "5", ".", ".", ".", "first", "6", "7", ".", "8", "."])
    }

    @Test func deferredMakesAStreamForEachSubscription() {
        let made = Log<Int>()
        let stream = Observable<Int>.deferred {
            made.add(1)
            if made.count > 1 { throw TestError.second }
            return .just(made.count)
        }
        let log = Log<String>()
        for _ in 0..<2 { _ = stream.subscribe(onNext: { log.add("\($0)") }, onError: { log.add("\($0)") }) }
        #expect(log.all == ["1", "second"])
    }

    @Test func usingGivesItsResourceUp() {
        let log = Log<String>()
        let stream = Observable<Int>.using(
            { AnonymousResource { log.add("closed") } }, observableFactory: { _ in Observable.just(1) })
        _ = stream.subscribe(onNext: { log.add("\($0)") }, onCompleted: { log.add(".") })
        let broken = Observable<Int>.using(
            { AnonymousResource { log.add("closed") } }, observableFactory: { _ in throw TestError.first })
        _ = broken.subscribe(onError: { log.add("\($0)") })
        #expect(log.all == ["1", ".", "closed", "first", "closed"])
    }

    @Test func aStreamOfItsOwnTypeGetsTheOperators() {
        struct Clock: ObservableType {
            typealias Element = Int
            func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
            where Observer.Element == Int {
                observer.onNext(12)
                observer.onCompleted()
                return Disposables.create()
            }
        }
        let log = Log<Int>()
        _ = Clock().map { $0 + 1 }.subscribe(onNext: { log.add($0) })
        #expect(log.all == [13])
    }
}

/// A resource that says when it was given up.
final class AnonymousResource: Disposable {
    private let close: @Sendable () -> Void
    init(_ close: @escaping @Sendable () -> Void) { self.close = close }
    func dispose() { close() }
}
