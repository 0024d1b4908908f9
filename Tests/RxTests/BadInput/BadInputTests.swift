import Dispatch
import Rx
import RxTest
import Testing

/// Unusual but valid input has a defined result.
@Suite struct BadInputTests {
    let scheduler = TestScheduler(initialClock: 0)
    let log = Log<String>()

    func listen(_ stream: Observable<Int>) -> any Disposable {
        let log = log
        return stream.subscribe(
            onNext: { log.add("\($0)") }, onError: { log.add("\($0)") }, onCompleted: { log.add(".") })
    }

    @Test func operatorsOnNoStreamsAreDefined() {
        let none: [Observable<Int>] = []
        _ = listen(.merge(none))
        _ = listen(.concat(none))
        _ = listen(.zip(none) { $0.count })
        _ = listen(.combineLatest(none) { $0.count })
        _ = listen(.catch(sequence: none))
        _ = listen(.of())
        _ = listen(.amb(none))
        _ = listen(Observable<Observable<Int>>.empty().merge())
        _ = listen(Observable<Observable<Int>>.empty().concat())
        _ = listen(Observable<Observable<Int>>.empty().switchLatest())
        // As in RxSwift, `amb` of no streams never ends, `combineLatest` emits one result, and all other operators
        // complete.
        #expect(log.all == [".", ".", ".", "0"] + Array(repeating: ".", count: 6))
    }

    @Test func countsOfZeroAreDefined() {
        let source = Observable.of(1, 2, 3)
        _ = listen(source.take(0))
        _ = listen(source.takeLast(0))
        _ = listen(source.skip(0).map { $0 * 10 })
        _ = listen(source.skip(-5))
        _ = listen(source.retry(0))
        _ = listen(.range(start: 5, count: 0))
        #expect(log.all == [".", ".", "10", "20", "30", ".", "1", "2", "3", ".", ".", "."])
    }

    /// Work that is scheduled for a past time runs as soon as possible.
    @Test func pastTimesMeanAsSoonAsPossible() {
        let scheduler = scheduler
        let times = Log<Int>()
        scheduler.scheduleAt(100) {
            scheduler.scheduleAt(20) { times.add(scheduler.clock) }
            _ = scheduler.scheduleRelative((), dueTime: .seconds(-50)) { _ in
                times.add(scheduler.clock)
                return Disposables.create()
            }
            _ = scheduler.scheduleRelativeVirtual((), dueTime: -50) { _ in
                times.add(scheduler.clock)
                return Disposables.create()
            }
            _ = scheduler.schedulePeriodic(0, startAfter: .seconds(-50), period: .seconds(1000)) { state in
                times.add(scheduler.clock)
                return state
            }
        }
        scheduler.advanceTo(200)
        #expect(times.all == [100, 100, 101, 101])
    }

    @Test func pastTimesOnAQueueMeanAsSoonAsPossible() throws {
        let schedulers: [any SchedulerType] = [
            SerialDispatchQueueScheduler(internalSerialQueueName: "past"),
            ConcurrentDispatchQueueScheduler(qos: .default),
        ]
        for scheduler in schedulers {
            let done = DispatchSemaphore(value: 0)
            func wait() throws { try #require(done.wait(timeout: .now() + 120) == .success) }
            _ = scheduler.scheduleRelative((), dueTime: .seconds(-50)) { _ in
                done.signal()
                return Disposables.create()
            }
            try wait()
            let periodic = scheduler.schedulePeriodic(0, startAfter: .seconds(-50), period: .seconds(600)) { state in
                done.signal()
                return state
            }
            try wait()
            periodic.dispose()
            _ = Observable.just(1).delay(.seconds(-3), scheduler: scheduler)
                .timeout(.seconds(600), scheduler: scheduler)
                .subscribe(onCompleted: { done.signal() })
            try wait()
        }
    }

    /// With the interval `.never`, a stream emits nothing, and can be disposed of.
    @Test func neverMeansNoEventUntilDisposal() {
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "never")
        let all = [
            listen(.timer(.never, scheduler: scheduler)), listen(.interval(.never, scheduler: scheduler)),
            listen(Observable.just(1).delay(.never, scheduler: scheduler)), listen(.timer(.never, scheduler: queue)),
            listen(.interval(.never, scheduler: queue)), listen(Observable.just(1).delay(.never, scheduler: queue)),
            listen(Observable.never().timeout(.never, scheduler: queue)),
            listen(Observable.just(1).delaySubscription(.never, scheduler: queue)),
        ]
        scheduler.start()
        #expect(log.all.isEmpty)
        all.forEach { $0.dispose() }
    }

    /// If a closure throws, each operator fails once and disposes of its source.
    @Test(arguments: throwers.indices)
    func aThrowingClosureFailsTheStream(_ index: Int) {
        let (name, make) = Self.throwers[index]
        let subject = PublishSubject<Int>()
        let errors = Log<String>()
        _ = make(subject.asObservable()).subscribe(
            onNext: { _ in Issue.record("\(name) sent an element.") }, onError: { errors.add("\($0)") },
            onCompleted: { errors.add(".") })
        subject.onNext(1)
        subject.onNext(2)
        subject.onCompleted()
        #expect(errors.all == ["second"], "\(name)")
        #expect(!subject.hasObservers, "\(name)")
    }

    @Sendable static func fail<Input, Output>(_: Input) throws -> Output { throw TestError.second }
    @Sendable static func fail<A, B, Output>(_: A, _: B) throws -> Output { throw TestError.second }

    static let throwers: [(String, @Sendable (Observable<Int>) -> Observable<Int>)] = [
        ("map", { $0.map(fail) }), ("compactMap", { $0.compactMap { _ -> Int? in throw TestError.second } }),
        ("filter", { $0.filter(fail) }), ("flatMap", { $0.flatMap { _ -> Observable<Int> in throw TestError.second } }),
        ("flatMapFirst", { $0.flatMapFirst { _ -> Observable<Int> in throw TestError.second } }),
        ("flatMapLatest", { $0.flatMapLatest { _ -> Observable<Int> in throw TestError.second } }),
        ("concatMap", { $0.concatMap { _ -> Observable<Int> in throw TestError.second } }),
        ("scan", { $0.scan(0, accumulator: fail) }),
        ("scan(into:)", { $0.scan(into: 0) { _, _ in throw TestError.second } }),
        ("reduce", { $0.reduce(0, accumulator: fail) }),
        ("reduce(mapResult:)", { $0.reduce(0, accumulator: { $0 + $1 }, mapResult: fail) }),
        ("take(while:)", { $0.take(while: fail) }), ("take(until:)", { $0.take(until: fail) }),
        ("skip(while:)", { $0.skip(while: fail) }), ("single", { $0.single(fail) }),
        ("distinctUntilChanged key", { $0.distinctUntilChanged { _ -> Int in throw TestError.second } }),
        (
            "distinctUntilChanged both",
            { $0.distinctUntilChanged({ _ -> Int in throw TestError.second }, comparer: ==) }
        ),
        ("do(onNext:)", { $0.do(onNext: fail) }),
        ("do(onCompleted:)", { $0.ignoreElements().map(OneSource.none).do(onCompleted: { throw TestError.second }) }),
        ("withLatestFrom", { $0.withLatestFrom(Observable.just(1), resultSelector: fail) }),
        ("zip", { Observable.zip($0, Observable.just(1).concat(Observable.never()), resultSelector: fail) }),
        ("combineLatest", { Observable.combineLatest($0, Observable.just(1), resultSelector: fail) }),
        ("zip of a collection", { Observable.zip([$0], resultSelector: fail) }),
        ("combineLatest of a collection", { Observable.combineLatest([$0], resultSelector: fail) }),
        ("catch", { $0.map { _ in throw TestError.first }.catch(fail) }),
        ("deferred", { stream in stream.flatMap { _ in Observable<Int>.deferred { throw TestError.second } } }),
        (
            "using",
            { stream in
                stream.flatMap { _ in
                    Observable<Int>.using({ BooleanDisposable() }, observableFactory: { _ in throw TestError.second })
                }
            }
        ),
    ]

    /// Subjects ignore events after their end.
    @Test func eventsAfterTheEndAreIgnored() {
        let stage = AnyObserver<Int> { [log] in log.add("raw \($0)") }
        stage.onCompleted()
        let subject = PublishSubject<Int>()
        _ = listen(subject)
        subject.onCompleted()
        subject.onNext(1)
        subject.onError(TestError.first)
        subject.onCompleted()
        // An observer made from a closure forwards all events, even after the end, because it has no state.
        stage.onNext(1)
        #expect(log.all == ["raw completed", ".", "raw next(1)"])
    }

    /// A subscriber may subscribe to the same stream again inside an element, to any depth.
    @Test func aSubscriberMaySubscribeAgainInsideAnElement() {
        let cold = Observable.of(1, 2)
        let log = log
        _ = cold.subscribe(onNext: { outer in
            _ = cold.subscribe(onNext: { log.add("\(outer)\($0)") })
        })
        #expect(log.all.sorted() == ["11", "12", "21", "22"])
        let shared = BehaviorSubject(value: 1)
        let other = Log<String>()
        _ = shared.take(1).subscribe(onNext: { outer in
            _ = shared.subscribe(onNext: { other.add("\(outer)\($0)") })
        })
        shared.onNext(2)
        #expect(other.all == ["11", "12"])
    }

    /// A subscriber finishes the current event after disposal, and receives no further events.
    @Test func disposalByAnotherThreadDuringAnEventStopsLaterEvents() {
        let subject = PublishSubject<Int>()
        let (inside, disposed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let log = log
        let subscription = subject.map { $0 }.subscribe(
            onNext: { value in
                log.add("begin \(value)")
                inside.signal()
                disposed.wait()
                log.add("end \(value)")
            }, onDisposed: { log.add("disposed") })
        let other = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            inside.wait()
            subscription.dispose()
            disposed.signal()
            other.signal()
        }
        subject.onNext(1)
        other.wait()
        subject.onNext(2)
        #expect(log.all == ["begin 1", "disposed", "end 1"])
        #expect(!subject.hasObservers)
    }
}
