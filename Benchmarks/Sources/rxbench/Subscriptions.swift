import Rx

extension Case {
    /// Cases that measure the cost of a subscription, and the memory that a subscription retains.
    static let subscriptions: [Case] = [
        Case("subscribe-5", count: 100_000) { count, sum in
            let chain = fiveOperators(on: PublishSubject())
            for _ in 0..<count { chain.subscribe(onNext: { sum.add($0) }).dispose() }
        },
        // Does not dispose of the subscriptions, so that the memory in use at the exit is the memory that they retain.
        Case("live-5", count: 10_000) { count, sum in
            let subject = PublishSubject<Int>()
            let chain = fiveOperators(on: subject)
            for _ in 0..<count { kept.insert(chain.subscribe(onNext: { sum.add($0) })) }
        },
        Case("range", count: 1_000_000) { count, sum in
            _ = Observable.range(start: 0, count: count).subscribe(onNext: { sum.add($0) })
        },
        Case("array", count: 1_000_000) { count, sum in
            _ = Observable.from(Array(0..<count)).subscribe(onNext: { sum.add($0) })
        },
        Case("of-10", count: 20_000) { count, sum in
            for _ in 0..<count {
                _ = Observable.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10).subscribe(onNext: { sum.add($0) })
            }
        },
    ]

    private static let kept = DisposeBag()

    private static func fiveOperators(on subject: PublishSubject<Int>) -> Observable<Int> {
        subject.map { $0 &+ 1 }.filter { $0 >= 0 }.map { $0 &* 3 }.filter { $0 >= 0 }.map { $0 &+ 1 }
    }
}
