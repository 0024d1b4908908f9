import Rx
import RxTest
import Testing

@Suite struct SharingTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test func shareSubscribesOnceAndStartsAnewAfterTheLast() {
        let source = scheduler.createColdObservable([.next(10, 1), .next(20, 2), .next(30, 3)] as [Line<Int>])
        let shared = source.share()
        let (one, two) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
        let bags = [Holder(), Holder(), Holder()]
        scheduler.scheduleAt(200) { bags[0].hold(shared.subscribe(one)) }
        scheduler.scheduleAt(215) { bags[1].hold(shared.subscribe(two)) }
        scheduler.scheduleAt(225) { bags[0].drop() }
        scheduler.scheduleAt(235) { bags[1].drop() }
        scheduler.scheduleAt(300) { bags[2].hold(shared.subscribe(one)) }
        scheduler.scheduleAt(315) { bags[2].drop() }
        scheduler.start()
        #expect(one.events == [.next(210, 1), .next(220, 2), .next(310, 1)])
        #expect(two.events == [.next(220, 2), .next(230, 3)])
        #expect(source.subscriptions == [Subscription(200, 235), Subscription(300, 315)])
    }

    @Test func shareReplaysToLateSubscribers() {
        let maps = Log<Int>()
        let subject = PublishSubject<Int>()
        let shared = subject.map { value in
            maps.add(value)
            return value
        }.share(replay: 3)
        let late = Log<Int>()
        _ = shared.subscribe(onNext: { _ in })
        for value in 1...4 { subject.onNext(value) }
        _ = shared.subscribe(onNext: { late.add($0) })
        #expect(maps.all == [1, 2, 3, 4])
        #expect(late.all == [2, 3, 4])
    }

    @Test func shareStartsAnewAfterTheEnd() {
        let starts = Log<Int>()
        let source = Observable<Int>.create { observer in
            starts.add(starts.count)
            observer.onNext(starts.count)
            observer.onCompleted()
            return Disposables.create()
        }
        let log = Log<Int>()
        let shared = source.share(replay: 1)
        _ = shared.subscribe(onNext: { log.add($0) })
        _ = shared.subscribe(onNext: { log.add($0) })
        #expect(log.all == [1, 2])
        let forever = Observable.just(7).share(replay: 1, scope: .forever)
        let other = Log<String>()
        for _ in 0..<2 {
            _ = forever.subscribe(onNext: { other.add("\($0)") }, onCompleted: { other.add(".") })
        }
        #expect(other.all == ["7", ".", "7", "."])
    }

    @Test func publishStartsWithConnect() {
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

    @Test func refCountFollowsItsSubscribers() {
        check(usual, disposed: 225, gives: [.next(210, 1), .next(220, 2)], lives: (200, 225)) { stream, _ in
            stream.publish().refCount()
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in stream.replay(1).refCount() }
    }
}
