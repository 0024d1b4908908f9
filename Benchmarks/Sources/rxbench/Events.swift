import Dispatch
import Rx

extension Case {
    /// Cases that measure the cost of one event in an operator.
    static let events: [Case] = [
        through("subject") { $0.asObservable() },
        through("chain") { $0.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &* 3 } },
        through("map") { $0.map { $0 &+ 1 } },
        through("filter") { $0.filter { $0 >= 0 } },
        through("scan") { $0.scan(0) { $0 &+ $1 } },
        through("distinct") { $0.distinctUntilChanged() },
        through("take") { $0.take(.max) },
        through("share") { $0.share() },
        through("with-latest") { $0.withLatestFrom(BehaviorSubject(value: 1)) { $0 &+ $1 } },
        through("combine-2") { Observable.combineLatest($0, BehaviorSubject(value: 1)) { $0 &+ $1 } },
        through("zip-2") { Observable.zip($0, $0) { $0 &+ $1 } },
        through("flatmap-just", count: 200_000) { $0.flatMap { Observable.just($0) } },
        through("switch-just", count: 200_000) { $0.flatMapLatest { Observable.just($0) } },
        through("timeout") {
            $0.timeout(.seconds(100), scheduler: SerialDispatchQueueScheduler(internalSerialQueueName: "timeout"))
        },
        Case("fanout-100", count: 20_000, share: 100) { count, sum in
            let subject = PublishSubject<Int>()
            for _ in 0..<100 { _ = subject.subscribe(onNext: { sum.add($0) }) }
            for element in 0..<count { subject.onNext(element) }
        },
        Case("replay1-10", count: 100_000, share: 10) { count, sum in
            let subject = PublishSubject<Int>()
            let shared = subject.share(replay: 1)
            for _ in 0..<10 { _ = shared.subscribe(onNext: { sum.add($0) }) }
            for element in 0..<count { subject.onNext(element) }
        },
        Case("observe-on", count: 500_000) { count, sum in
            let subject = PublishSubject<Int>()
            let done = DispatchSemaphore(value: 0)
            // The queue is suspended while the events are sent, so that every run has the same number of steps.
            let target = DispatchQueue(label: "observe-on target")
            target.suspend()
            let scheduler = SerialDispatchQueueScheduler(queue: target, internalSerialQueueName: "observe-on")
            _ = subject.observe(on: scheduler)
                .subscribe(onNext: { sum.add($0) }, onCompleted: { done.signal() })
            for element in 0..<count { subject.onNext(element) }
            subject.onCompleted()
            target.resume()
            done.wait()
        },
    ]

    /// Makes a case with a subject, one or more operators, and one subscriber.
    private static func through(
        _ name: String, count: Int = 1_000_000,
        _ operators: @escaping @Sendable (PublishSubject<Int>) -> Observable<Int>
    ) -> Case {
        Case(name, count: count) { count, sum in
            let subject = PublishSubject<Int>()
            let subscription = operators(subject).subscribe(onNext: { sum.add($0) })
            for element in 0..<count { subject.onNext(element) }
            subscription.dispose()
        }
    }
}
