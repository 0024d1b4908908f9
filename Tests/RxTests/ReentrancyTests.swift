import Dispatch
import Rx
import RxTest
import Testing

/// Every operator that keeps something is disposed of from inside its own element, and must then be silent.
@Suite struct ReentrancyTests {
    typealias Make = @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>

    static let operators: [(String, Make)] = [
        ("map", { stream, _ in stream.map { $0 } }), ("compactMap", { stream, _ in stream.compactMap { $0 } }),
        ("filter", { stream, _ in stream.filter { _ in true } }), ("scan", { stream, _ in stream.scan(0) { $1 } }),
        ("flatMap", { stream, _ in stream.flatMap { Observable.just($0) } }),
        ("flatMapFirst", { stream, _ in stream.flatMapFirst { Observable.just($0) } }),
        ("flatMapLatest", { stream, _ in stream.flatMapLatest { Observable.just($0) } }),
        ("concatMap", { stream, _ in stream.concatMap { Observable.of($0, $0) } }),
        ("take", { stream, _ in stream.take(4) }), ("takeWhile", { stream, _ in stream.take(while: { _ in true }) }),
        ("takeUntil", { stream, _ in stream.take(until: Observable<Int>.never()) }),
        ("takeFor", { stream, scheduler in stream.take(for: .seconds(500), scheduler: scheduler) }),
        ("takeLast", { stream, _ in stream.takeLast(3) }), ("skip", { stream, _ in stream.skip(1) }),
        ("skipWhile", { stream, _ in stream.skip(while: { $0 < 2 }) }),
        ("skipUntil", { stream, _ in stream.skip(until: Observable.just(1)) }),
        ("distinct", { stream, _ in stream.distinctUntilChanged() }),
        ("debounce", { stream, scheduler in stream.debounce(.seconds(5), scheduler: scheduler) }),
        ("throttle", { stream, scheduler in stream.throttle(.seconds(5), scheduler: scheduler) }),
        ("delay", { stream, scheduler in stream.delay(.seconds(5), scheduler: scheduler) }),
        ("timeout", { stream, scheduler in stream.timeout(.seconds(90), scheduler: scheduler) }),
        ("observe", { stream, scheduler in stream.observe(on: scheduler) }),
        ("subscribe", { stream, scheduler in stream.subscribe(on: scheduler) }),
        ("merge", { stream, _ in Observable.merge(stream, .never()) }),
        ("concat", { stream, _ in stream.concat(Observable.just(9)) }),
        ("zip", { stream, _ in Observable.zip(stream, Observable.range(start: 0, count: 9)) { $0 + $1 } }),
        ("combineLatest", { stream, _ in Observable.combineLatest(stream, Observable.of(1, 2)) { $0 + $1 } }),
        ("withLatestFrom", { stream, _ in stream.withLatestFrom(Observable.just(5)) }),
        ("amb", { stream, _ in stream.amb(Observable.never()) }),
        ("switchLatest", { stream, _ in stream.map { Observable.of($0, $0) }.switchLatest() }),
        ("catch", { stream, _ in stream.catch { _ in .just(1) } }), ("retry", { stream, _ in stream.retry() }),
        ("do", { stream, _ in stream.do(onNext: { _ in }) }), ("ifEmpty", { stream, _ in stream.ifEmpty(default: 1) }),
        ("share", { stream, _ in stream.share() }), ("shareReplay", { stream, _ in stream.share(replay: 2) }),
        ("refCount", { stream, _ in stream.publish().refCount() }),
        ("startWith", { stream, _ in stream.startWith(8, 9) }),
    ]

    @Test(arguments: operators.indices)
    func disposeInsideAnElementSilences(_ index: Int) {
        let (name, make) = Self.operators[index]
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let log = Log<Int>()
        let holder = Holder()
        let disposed = Log<Int>()
        let stream = make(source.asObservable(), scheduler)
        scheduler.scheduleAt(200) {
            holder.hold(
                stream.subscribe(
                    onNext: { value in
                        log.add(value)
                        holder.drop()
                    }, onError: { _ in log.add(-1) }, onCompleted: { log.add(-2) }, onDisposed: { disposed.add(1) }))
        }
        scheduler.start()
        // What comes before `subscribe` returned cannot be stopped by its result.
        if name == "startWith" { #expect(log.all == [8, 9]) } else { #expect(log.count == 1, "\(name)") }
        #expect(disposed.count == 1, "\(name)")
        #expect(source.subscriptions.allSatisfy { $0.unsubscribe < 302 }, "\(name)")
    }

    @Test(arguments: operators.indices)
    func disposeInMidFlowEndsTheSource(_ index: Int) {
        let (name, make) = Self.operators[index]
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        let result = scheduler.start(disposed: 225) { make(source.asObservable(), scheduler) }
        #expect(result.events.allSatisfy { $0.time <= 225 && !$0.value.isStopEvent }, "\(name)")
        #expect(source.subscriptions.allSatisfy { $0.unsubscribe <= 226 }, "\(name)")
    }

    @Test(arguments: operators.indices)
    func errorsPassAndEndTheSource(_ index: Int) {
        let (name, make) = Self.operators[index]
        guard !["catch", "retry"].contains(name) else { return }
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(failing)
        let result = scheduler.start { make(source.asObservable(), scheduler) }
        #expect("\(result.events.last?.value.error ?? TestError.second)" == "first", "\(name)")
        #expect(source.subscriptions.first?.unsubscribe ?? 0 <= 230, "\(name)")
    }
}
