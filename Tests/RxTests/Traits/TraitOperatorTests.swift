import Dispatch
import Rx
import RxTest
import Testing

@Suite struct TraitOperatorTests {
    let log = Log<String>()
    let scheduler = TestScheduler(initialClock: 0)

    func single(at time: Int, _ value: Int) -> TestableObservable<Int> {
        scheduler.createColdObservable([.next(time, value), .completed(time)])
    }

    @Test func zipWaitsForAllAndFailsWithTheFirstError() {
        let (a, b) = (single(at: 10, 1), single(at: 30, 2))
        let bad = scheduler.createColdObservable([.error(20, TestError.first)] as [RecordedEvent<Int>])
        let sum = scheduler.createObserver(Int.self)
        let failed = scheduler.createObserver(Int.self)
        _ = Single.zip(a.asObservable().asSingle(), b.asObservable().asSingle(), resultSelector: { $0 + $1 })
            .asObservable().subscribe(sum)
        _ = Single.zip([a, bad, b].map { $0.asObservable().asSingle() }, resultSelector: { $0.reduce(0, +) })
            .asObservable().subscribe(failed)
        scheduler.start()
        #expect(sum.events == [.next(30, 3), .completed(30)])
        #expect(failed.events == [.error(20, TestError.first)])
        #expect(b.subscriptions == [Subscription(0, 30), Subscription(0, 20)])
    }

    @Test func zipSendsTuplesOfEveryArity() async throws {
        let one = Single.just(1)
        let two: (Int, String) = try await Single.zip(one, Single.just("a")).value
        #expect(two == (1, "a"))
        let eight = try await Single.zip(one, one, one, one, one, one, one, Single.just(8)).value
        #expect(eight.7 == 8)
        let three = try await Maybe.zip(Maybe.just(1), Maybe.just(2), Maybe.just(3)) { $0 + $1 + $2 }.value
        #expect(three == 6)
        let none = try await Maybe.zip(Maybe.just(1), Maybe<Int>.empty()) { $0 + $1 }.value
        #expect(none == nil)
        #expect(try await Single<Int>.zip([Single<Int>]()).value == [])
    }

    @Test func closuresOfASingleAreCalledInOrder() {
        _ = Single.just(1).do(
            onSuccess: { [log] in log.add("on \($0)") }, afterSuccess: { [log] in log.add("after \($0)") },
            onSubscribe: { [log] in log.add("subscribe") }, onSubscribed: { [log] in log.add("subscribed") },
            onDispose: { [log] in log.add("dispose") }
        ).subscribe(onSuccess: { [log] in log.add("\($0)") }, onDisposed: { [log] in log.add("-") })
        #expect(log.all == ["subscribe", "on 1", "1", "-", "after 1", "subscribed", "dispose"])
    }

    @Test func closuresOfAMaybeReportAnEmptyEnd() {
        _ = Maybe<Int>.empty().do(
            onNext: { [log] in log.add("\($0)") }, onCompleted: { [log] in log.add("on end") },
            afterCompleted: { [log] in log.add("after end") }
        ).subscribe(onSuccess: { [log] in log.add("\($0)") }, onCompleted: { [log] in log.add("|") })
        #expect(log.all == ["on end", "|", "after end"])
    }

    @Test func anEmptyMaybeIsReplaced() {
        for sequence in [
            Maybe<Int>.empty().ifEmpty(default: 1).asMaybe(),
            Maybe<Int>.empty().ifEmpty(switchTo: Single.just(2)).asMaybe(),
            Maybe<Int>.empty().ifEmpty(switchTo: Maybe.just(3)), Maybe.just(4).ifEmpty(switchTo: Maybe.just(5)),
        ] {
            _ = sequence.subscribe(onSuccess: { [log] in log.add("\($0)") })
        }
        #expect(log.all == ["1", "2", "3", "4"])
    }

    @Test func errorsAreCaughtAndRetried() {
        let failing = Single<Int>.error(TestError.first)
        for sequence in [
            failing.catchAndReturn(1), failing.catch { _ in .just(2) }, failing.retry(2).catchAndReturn(3),
        ] {
            _ = sequence.subscribe(onSuccess: { [log] in log.add("\($0)") }, onFailure: { [log] in log.add("\($0)") })
        }
        #expect(log.all == ["1", "2", "3"])
    }

    @Test func completablesRunInOrderOrTogether() {
        let (a, b) = (
            scheduler.createColdObservable([.completed(10)] as [RecordedEvent<Never>]),
            scheduler.createColdObservable([.completed(20)] as [RecordedEvent<Never>])
        )
        let all = [a, b].map { $0.asObservable().asCompletable() }
        let (chain, zip) = (scheduler.createObserver(Never.self), scheduler.createObserver(Never.self))
        _ = Completable.concat(all).asObservable().subscribe(chain)
        _ = Completable.zip(all).asObservable().subscribe(zip)
        scheduler.start()
        #expect(chain.events.map(\.time) == [30])
        #expect(zip.events.map(\.time) == [20])
        #expect(b.subscriptions == [Subscription(0, 20), Subscription(10, 30)])
    }

    @Test func aDisposedSingleSendsNoEvent() {
        let source = single(at: 50, 1)
        let subscription = source.asObservable().asSingle().subscribe(
            onSuccess: { [log] in log.add("\($0)") }, onDisposed: { [log] in log.add("-") })
        scheduler.scheduleAt(20) { subscription.dispose() }
        scheduler.start()
        #expect(log.all == ["-"])
        #expect(source.subscriptions == [Subscription(0, 20)])
    }

    @Test func subscribingWithAnObjectHoldsItWeakly() {
        final class Owner: Sendable {}
        var owner: Owner? = Owner()
        let subjects = (PublishSubject<Int>(), PublishSubject<Never>())
        if let owner {
            _ = subjects.0.first().subscribe(with: owner, onSuccess: { [log] _, value in log.add("\(value ?? 0)") })
            _ = subjects.1.asCompletable().subscribe(with: owner, onCompleted: { [log] _ in log.add("|") })
            _ = Single.just(1).subscribe(with: owner, onSuccess: { [log] _, value in log.add("\(value)") })
            _ = Maybe<Int>.empty().subscribe(with: owner, onCompleted: { [log] _ in log.add("empty") })
        }
        owner = nil
        subjects.0.onNext(2)
        subjects.1.onCompleted()
        #expect(log.all == ["1", "empty"])
    }

    @Test func timersAndConversionsOfTraits() async throws {
        let result = scheduler.start { Single<Int>.timer(.seconds(10), scheduler: scheduler).asObservable() }
        #expect(result.events == [.next(210, 0), .completed(210)])
        #expect(try await Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() }.value == nil)
        #expect(try await Single.just(1).compactMap { $0 > 1 ? $0 : nil }.value == nil)
        try await Single.just(1).flatMapCompletable { _ in .empty() }.value
        #expect(try await Completable.empty().andThen(Single.just(3)).value == 3)
        #expect(try await Completable.empty().andThen(Maybe.just(4)).value == 4)
        #expect(try await Completable.empty().asMaybe().value == nil)
    }
}
