import Rx
import RxTest

extension Case {
    /// Cases that measure the cost of one element of a time operator in virtual time, as tests of programs pay it.
    static let virtualTime: [Case] = [
        Case("v-interval", count: 100_000) { count, sum in
            let scheduler = TestScheduler(initialClock: 0)
            let ticks = Observable<Int>.interval(.seconds(1), scheduler: scheduler).subscribe(onNext: { sum.add($0) })
            scheduler.advanceTo(count)
            ticks.dispose()
        },
        Case("v-timer", count: 100_000) { count, sum in
            let scheduler = TestScheduler(initialClock: 0)
            for _ in 0..<count {
                _ = Observable<Int>.timer(.seconds(1), scheduler: scheduler).subscribe(onNext: { sum.add($0) })
                scheduler.advanceBy(1)
            }
        },
        through("v-debounce") { $0.debounce(.seconds(1), scheduler: $1) },
        through("v-delay") { $0.delay(.seconds(1), scheduler: $1) },
        through("v-throttle") { $0.throttle(.seconds(1), scheduler: $1) },
    ]

    /// Makes a case with a subject and one operator. The clock moves by one tick after each element.
    private static func through(
        _ name: String, _ operation: @escaping @Sendable (PublishSubject<Int>, TestScheduler) -> Observable<Int>
    ) -> Case {
        Case(name, count: 100_000) { count, sum in
            let scheduler = TestScheduler(initialClock: 0)
            let subject = PublishSubject<Int>()
            let subscription = operation(subject, scheduler).subscribe(onNext: { sum.add($0) })
            for element in 0..<count {
                subject.onNext(element)
                scheduler.advanceBy(1)
            }
            subscription.dispose()
        }
    }
}
