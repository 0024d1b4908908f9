import Dispatch
import Rx
import RxTest
import Testing

@Suite struct TraitTests {
    let log = Log<String>()

    @Test func aSingleSendsItsOutcomeOnce() {
        let single = Single<Int>.create { tell in
            tell(.success(1))
            tell(.success(2))
            tell(.failure(TestError.first))
            return Disposables.create()
        }
        _ = single.map { $0 + 1 }.flatMap { .just($0 * 10) }
            .subscribe(
                onSuccess: { log.add("\($0)") }, onFailure: { log.add("\($0)") },
                onDisposed: { log.add("-") })
        _ = Single<Int>.error(TestError.first).subscribe { [log] outcome in
            if case .failure = outcome { log.add("failed") }
        }
        #expect(log.all == ["20", "-", "failed"])
    }

    @Test func aMaybeSendsItsElementOrCompletion() {
        for maybe in [Maybe.just(1), .empty(), .error(TestError.first)] {
            _ = maybe.subscribe(
                onSuccess: { log.add("\($0)") }, onError: { log.add("\($0)") },
                onCompleted: { log.add(".") })
        }
        #expect(log.all == ["1", ".", "first"])
    }

    @Test func andThenContinuesAfterCompletion() {
        let scheduler = TestScheduler(initialClock: 0)
        let first = scheduler.createColdObservable([.completed(10)] as [RecordedEvent<Never>])
        let second = scheduler.createColdObservable([.next(10, 1), .completed(10)] as [RecordedEvent<Int>])
        let result = scheduler.start {
            first.asObservable().asCompletable().andThen(second.asObservable())
        }
        #expect(result.events == [.next(220, 1), .completed(220)])
        #expect(second.subscriptions == [Subscription(210, 220)])
    }

    @Test func asSingleRequiresOneElement() {
        check(
            [.next(210, 1), .completed(220)] as [RecordedEvent<Int>], gives: [.next(220, 1), .completed(220)],
            lives: (200, 220)
        ) { stream, _ in stream.asSingle().asObservable() }
        check(usual, gives: [.error(220, RxError.moreThanOneElement)], lives: (200, 220)) { stream, _ in
            stream.asSingle().asObservable()
        }
        check(
            [.completed(220)] as [RecordedEvent<Int>], gives: [.error(220, RxError.noElements)], lives: (200, 220)
        ) {
            stream, _ in stream.asSingle().asObservable()
        }
    }

    @Test func traitsTimeOut() {
        check(
            [] as [RecordedEvent<Int>], gives: [.error(230, RxError.timeout)] as [RecordedEvent<Int>], lives: (200, 230)
        ) {
            stream, scheduler in
            stream.asSingle().timeout(.seconds(30), scheduler: scheduler).asObservable()
        }
    }
}

@Suite struct AsyncTests {
    @Test func valuesReturnsEveryElement() async throws {
        var all: [Int] = []
        for try await value in Observable.of(1, 2, 3).values { all.append(value) }
        #expect(all == [1, 2, 3])
        await #expect(throws: TestError.first) {
            for try await _ in Observable<Int>.error(TestError.first).values {}
        }
    }

    @Test func leavingTheLoopDisposesOfTheSubscription() async throws {
        let log = Log<String>()
        let stream = Observable<Int>.create { observer in
            observer.onNext(1)
            return Disposables.create { log.add("disposed") }
        }
        for try await _ in stream.values { break }
        #expect(log.all == ["disposed"])
    }

    @Test func cancellingTheTaskDisposesOfTheSubscription() async {
        let log = Log<String>()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            let stream = Observable<Int>.create { _ in
                start.yield()
                return Disposables.create { log.add("disposed") }
            }
            for try await _ in stream.values {}
        }
        for await _ in started { break }
        task.cancel()
        _ = await task.result
        #expect(log.all == ["disposed"])
    }

    @Test func valueAwaitsASingle() async throws {
        #expect(try await Single.just(7).value == 7)
        #expect(try await Maybe<Int>.empty().value == nil)
        try await Completable.empty().value
        await #expect(throws: TestError.second) { try await Single<Int>.error(TestError.second).value }
        #expect(try await Single.create { 8 }.value == 8)
    }

    @Test func cancellingAnAwaitedSingleDisposesOfTheSubscription() async {
        let log = Log<String>()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await Single<Int>.create { _ in
                start.yield()
                return Disposables.create { log.add("disposed") }
            }.value
        }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.all == ["disposed"])
    }

    @Test func disposalCancelsTheTaskOfASequence() async {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let (source, feed) = AsyncStream.makeStream(of: Int.self)
        feed.onTermination = { _ in end.yield() }
        let (seen, see) = AsyncStream.makeStream(of: Int.self)
        let subscription = source.asObservable().subscribe(onNext: { see.yield($0) })
        feed.yield(1)
        for await value in seen {
            #expect(value == 1)
            break
        }
        subscription.dispose()
        for await _ in ended { break }
    }
}
