import Rx
import RxTest
import Testing

@Suite struct GroupByTests {
    @Test func elementsAreSentToTheStreamOfTheirKey() {
        check(
            usual,
            gives: [
                .next(210, "odd 1"), .next(220, "even 2"), .next(230, "odd 3"), .next(240, "even 4"),
                .next(250, "odd 5"), .completed(300),
            ], lives: (200, 300)
        ) { stream, _ in
            stream.groupBy { $0.isMultiple(of: 2) ? "even" : "odd" }.flatMap { group in
                group.map { "\(group.key) \($0)" }
            }
        }
    }

    @Test func aGroupIsSentOnceBeforeItsFirstElement() {
        check(usual, gives: [.next(210, 1), .next(220, 0), .completed(300)], lives: (200, 300)) { stream, _ in
            stream.groupBy { $0 % 2 }.map(\.key)
        }
    }

    @Test func groupsEndInTheirOrderBeforeTheOuterStream() {
        for (script, end) in [(usual, "."), (failing, "first")] {
            let scheduler = TestScheduler(initialClock: 0)
            let source = scheduler.createHotObservable(script)
            let log = Log<String>()
            scheduler.scheduleAt(200) {
                _ = source.groupBy { $0 % 2 }.subscribe(
                    onNext: { group in
                        _ = group.subscribe(
                            onError: { log.add("\(group.key) \($0)") }, onCompleted: { log.add("\(group.key) .") })
                    }, onError: { log.add("\($0)") }, onCompleted: { log.add(".") })
            }
            scheduler.start()
            #expect(log.all == ["1 \(end)", "0 \(end)", end])
        }
    }

    @Test func aThrowingSelectorFailsAllStreams() {
        let log = Log<String>()
        check(usual, gives: [.next(210, 1), .error(220, TestError.second)], lives: (200, 220)) { stream, _ in
            stream.groupBy { if $0 == 2 { throw TestError.second } else { $0 } }
                .do(onNext: { group in _ = group.subscribe(onError: { log.add("inner \($0)") }) })
                .map(\.key)
        }
        #expect(log.all == ["inner second"])
    }

    @Test func disposalDisposesOfTheSource() {
        check(usual, disposed: 225, gives: [.next(210, 1), .next(220, 2)], lives: (200, 225)) { stream, _ in
            stream.groupBy { $0 }.flatMap { $0 }
        }
    }

    @Test func aSubscribedGroupKeepsTheSourceSubscribed() {
        check(
            usual, gives: [.next(210, 1), .next(230, 3), .next(250, 5), .completed(300)], lives: (200, 300)
        ) { stream, _ in stream.groupBy { $0 % 2 }.take(1).flatMap { $0 } }
        check(usual, gives: [.next(210, 1), .next(230, 3), .completed(230)], lives: (200, 230)) { stream, _ in
            stream.groupBy { $0 % 2 }.take(1).flatMap { $0.take(2) }
        }
        check(usual, gives: [.next(210, 1), .completed(210)], lives: (200, 210)) { stream, _ in
            stream.groupBy { $0 % 2 }.take(1).map(\.key)
        }
    }

    @Test func disposalInsideAGroupStopsIt() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let (outer, inner) = (Holder(), Holder())
        outer.hold(
            subject.groupBy { $0 % 2 }.subscribe(onNext: { group in
                guard group.key == 1 else { return log.add(-1) }
                inner.hold(
                    group.subscribe(onNext: {
                        log.add($0)
                        outer.drop()
                        inner.drop()
                    }))
            }))
        for number in [1, 3, 2] { subject.onNext(number) }
        #expect(log.all == [1])
        #expect(!subject.hasObservers)
    }

    @Test func aGroupedObservableCanBeCreated() {
        let log = Log<Int>()
        let group = GroupedObservable(key: "a", source: Observable.of(1, 2))
        _ = group.subscribe(onNext: { log.add($0) })
        _ = group.asObservable().map { $0 * 10 }.subscribe(onNext: { log.add($0) })
        #expect(group.key == "a")
        #expect(log.all == [1, 2, 10, 20])
    }
}
