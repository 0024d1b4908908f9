import Dispatch
import Rx
import RxTest
import Testing

@Suite struct ObserveOnTests {
    @Test func eachEventHasATickOfItsOwn() {
        check(
            [.next(210, 1), .next(210, 2), .completed(210)] as [RecordedEvent<Int>],
            gives: [.next(211, 1), .next(212, 2), .completed(213)], lives: (200, 210)
        ) { stream, scheduler in stream.observe(on: scheduler) }
    }

    @Test func anErrorIsDeliveredInOrder() {
        check(
            [.next(210, 1), .next(210, 2), .error(210, TestError.first)] as [RecordedEvent<Int>],
            gives: [.next(211, 1), .next(212, 2), .error(213, TestError.first)], lives: (200, 210)
        ) { stream, scheduler in stream.observe(on: scheduler) }
    }

    @Test func disposalDropsWaitingEvents() {
        check(
            [.next(210, 1), .next(210, 2), .next(210, 3)] as [RecordedEvent<Int>], disposed: 212,
            gives: [.next(211, 1)],
            lives: (200, 212)
        ) { stream, scheduler in stream.observe(on: scheduler) }
    }

    @Test func anElementCausedByADeliveryFollowsQueuedElements() {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Int>()
        let observer = scheduler.createObserver(Int.self)
        let subscription = subject.observe(on: scheduler).do(onNext: {
            if $0 == 1 { subject.onNext(3) }
        })
        .subscribe(observer)
        scheduler.scheduleAt(210) {
            subject.onNext(1)
            subject.onNext(2)
        }
        scheduler.start()
        #expect(observer.events == [.next(211, 1), .next(212, 2), .next(213, 3)])
        subscription.dispose()
    }

    @Test func subscribeOnSubscribesAndDisposesOnTheScheduler() {
        check(usual, disposed: 225, gives: [.next(210, 1), .next(220, 2)], lives: (201, 226)) {
            stream, scheduler in
            stream.subscribe(on: scheduler)
        }
        check(usual, gives: Array(usual.dropFirst()), lives: (201, 301)) { stream, scheduler in
            stream.subscribe(on: scheduler)
        }
    }

    @Test func disposalBeforeTheSubscriptionPreventsIt() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(usual)
        scheduler.scheduleAt(200) { source.subscribe(on: scheduler).subscribe().dispose() }
        scheduler.start()
        #expect(source.subscriptions.isEmpty)
    }

    /// A real queue delivers events in order and one at a time.
    @Test func aQueueDeliversEventsInOrder() {
        let key = DispatchSpecificKey<Bool>()
        let scheduler = SerialDispatchQueueScheduler(
            internalSerialQueueName: "observe",
            serialQueueConfiguration: { $0.setSpecific(key: key, value: true) })
        let log = Log<Int>()
        let elsewhere = Log<Int>()
        let done = DispatchSemaphore(value: 0)
        _ = Observable.range(start: 0, count: 500).observe(on: scheduler).subscribe(
            onNext: { value in
                if DispatchQueue.getSpecific(key: key) != true { elsewhere.add(value) }
                log.add(value)
            }, onCompleted: { done.signal() })
        done.wait()
        #expect(log.all == Array(0..<500))
        #expect(elsewhere.all.isEmpty)
    }
}
