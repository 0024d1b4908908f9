import Rx
import RxTest
import Testing

@Suite struct ConnectableTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func publishStartsAtConnect() {
        let source = scheduler.createHotObservable(usual)
        let published = source.publish()
        let observer = scheduler.createObserver(Int.self)
        let holder = Holder()
        scheduler.scheduleAt(200) { _ = published.subscribe(observer) }
        scheduler.scheduleAt(215) { holder.hold(published.connect()) }
        scheduler.scheduleAt(235) { holder.drop() }
        scheduler.start()
        #expect(observer.events == [.next(220, 2), .next(230, 3)])
        #expect(source.subscriptions == [Subscription(215, 235)])
    }

    @Test func aSecondConnectReturnsTheSameConnection() {
        let source = scheduler.createHotObservable(usual)
        let published = source.publish()
        let first = published.connect()
        let second = published.connect()
        #expect(source.subscriptions.count == 1)
        second.dispose()
        first.dispose()
        #expect(source.subscriptions == [Subscription(0, 0)])
        published.connect().dispose()
        #expect(source.subscriptions.count == 2)
    }

    @Test func theEndIsSentToAllAndAReconnectStartsAgain() {
        let source = scheduler.createColdObservable([.next(10, 1), .completed(20)] as [RecordedEvent<Int>])
        let published = source.publish()
        let observers = (0..<3).map { _ in scheduler.createObserver(Int.self) }
        scheduler.scheduleAt(200) {
            _ = published.subscribe(observers[0])
            _ = published.subscribe(observers[1])
            _ = published.connect()
        }
        scheduler.scheduleAt(300) {
            _ = published.subscribe(observers[2])
            _ = published.connect()
        }
        scheduler.start()
        #expect(observers[0].events == [.next(210, 1), .completed(220)])
        #expect(observers[1].events == observers[0].events)
        #expect(observers[2].events == [.next(310, 1), .completed(320)])
        #expect(source.subscriptions == [Subscription(200, 220), Subscription(300, 320)])
    }

    @Test func replayAndReplayAllStoreElements() {
        let source = scheduler.createHotObservable(usual)
        let (some, all) = (source.replay(2), source.replayAll())
        let (one, two) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
        scheduler.scheduleAt(200) {
            _ = some.connect()
            _ = all.connect()
        }
        scheduler.scheduleAt(235) {
            _ = some.subscribe(one)
            _ = all.subscribe(two)
        }
        scheduler.start()
        #expect(one.events == [.next(235, 2), .next(235, 3)] + usual.dropFirst(4))
        #expect(two.events == [.next(235, 1), .next(235, 2), .next(235, 3)] + usual.dropFirst(4))
    }

    @Test func multicastUsesTheGivenSubject() {
        let subject = ReplaySubject<Int>.create(bufferSize: 1)
        let source = scheduler.createHotObservable(usual)
        let stream = source.multicast(subject)
        let observer = scheduler.createObserver(Int.self)
        scheduler.scheduleAt(200) { _ = stream.connect() }
        scheduler.scheduleAt(245) { _ = subject.subscribe(observer) }
        scheduler.start()
        #expect(observer.events == [.next(245, 4), .next(250, 5), .completed(300)])
    }

    @Test func multicastCreatesASubjectForEachConnection() {
        let made = Log<Int>()
        let source = PublishSubject<Int>()
        let stream = source.multicast { () -> PublishSubject<Int> in
            made.add(1)
            return PublishSubject<Int>()
        }
        #expect(made.count == 0)
        let first = stream.connect()
        #expect(made.count == 1)
        _ = stream.subscribe(onNext: { _ in })
        #expect(made.count == 1)
        first.dispose()
        stream.connect().dispose()
        #expect(made.count == 2)
    }

    @Test func refCountStartsAndStopsWithItsSubscribers() {
        check(usual, disposed: 225, gives: [.next(210, 1), .next(220, 2)], lives: (200, 225)) { stream, _ in
            stream.publish().refCount()
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in stream.replay(1).refCount() }
    }

    @Test func refCountConnectsForTheFirstAndDisconnectsAfterTheLast() {
        let source = scheduler.createHotObservable(usual)
        let counted = source.publish().refCount()
        let (one, two) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
        let holders = [Holder(), Holder()]
        scheduler.scheduleAt(205) { holders[0].hold(counted.subscribe(one)) }
        scheduler.scheduleAt(215) { holders[1].hold(counted.subscribe(two)) }
        scheduler.scheduleAt(225) { holders[0].drop() }
        scheduler.scheduleAt(235) { holders[1].drop() }
        scheduler.start()
        #expect(one.events == [.next(210, 1), .next(220, 2)])
        #expect(two.events == [.next(220, 2), .next(230, 3)])
        #expect(source.subscriptions == [Subscription(205, 235)])
    }

    /// As in RxSwift, subscribers receive no event when the stream is disconnected.
    @Test func disconnectingSendsNoEvent() {
        let subject = PublishSubject<Int>()
        let published = subject.publish()
        let log = Log<String>()
        _ = published.subscribe(onNext: { log.add("\($0)") }, onDisposed: { log.add("disposed") })
        let run = published.connect()
        subject.onNext(1)
        run.dispose()
        subject.onNext(2)
        #expect(log.all == ["1"])
        #expect(!subject.hasObservers)
    }
}
