import Rx
import RxTest
import Testing

/// A source that ended is let go of at once, although the operator goes on.
@Suite struct EndedSourceTests {
    private final class Held: Sendable {}

    /// A stream that ends with the script and refers to an object in its closures.
    private static func stream(_ script: TestableObservable<Int>, holding object: Held) -> Observable<Int> {
        script.do(onNext: { _ in _ = object }, onCompleted: { _ = object })
    }

    static let operators: [(String, @Sendable (Observable<Int>) -> Observable<Int>)] = [
        ("andThen", { $0.ignoreElements().asCompletable().andThen(.never()) }),
        (
            "andThen of a Completable",
            { $0.ignoreElements().asCompletable().andThen(Completable.never()).asObservable().map(OneSource.none) }
        ),
        ("andThen of a Single", { $0.ignoreElements().asCompletable().andThen(Single<Int>.never()).asObservable() }),
        ("andThen of a Maybe", { $0.ignoreElements().asCompletable().andThen(Maybe<Int>.never()).asObservable() }),
        ("merge", { Observable.merge($0, .never()) }),
        ("zip", { Observable.zip($0, Observable<Int>.never()) { $0 + $1 } }),
        ("combineLatest", { Observable.combineLatest($0, Observable<Int>.never()) { $0 + $1 } }),
        ("sample", { $0.sample(Observable<Int>.never()) }), ("sampler", { Observable<Int>.never().sample($0) }),
        ("take(until:)", { Observable<Int>.never().take(until: $0.filter { _ in false }) }),
        ("skip(until:)", { Observable<Int>.never().skip(until: $0.filter { _ in false }) }),
        ("skip(until:) opened", { Observable<Int>.never().skip(until: $0) }),
        ("withLatestFrom", { Observable<Int>.never().withLatestFrom($0) { $0 + $1 } }),
        ("flatMap, outer", { $0.flatMap { _ in Observable<Int>.never() } }),
        ("flatMapLatest, outer", { $0.flatMapLatest { _ in Observable<Int>.never() } }),
        ("concatMap, outer", { $0.concatMap { _ in Observable<Int>.never() } }),
        ("catch", { ($0.concat(Observable.error(TestError.first))).catch { _ in .never() } }),
        ("ifEmpty(switchTo:)", { $0.filter { _ in false }.ifEmpty(switchTo: .never()) }),
    ]

    @Test("An operator that goes on lets go of a source that ended", arguments: operators.indices)
    func itIsLetGo(_ index: Int) {
        let (name, make) = Self.operators[index]
        let scheduler = TestScheduler(initialClock: 0)
        let script = scheduler.createHotObservable([.next(10, 1), .completed(20)] as [Line<Int>])
        weak var gone: Held?
        let subscription: any Disposable
        do {
            let object = Held()
            gone = object
            subscription = make(Self.stream(script, holding: object)).subscribe()
        }
        #expect(gone != nil, "\(name)")
        scheduler.advanceTo(30)
        #expect(gone == nil, "\(name)")
        subscription.dispose()
    }

    @Test("andThen subscribes to the second one before it leaves the first")
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
