import Dispatch
import Rx
import Testing

/// `refCount` connects with the first subscriber and disconnects with the last one.
///
/// Subscribers may also come and leave inside each other's elements.
@Suite struct RefCountTests {
    /// The stored element ends the first subscriber and adds a second one before the stream is connected.
    @Test func aSubscriberAddedInsideAStoredElementStartsTheStream() {
        let source = PublishSubject<Int>()
        let shared = source.share(replay: 1, scope: .forever)
        let first = shared.subscribe()
        source.onNext(1)
        first.dispose()
        #expect(source.hasObservers == false)
        let log = Log<Int>()
        let second = shared.take(1).flatMap { _ in shared }.subscribe(onNext: log.add)
        #expect(source.hasObservers)
        source.onNext(2)
        second.dispose()
        #expect(log.all == [1, 2])
        #expect(source.hasObservers == false)
    }

    /// The first subscriber leaves and a second one subscribes while the stream is being connected.
    ///
    /// The connection then belongs to the second subscriber.
    @Test func aSubscriberAddedDuringTheStartKeepsTheConnection() {
        let (arrival, later) = (PublishSubject<Void>(), PublishSubject<Int>())
        let runs = Log<String>()
        let shared = Observable<Int>.create { observer in
            runs.add("start")
            observer.onNext(1)
            arrival.onNext(())
            let rest = later.subscribe(observer)
            return Disposables.create {
                runs.add("stop")
                rest.dispose()
            }
        }
        .publish().refCount()
        let (log, second) = (Log<Int>(), Holder())
        _ = arrival.subscribe(onNext: { second.hold(shared.subscribe(onNext: log.add)) })
        shared.take(1).subscribe().dispose()
        later.onNext(5)
        #expect(log.all == [5])
        #expect(runs.all == ["start"])
        second.drop()
        #expect(runs.all == ["start", "stop"])
    }

    /// If the last subscriber leaves on another thread, a new one gets a new connection.
    @Test func aSubscriberAddedWhileTheLastLeavesStartsANewConnection() {
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            return Disposables.create()
        }
        for shared in [source.replay(1).refCount(), source.share(replay: 1), source.share(replay: 1, scope: .forever)] {
            let lost = Log<Int>()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for _ in 0..<3000 where lost.count == 0 {
                    let received = DispatchSemaphore(value: 0)
                    let subscription = shared.subscribe(onNext: { _ in received.signal() })
                    if received.wait(timeout: .now() + 120) == .timedOut { lost.add(thread) }
                    subscription.dispose()
                }
            }
            #expect(lost.all == [])
        }
    }
}
