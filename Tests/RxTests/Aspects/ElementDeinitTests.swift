import Dispatch
import Rx
import RxTest
import Testing

/// An operator may release an element when it stores the next one, and the element's deinitializer may run any code.
///
/// In these tests, the deinitializer sends one more element to the same stream. In a debug build, overlapping access to
/// an operator's state would trap.
@Suite struct ElementDeinitTests {
    final class Item: Sendable {
        private let goes: @Sendable () -> Void
        init(_ goes: @escaping @Sendable () -> Void) { self.goes = goes }
        deinit { goes() }
    }

    struct Operation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Observable<Item?>, TestScheduler) -> Observable<Int>

        init<Output>(
            _ name: String, _ make: @escaping @Sendable (Observable<Item?>, TestScheduler) -> Observable<Output>
        ) {
            testDescription = name
            self.make = { stream, scheduler in make(stream, scheduler).map { _ in 1 } }
        }
    }

    static let operations = [
        Operation("combineLatest") { stream, _ in Observable.combineLatest(stream, stream) { _, _ in 1 } },
        Operation("zip") { stream, _ in Observable.zip(stream, stream) { _, _ in 1 } },
        Operation("withLatestFrom") { stream, _ in stream.withLatestFrom(stream) },
        Operation("scan") { stream, _ in stream.scan(nil) { $1 } },
        Operation("reduce") { stream, _ in stream.reduce(nil) { $1 } },
        Operation("distinctUntilChanged") { stream, _ in stream.distinctUntilChanged { $0 === $1 } },
        Operation("debounce") { stream, scheduler in stream.debounce(.seconds(2), scheduler: scheduler) },
        Operation("throttle") { stream, scheduler in stream.throttle(.seconds(2), scheduler: scheduler) },
        Operation("delay") { stream, scheduler in stream.delay(.seconds(2), scheduler: scheduler) },
        Operation("sample") { stream, scheduler in
            stream.sample(Observable<Int>.interval(.seconds(2), scheduler: scheduler))
        },
        Operation("buffer") { stream, scheduler in
            stream.buffer(timeSpan: .seconds(2), count: 2, scheduler: scheduler)
        },
        Operation("window") { stream, scheduler in
            stream.window(timeSpan: .seconds(2), count: 2, scheduler: scheduler).flatMap { $0 }
        },
        Operation("takeLast") { stream, _ in stream.takeLast(1) },
        Operation("observe(on:)") { stream, scheduler in stream.observe(on: scheduler) },
        Operation("share(replay: 1)") { stream, _ in stream.share(replay: 1) },
        Operation("share(replay: 2, scope: .forever)") { stream, _ in stream.share(replay: 2, scope: .forever) },
        Operation("flatMapLatest") { stream, _ in stream.flatMapLatest { Observable.just($0) } },
        Operation("concatMap") { stream, _ in stream.concatMap { Observable.just($0) } },
    ]

    @Test(arguments: operations)
    func theDeinitOfAnElementMaySendAnotherOne(_ operation: Operation) {
        let scheduler = TestScheduler(initialClock: 0)
        let subject = PublishSubject<Item?>()
        let caused = Log<Int>()
        let subscription = operation.make(subject, scheduler).subscribe()
        for number in 1...4 {
            subject.onNext(
                Item {
                    caused.add(number)
                    subject.onNext(nil)
                })
            subject.onNext(nil)
            scheduler.advance(by: .seconds(3))
        }
        subject.onCompleted()
        scheduler.start()
        subscription.dispose()
        #expect(caused.all.sorted() == [1, 2, 3, 4])
    }
}
