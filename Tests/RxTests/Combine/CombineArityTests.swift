import Rx
import RxTest
import Testing

/// `combineLatest` and `zip` of two to eight streams, and of a collection, behave alike.
@Suite struct CombineArityTests {
    typealias Sources = [Observable<Int>]
    typealias Make = @Sendable (Sources) -> Observable<[Int]>

    static let latest: [Make] = [
        { .combineLatest($0[0], $0[1]) { [$0, $1] } },
        { .combineLatest($0[0], $0[1], $0[2]) { [$0, $1, $2] } },
        { .combineLatest($0[0], $0[1], $0[2], $0[3]) { [$0, $1, $2, $3] } },
        { .combineLatest($0[0], $0[1], $0[2], $0[3], $0[4]) { [$0, $1, $2, $3, $4] } },
        { .combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]) { [$0, $1, $2, $3, $4, $5] } },
        { .combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) { [$0, $1, $2, $3, $4, $5, $6] } },
        {
            .combineLatest($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) {
                [$0, $1, $2, $3, $4, $5, $6, $7]
            }
        },
        { Observable.combineLatest($0) },
    ]

    static let zipped: [Make] = [
        { .zip($0[0], $0[1]) { [$0, $1] } },
        { .zip($0[0], $0[1], $0[2]) { [$0, $1, $2] } },
        { .zip($0[0], $0[1], $0[2], $0[3]) { [$0, $1, $2, $3] } },
        { .zip($0[0], $0[1], $0[2], $0[3], $0[4]) { [$0, $1, $2, $3, $4] } },
        { .zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5]) { [$0, $1, $2, $3, $4, $5] } },
        { .zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6]) { [$0, $1, $2, $3, $4, $5, $6] } },
        { .zip($0[0], $0[1], $0[2], $0[3], $0[4], $0[5], $0[6], $0[7]) { [$0, $1, $2, $3, $4, $5, $6, $7] } },
        { Observable.zip($0) },
    ]

    /// Returns the number of streams of an overload by its index; three for the overload for a collection.
    static func arity(_ place: Int) -> Int { place < 7 ? place + 2 : 3 }

    let scheduler = TestScheduler(initialClock: 0)

    /// Returns sources: number i emits i at 210 + i and 10 i at 300 + i, and completes at 400 + i.
    func sources(_ count: Int) -> [TestableObservable<Int>] {
        (0..<count).map { i in
            scheduler.createHotObservable([.next(210 + i, i), .next(300 + i, 10 * i), .completed(400 + i)])
        }
    }

    @Test(arguments: 0..<8) func combineLatestSendsAResultForEachElement(_ place: Int) {
        let count = Self.arity(place)
        let sources = sources(count)
        let result = scheduler.start { Self.latest[place](sources.map { $0.asObservable() }) }
        var expected: [RecordedEvent<[Int]>] = [.next(210 + count - 1, Array(0..<count))]
        for i in 0..<count {
            expected.append(.next(300 + i, (0..<count).map { $0 <= i ? 10 * $0 : $0 }))
        }
        expected.append(.completed(400 + count - 1))
        #expect(result.events == expected)
        for (i, source) in sources.enumerated() { #expect(source.subscriptions == [Subscription(200, 400 + i)]) }
    }

    @Test(arguments: 0..<8) func zipCombinesElementsPairwise(_ place: Int) {
        let count = Self.arity(place)
        let sources = sources(count)
        let result = scheduler.start { Self.zipped[place](sources.map { $0.asObservable() }) }
        #expect(
            result.events == [
                .next(210 + count - 1, Array(0..<count)), .next(300 + count - 1, (0..<count).map { 10 * $0 }),
                .completed(400 + count - 1),
            ])
        for (i, source) in sources.enumerated() { #expect(source.subscriptions == [Subscription(200, 400 + i)]) }
    }

    @Test(arguments: 0..<16) func theFirstErrorDisposesOfAllInputs(_ place: Int) {
        let make = (Self.latest + Self.zipped)[place]
        let count = Self.arity(place % 8)
        var sources = sources(count)
        sources[count - 1] = scheduler.createHotObservable([.error(250, TestError.first)])
        let result = scheduler.start { make(sources.map { $0.asObservable() }) }
        #expect(result.events == [.error(250, TestError.first)])
        for source in sources { #expect(source.subscriptions == [Subscription(200, 250)]) }
    }

    @Test(arguments: 0..<16) func disposalDisposesOfAllInputs(_ place: Int) {
        let make = (Self.latest + Self.zipped)[place]
        let sources = sources(Self.arity(place % 8))
        _ = scheduler.start(disposed: 230) { make(sources.map { $0.asObservable() }) }
        for source in sources { #expect(source.subscriptions == [Subscription(200, 230)]) }
    }

    /// All sources but the last complete without an element, so the last one cannot cause a result.
    ///
    /// `zip` of two to eight streams nevertheless completes only when the last source completes, as in RxSwift.
    @Test(arguments: 0..<16) func completesWhenNoFurtherResultIsPossible(_ place: Int) {
        let make = (Self.latest + Self.zipped)[place]
        let count = Self.arity(place % 8)
        var sources = (0..<count).map { i in
            scheduler.createHotObservable([.completed(220 + i)] as [RecordedEvent<Int>])
        }
        sources[count - 1] = scheduler.createHotObservable([.next(500, 1), .completed(800)])
        let result = scheduler.start { make(sources.map { $0.asObservable() }) }
        let end = (8..<15).contains(place) ? 800 : 500
        #expect(result.events == [.completed(end)])
        #expect(sources[count - 1].subscriptions == [Subscription(200, end)])
    }

    @Test func aThrowingSelectorFailsTheStream() {
        let sources = sources(2)
        for make in [Observable<Int>.combineLatest, Observable<Int>.zip] as [Joiner] {
            let scheduler = TestScheduler(initialClock: 0)
            let one = scheduler.createHotObservable([.next(210, 1)] as [RecordedEvent<Int>])
            let two = scheduler.createHotObservable([.next(220, 1)] as [RecordedEvent<Int>])
            let result = scheduler.start {
                make(one.asObservable(), two.asObservable()) { _, _ in throw TestError.second }
            }
            #expect(result.events == [.error(220, TestError.second)])
            #expect(one.subscriptions == [Subscription(200, 220)])
        }
        _ = sources
    }

    typealias Joiner = (
        Observable<Int>, Observable<Int>, @escaping @Sendable (Int, Int) throws -> Int
    ) -> Observable<Int>

    @Test func withoutASelectorTuplesAreSent() {
        let ready = Observable.just(1)
        var pairs: [String] = []
        for pair in [
            Observable.combineLatest(ready, Observable.just("a")), Observable.zip(ready, Observable.just("a")),
        ] {
            let log = Log<String>()
            _ = pair.subscribe(onNext: { log.add("\($0.0)\($0.1)") })
            pairs += log.all
        }
        #expect(pairs == ["1a", "1a"])
    }

    @Test func disposalInsideTheSelectorDisposesOfAllInputs() {
        let holder = Holder()
        let log = Log<Int>()
        let (one, two) = (PublishSubject<Int>(), PublishSubject<Int>())
        holder.hold(
            Observable.combineLatest(one, two) { a, b in
                holder.drop()
                return a + b
            }.subscribe(onNext: { log.add($0) }))
        one.onNext(1)
        two.onNext(2)
        two.onNext(3)
        #expect(log.all.isEmpty)
        #expect(!one.hasObservers && !two.hasObservers)
    }
}
