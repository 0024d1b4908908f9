import Dispatch
import Rx
import RxTest
import Testing

/// An operator with one source and its expected events, for tests that apply to all operators.
struct OneSource: Sendable, CustomTestStringConvertible {
    let name: String
    /// The expected events for `usual`: 1…5 at 210 … 250, completed at 300.
    let onUsual: [RecordedEvent<Int>]
    let usualLifetime: Subscription
    /// The expected events for `failing`: 1 and 2, and an error at 225.
    let onFailing: [RecordedEvent<Int>]
    let failingLifetime: Subscription
    /// How many ticks after the disposal the source is disposed of.
    let disposalDelay: Int
    let make: @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>

    var testDescription: String { name }

    init(
        _ name: String, _ onUsual: [RecordedEvent<Int>], _ usualLifetime: (Int, Int) = (200, 300),
        onFailing: [RecordedEvent<Int>],
        _ failingLifetime: (Int, Int) = (200, 225), disposalDelay: Int = 0,
        make: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>
    ) {
        self.name = name
        self.onUsual = onUsual
        self.usualLifetime = Subscription(usualLifetime.0, usualLifetime.1)
        self.onFailing = onFailing
        self.failingLifetime = Subscription(failingLifetime.0, failingLifetime.1)
        self.disposalDelay = disposalDelay
        self.make = make
    }

    /// Makes a case for an operator that forwards all events at once.
    init(
        _ name: String, _ make: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>
    ) {
        self.init(name, Array(usual.dropFirst()), onFailing: Array(failing.dropFirst()), make: make)
    }

    /// Makes a case for an operator that forwards only the error of `failing`.
    init(
        _ name: String, _ onUsual: [RecordedEvent<Int>],
        _ make: @escaping @Sendable (Observable<Int>, TestScheduler) -> Observable<Int>
    ) { self.init(name, onUsual, onFailing: [.error(225, TestError.first)], make: make) }

    static let all = passing + transforming + filtering + timing + catching + sharing + collecting

    /// Returns the expected events if the subscription is disposed of at a tick without other events.
    func onUsual(until end: Int) -> [RecordedEvent<Int>] { onUsual.filter { $0.time < end } }
}

extension OneSource {
    static let passing: [OneSource] = [
        OneSource("asObservable") { stream, _ in stream },
        OneSource("map") { stream, _ in stream.map { $0 } },
        OneSource("compactMap") { stream, _ in stream.compactMap { $0 } },
        OneSource("filter") { stream, _ in stream.filter { _ in true } },
        OneSource("flatMap") { stream, _ in stream.flatMap { Observable.just($0) } },
        OneSource("flatMapFirst") { stream, _ in stream.flatMapFirst { Observable.just($0) } },
        OneSource("flatMapLatest") { stream, _ in stream.flatMapLatest { Observable.just($0) } },
        OneSource("concatMap") { stream, _ in stream.concatMap { Observable.just($0) } },
        OneSource("merge of streams") { stream, _ in stream.map { Observable.just($0) }.merge() },
        OneSource("merge(maxConcurrent:)") { stream, _ in
            stream.map { Observable.just($0) }.merge(maxConcurrent: 1)
        },
        OneSource("concat of streams") { stream, _ in stream.map { Observable.just($0) }.concat() },
        OneSource("switchLatest") { stream, _ in stream.map { Observable.just($0) }.switchLatest() },
        OneSource("merge of one") { stream, _ in Observable.merge(stream) },
        OneSource("concat of one") { stream, _ in Observable.concat(stream) },
        OneSource("amb") { stream, _ in stream.amb(Observable.never()) },
        OneSource("withLatestFrom") { stream, _ in stream.withLatestFrom(Observable.just(0)) { $0 + $1 }
        },
        OneSource("combineLatest of one") { stream, _ in Observable.combineLatest([stream]) { $0[0] } },
        OneSource("zip of one") { stream, _ in Observable.zip([stream]) { $0[0] } },
        OneSource("deferred") { stream, _ in Observable.deferred { stream } },
        OneSource("using") { stream, _ in
            Observable.using({ BooleanDisposable() }, observableFactory: { _ in stream })
        },
        OneSource("create") { stream, _ in Observable.create { stream.subscribe($0) } },
        OneSource("distinctUntilChanged") { stream, _ in stream.distinctUntilChanged() },
        OneSource("take(while:)") { stream, _ in stream.take(while: { _ in true }) },
        OneSource("take(until: stream)") { stream, _ in stream.take(until: Observable<Int>.never()) },
        OneSource("take(until: predicate)") { stream, _ in stream.take(until: { _ in false }) },
        OneSource("take(for:)") { stream, scheduler in
            stream.take(for: .seconds(900), scheduler: scheduler)
        },
        OneSource("take of plenty") { stream, _ in stream.take(9) },
        OneSource("skip of none") { stream, _ in stream.skip(0) },
        OneSource("skip(while:) of none") { stream, _ in stream.skip(while: { _ in false }) },
        OneSource("skip(until:)") { stream, _ in
            stream.skip(until: Observable.just(1).concat(Observable.never()))
        },
        OneSource("timeout") { stream, scheduler in stream.timeout(.seconds(90), scheduler: scheduler)
        },
        OneSource("timeout(other:)") { stream, scheduler in
            stream.timeout(.seconds(90), other: Observable.just(9), scheduler: scheduler)
        },
        OneSource("throttle of 10") { stream, scheduler in
            stream.throttle(.seconds(10), scheduler: scheduler)
        },
        OneSource("materialize, dematerialize") { stream, _ in stream.materialize().dematerialize() },
        OneSource("do") { stream, _ in
            stream.do(
                onNext: { _ in }, afterNext: { _ in }, onError: { _ in }, afterError: { _ in },
                onCompleted: {},
                afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {})
        },
        OneSource("ifEmpty(default:)") { stream, _ in stream.ifEmpty(default: 9) },
        OneSource("ifEmpty(switchTo:)") { stream, _ in stream.ifEmpty(switchTo: .just(9)) },
    ]

    static let transforming: [OneSource] = [
        OneSource(
            "scan",
            [
                .next(210, 1), .next(220, 3), .next(230, 6), .next(240, 10), .next(250, 15),
                .completed(300),
            ],
            onFailing: [.next(210, 1), .next(220, 3), .error(225, TestError.first)]
        ) { stream, _ in stream.scan(0) { $0 + $1 } },
        OneSource(
            "scan(into:)",
            [
                .next(210, 1), .next(220, 3), .next(230, 6), .next(240, 10), .next(250, 15),
                .completed(300),
            ],
            onFailing: [.next(210, 1), .next(220, 3), .error(225, TestError.first)]
        ) { stream, _ in stream.scan(into: 0) { $0 += $1 } },
        OneSource("reduce", [.next(300, 15), .completed(300)]) { stream, _ in
            stream.reduce(0) { $0 + $1 }
        },
        OneSource("reduce(mapResult:)", [.next(300, 30), .completed(300)]) { stream, _ in
            stream.reduce(0, accumulator: { $0 + $1 }, mapResult: { $0 * 2 })
        },
        OneSource("toArray", [.next(300, 5), .completed(300)]) { stream, _ in
            stream.toArray().asObservable().map(\.count)
        },
        OneSource(
            "materialize", Array(usual.dropFirst().dropLast()) + [.next(300, -1), .completed(300)],
            onFailing: [.next(210, 1), .next(220, 2), .next(225, -1), .completed(225)]
        ) { stream, _ in stream.materialize().map { $0.element ?? -1 } },
        OneSource(
            "startWith", [.next(200, 8)] + usual.dropFirst(), onFailing: [.next(200, 8)] + failing.dropFirst()
        ) { stream, _ in stream.startWith(8) },
        OneSource(
            "concat with a second", usual.dropFirst().dropLast() + [.next(300, 9), .completed(300)],
            onFailing: Array(failing.dropFirst())
        ) { stream, _ in stream.concat(Observable.just(9)) },
    ]

    @Sendable static func none(_ never: Never) -> Int {}

    static let filtering: [OneSource] = [
        OneSource(
            "take", [.next(210, 1), .next(220, 2), .completed(220)], (200, 220),
            onFailing: [.next(210, 1), .next(220, 2), .completed(220)], (200, 220)
        ) { stream, _ in stream.take(2) },
        OneSource("takeLast", [.next(300, 4), .next(300, 5), .completed(300)]) { stream, _ in
            stream.takeLast(2)
        },
        OneSource("skip", [.next(230, 3), .next(240, 4), .next(250, 5), .completed(300)]) { stream, _ in
            stream.skip(2)
        },
        OneSource("skip(while:)", [.next(230, 3), .next(240, 4), .next(250, 5), .completed(300)]) {
            stream, _ in
            stream.skip(while: { $0 < 3 })
        },
        OneSource(
            "element(at:)", [.next(220, 2), .completed(220)], (200, 220),
            onFailing: [.next(220, 2), .completed(220)],
            (200, 220)
        ) { stream, _ in stream.element(at: 1) },
        OneSource(
            "single", [.next(220, 2), .completed(300)],
            onFailing: [.next(220, 2), .error(225, TestError.first)]
        ) { stream, _ in stream.single { $0 == 2 } },
        OneSource(
            "first", [.next(210, 1), .completed(210)], (200, 210), onFailing: [.next(210, 1), .completed(210)],
            (200, 210)
        ) { stream, _ in stream.first().asObservable().map { $0 ?? -1 } },
        OneSource("ignoreElements", [.completed(300)]) { stream, _ in
            stream.ignoreElements().map(none)
        },
        OneSource(
            "throttle of 15",
            [.next(210, 1), .next(225, 2), .next(240, 4), .next(255, 5), .completed(300)],
            onFailing: [.next(210, 1), .error(225, TestError.first)]
        ) { stream, scheduler in stream.throttle(.seconds(15), scheduler: scheduler) },
        OneSource(
            "throttle(latest: false)", [.next(210, 1), .next(230, 3), .next(250, 5), .completed(300)],
            onFailing: [.next(210, 1), .error(225, TestError.first)]
        ) { stream, scheduler in stream.throttle(.seconds(15), latest: false, scheduler: scheduler) },
        OneSource(
            "debounce",
            [
                .next(214, 1), .next(224, 2), .next(234, 3), .next(244, 4), .next(254, 5), .completed(300),
            ], onFailing: [.next(214, 1), .next(224, 2), .error(225, TestError.first)]
        ) { stream, scheduler in stream.debounce(.seconds(4), scheduler: scheduler) },
    ]

    static let timing: [OneSource] = [
        OneSource(
            "delay",
            [.next(217, 1), .next(227, 2), .next(237, 3), .next(247, 4), .next(257, 5), .completed(307)],
            onFailing: [.next(217, 1), .error(225, TestError.first)]
        ) { stream, scheduler in stream.delay(.seconds(7), scheduler: scheduler) },
        OneSource(
            "delaySubscription", Array(usual.dropFirst(2)), (215, 300),
            onFailing: [.next(220, 2), .error(225, TestError.first)], (215, 225)
        ) { stream, scheduler in stream.delaySubscription(.seconds(15), scheduler: scheduler) },
        OneSource(
            "observe(on:)",
            [
                .next(211, 1), .next(221, 2), .next(231, 3), .next(241, 4), .next(251, 5), .completed(301),
            ], onFailing: [.next(211, 1), .next(221, 2), .error(226, TestError.first)]
        ) { stream, scheduler in stream.observe(on: scheduler) },
        OneSource(
            "subscribe(on:)", Array(usual.dropFirst()), (201, 301), onFailing: Array(failing.dropFirst()),
            (201, 226),
            disposalDelay: 1
        ) { stream, scheduler in stream.subscribe(on: scheduler) },
    ]

    static let catching: [OneSource] = [
        OneSource(
            "catch", Array(usual.dropFirst()),
            onFailing: [.next(210, 1), .next(220, 2), .next(225, 9), .completed(225)]
        ) { stream, _ in stream.catch { _ in .just(9) } },
        OneSource(
            "catchAndReturn", Array(usual.dropFirst()),
            onFailing: [.next(210, 1), .next(220, 2), .next(225, 9), .completed(225)]
        ) { stream, _ in stream.catchAndReturn(9) },
        OneSource(
            "catch(sequence:)", Array(usual.dropFirst()),
            onFailing: [.next(210, 1), .next(220, 2), .next(225, 9), .completed(225)]
        ) { stream, _ in Observable.catch(sequence: [stream, .just(9)]) },
        OneSource("retry of one attempt") { stream, _ in stream.retry(1) },
        OneSource("retry(when:)") { stream, _ in
            stream.retry(when: { (errors: Observable<any Error>) in
                errors.flatMap { error -> Observable<Int> in .error(error) }
            })
        },
    ]

    static let sharing: [OneSource] = [
        OneSource("share") { stream, _ in stream.share() },
        OneSource("share(replay: 1)") { stream, _ in stream.share(replay: 1) },
        OneSource("share(replay: 2)") { stream, _ in stream.share(replay: 2) },
        OneSource("share forever") { stream, _ in stream.share(scope: .forever) },
        OneSource("share(replay: 1) forever") { stream, _ in stream.share(replay: 1, scope: .forever) },
        OneSource("share(replay: 2) forever") { stream, _ in stream.share(replay: 2, scope: .forever) },
        OneSource("publish, refCount") { stream, _ in stream.publish().refCount() },
        OneSource("replay, refCount") { stream, _ in stream.replay(2).refCount() },
        OneSource("replayAll, refCount") { stream, _ in stream.replayAll().refCount() },
        OneSource("multicast, refCount") { stream, _ in stream.multicast(PublishSubject()).refCount() },
        OneSource("multicast(makeSubject:), refCount") { stream, _ in
            stream.multicast { PublishSubject() }.refCount()
        },
    ]
}
