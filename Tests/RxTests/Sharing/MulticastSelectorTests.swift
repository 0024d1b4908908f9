import Rx
import RxTest
import Testing

@Suite struct MulticastSelectorTests {
    let scheduler = TestScheduler(initialClock: 0)
    let script: [RecordedEvent<Int>] = [.next(210, 1), .next(220, 2), .next(240, 3), .completed(300)]

    @Test func theStreamIsSubscribedToOnceForAllItsUses() {
        let source = scheduler.createHotObservable(script)
        let result = scheduler.start {
            source.multicast({ PublishSubject<Int>() }) { Observable.zip($0, $0.skip(1)) { $0 * 10 + $1 } }
        }
        #expect(result.events == [.next(220, 12), .next(240, 23), .completed(300)])
        #expect(source.subscriptions == [Subscription(200, 300)])
    }

    @Test func disposalAndTheEndOfTheResultStopTheConnection() {
        let source = scheduler.createHotObservable(script)
        let result = scheduler.start(disposed: 230) { source.multicast({ PublishSubject<Int>() }) { $0 } }
        #expect(result.events == [.next(210, 1), .next(220, 2)])
        #expect(source.subscriptions == [Subscription(200, 230)])

        let later = TestScheduler(initialClock: 0)
        let again = later.createHotObservable(script)
        #expect(
            later.start { again.multicast({ PublishSubject<Int>() }) { $0.take(1) } }.events
                == [.next(210, 1), .completed(210)])
        #expect(again.subscriptions == [Subscription(200, 210)])
    }

    @Test func errorsOfTheStreamAndOfBothClosuresAreForwarded() {
        let source = scheduler.createHotObservable(
            [.next(210, 1), .error(220, TestError.first)] as [RecordedEvent<Int>])
        #expect(
            scheduler.start { source.multicast({ PublishSubject<Int>() }) { $0 } }.events
                == [.next(210, 1), .error(220, TestError.first)])
        for broken in 0..<2 {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable(script)
            let result = scheduler.start {
                source.multicast({ () throws -> PublishSubject<Int> in
                    if broken == 0 { throw TestError.second }
                    return PublishSubject()
                }) { stream -> Observable<Int> in
                    if broken == 1 { throw TestError.second }
                    return stream
                }
            }
            #expect(result.events == [.error(200, TestError.second)])
            #expect(source.subscriptions.isEmpty)
        }
    }

    @Test func disposalInsideOnNextStopsTheConnection() {
        let subject = PublishSubject<Int>()
        let holder = Holder()
        let log = Log<Int>()
        holder.hold(
            subject.multicast({ PublishSubject<Int>() }) { $0 }.subscribe(onNext: {
                log.add($0)
                holder.drop()
            }))
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.all == [1])
        #expect(!subject.hasObservers)
    }
}
