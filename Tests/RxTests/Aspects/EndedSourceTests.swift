import Rx
import RxTest
import Testing

/// A source that has ended is released at once, even if the operator continues.
@Suite struct EndedSourceTests {
    private final class Held: Sendable {}

    /// Streams that complete at tick 20. The closure of their last operator retains an object.
    struct Sources {
        let some: Observable<Int>
        let none: Observable<Int>
        let completable: Completable

        init(_ scheduler: TestScheduler, holding object: any AnyObject & Sendable) {
            let script = scheduler.createHotObservable([.next(10, 1), .completed(20)] as [RecordedEvent<Int>])
            some = script.do(onCompleted: { _ = object })
            none = script.filter { _ in false }.do(onCompleted: { _ = object })
            completable = script.ignoreElements().asCompletable().do(onCompleted: { _ = object })
        }
    }

    static let operators: [(String, @Sendable (Sources) -> Observable<Int>)] = [
        ("andThen", { $0.completable.andThen(.never()) }),
        (
            "andThen of a Completable",
            { $0.completable.andThen(Completable.never()).asObservable().map(OneSource.none) }
        ),
        ("andThen of a Single", { $0.completable.andThen(Single<Int>.never()).asObservable() }),
        ("andThen of a Maybe", { $0.completable.andThen(Maybe<Int>.never()).asObservable() }),
        ("merge", { Observable.merge($0.some, .never()) }),
        ("zip", { Observable.zip($0.some, Observable<Int>.never()) { $0 + $1 } }),
        ("combineLatest", { Observable.combineLatest($0.some, Observable<Int>.never()) { $0 + $1 } }),
        ("sample", { $0.some.sample(Observable<Int>.never()) }),
        ("sampler", { Observable<Int>.never().sample($0.some) }),
        ("take(until:)", { Observable<Int>.never().take(until: $0.none) }),
        ("skip(until:)", { Observable<Int>.never().skip(until: $0.none) }),
        ("skip(until:) opened", { Observable<Int>.never().skip(until: $0.some) }),
        ("withLatestFrom", { Observable<Int>.never().withLatestFrom($0.some) { $0 + $1 } }),
        ("flatMap, outer", { $0.some.flatMap { _ in Observable<Int>.never() } }),
        ("flatMapLatest, outer", { $0.some.flatMapLatest { _ in Observable<Int>.never() } }),
        ("concatMap, outer", { $0.some.concatMap { _ in Observable<Int>.never() } }),
        ("ifEmpty(switchTo:)", { $0.none.ifEmpty(switchTo: .never()) }),
    ]

    @Test("An operator that continues releases a source that has ended", arguments: operators.indices)
    func anEndedSourceIsReleased(_ index: Int) {
        let (name, make) = Self.operators[index]
        let scheduler = TestScheduler(initialClock: 0)
        weak var gone: Held?
        let subscription: any Disposable
        do {
            let object = Held()
            gone = object
            subscription = make(Sources(scheduler, holding: object)).subscribe()
        }
        #expect(gone != nil, "\(name)")
        scheduler.advanceTo(30)
        #expect(gone == nil, "\(name)")
        subscription.dispose()
    }

    @Test("andThen subscribes to the second stream before it disposes of the first")
    func orderOfAndThen() {
        let log = Log<String>()
        func named(_ name: String) -> Observable<Never> {
            Observable<Never>.create { observer in
                log.add("+\(name)")
                if name == "first" { observer.onCompleted() }
                return Disposables.create { log.add("-\(name)") }
            }
        }
        let subject = PublishSubject<Never>()
        let first = Observable.create { observer in
            log.add("+first")
            let inner = subject.subscribe(observer)
            return Disposables.create {
                log.add("-first")
                inner.dispose()
            }
        }
        let subscription = first.asCompletable().andThen(named("second").asCompletable()).subscribe()
        subject.onCompleted()
        #expect(log.all == ["+first", "+second", "-first"])
        subscription.dispose()
        #expect(log.all == ["+first", "+second", "-first", "-second"])
    }
}
