import Dispatch
import Rx
import RxTest
import Testing

@Suite struct WindowTests {
    /// Joins the elements of the windows, each with the number of its window.
    static func flat(_ windows: Observable<Observable<Int>>) -> Observable<String> {
        windows.enumerated().flatMap { number, window in window.map { "\(number) \($0)" } }
    }

    static let elements: [RecordedEvent<String>] = [
        .next(205, "0 1"), .next(210, "0 2"), .next(240, "0 3"), .next(280, "1 4"), .next(320, "2 5"),
        .next(350, "2 6"), .next(370, "2 7"), .next(420, "3 8"), .next(470, "4 9"),
    ]

    @Test func elementsAreSentToTheCurrentWindow() {
        check(crowd, gives: Self.elements + [.completed(600)], lives: (200, 600)) { stream, scheduler in
            Self.flat(stream.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler))
        }
    }

    @Test func windowsAndTheirEndsAreInOrder() {
        check(
            crowd,
            gives: [
                .next(200, "0"), .next(240, "0."), .next(240, "1"), .next(310, "1."), .next(310, "2"), .next(370, "2."),
                .next(370, "3"), .next(440, "3."), .next(440, "4"), .next(510, "4."), .next(510, "5"), .next(580, "5."),
                .next(580, "6"), .next(600, "6."), .completed(600),
            ], lives: (200, 600)
        ) { stream, scheduler in
            stream.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).enumerated().flatMap {
                number, window in
                window.filter { _ in false }.map { _ in "" }.startWith("\(number)").concat(
                    Observable.just("\(number)."))
            }
        }
    }

    @Test func anErrorFailsTheWindowAndTheStream() {
        let log = Log<String>()
        check(failing, gives: [.error(225, TestError.first)] as [RecordedEvent<String>], lives: (200, 225)) {
            stream, scheduler in
            stream.window(timeSpan: .seconds(70), count: 9, scheduler: scheduler)
                .do(
                    onNext: { window in
                        _ = window.subscribe(onNext: { log.add("\($0)") }, onError: { log.add("inner \($0)") })
                    }, onError: { log.add("outer \($0)") }
                )
                .flatMap { _ in Observable<String>.never() }
        }
        #expect(log.all == ["1", "2", "inner first", "outer first"])
    }

    @Test func disposalDisposesOfTheSource() {
        check(crowd, disposed: 370, gives: Array(Self.elements.prefix(7)), lives: (200, 370)) { stream, scheduler in
            Self.flat(stream.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler))
        }
    }

    @Test func aSubscribedWindowKeepsTheSourceSubscribed() {
        // `take(1)` ends the outer subscription with the first window. The source stays subscribed until this window
        // ends.
        check(
            crowd, gives: [.next(205, 1), .next(210, 2), .next(240, 3), .completed(240)], lives: (200, 240)
        ) { stream, scheduler in
            stream.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).take(1).flatMap { $0 }
        }
        // This window is closed by its timer, which must still run after the outer subscription has ended.
        check(
            crowd, gives: [.next(205, 1), .next(210, 2), .completed(230)], lives: (200, 230)
        ) { stream, scheduler in
            stream.window(timeSpan: .seconds(30), count: 3, scheduler: scheduler).take(1).flatMap { $0 }
        }
    }

    @Test func withoutInnerSubscriptionsTheSourceIsDisposedOfWithTheOuter() {
        check(crowd, gives: [.next(200, 1), .completed(200)], lives: (200, 200)) { stream, scheduler in
            stream.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).take(1).map { _ in 1 }
        }
        check(crowd, gives: [.next(205, 1), .completed(205)], lives: (200, 205)) { stream, scheduler in
            stream.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).take(1).flatMap { $0.take(1) }
        }
    }

    @Test func noWindowIsSentAfterDisposal() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(crowd)
        let (outer, inner) = (Log<Int>(), Log<Int>())
        let holder = Holder()
        scheduler.scheduleAt(200) {
            holder.hold(
                source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).subscribe(onNext: { window in
                    outer.add(1)
                    _ = window.subscribe(onNext: {
                        inner.add($0)
                        if $0 == 2 { holder.drop() }
                    })
                }))
        }
        scheduler.start()
        #expect(outer.count == 1)
        #expect(inner.all == [1, 2, 3])
        #expect(source.subscriptions == [Subscription(200, 240)])
    }

    @Test func aCompletedWindowOnlyCompletes() {
        let ends = Log<Int>()
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(crowd)
        let result = scheduler.start {
            source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).enumerated().filter { $0.index == 0 }
                .delay(.seconds(100), scheduler: scheduler).flatMap {
                    $0.element.do(onCompleted: { ends.add(scheduler.clock) })
                }
        }
        #expect(result.events == [.completed(700)])
        #expect(ends.all == [300])
    }
}
