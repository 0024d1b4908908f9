import Rx
import RxTest
import Testing

@Suite struct SampleTests {
    let scheduler = TestScheduler(initialClock: 0)

    func run(
        _ elements: [RecordedEvent<Int>], by samples: [RecordedEvent<String>], defaultValue: Int? = nil,
        disposed: Int = 1000
    ) -> (events: [RecordedEvent<Int>], source: [Subscription], sampler: [Subscription]) {
        let source = scheduler.createHotObservable(elements)
        let sampler = scheduler.createHotObservable(samples)
        let result = scheduler.start(disposed: disposed) { source.sample(sampler, defaultValue: defaultValue) }
        return (result.events, source.subscriptions, sampler.subscriptions)
    }

    let elements: [RecordedEvent<Int>] = [
        .next(150, 1), .next(220, 2), .next(240, 3), .next(290, 4), .next(300, 5), .next(310, 6), .completed(400),
    ]
    let samples: [RecordedEvent<String>] = [
        .next(150, ""), .next(210, "bar"), .next(250, "foo"), .next(260, "qux"), .next(320, "baz"), .completed(500),
    ]

    @Test func aSampleWithoutANewElementIsSkipped() {
        let (events, source, sampler) = run(elements, by: samples)
        #expect(events == [.next(250, 3), .next(320, 6), .completed(500)])
        #expect(source == [Subscription(200, 400)])
        #expect(sampler == [Subscription(200, 500)])
    }

    @Test func aDefaultReplacesAMissingElement() {
        let (events, _, _) = run(elements, by: samples, defaultValue: -1)
        #expect(
            events == [
                .next(210, -1), .next(250, 3), .next(260, -1), .next(320, 6), .next(500, -1), .completed(500),
            ])
    }

    @Test func completionOfTheSamplerIsASample() {
        let more = elements.dropLast() + [.next(360, 7), .completed(400)]
        let (events, _, _) = run(Array(more), by: samples)
        #expect(events == [.next(250, 3), .next(320, 6), .next(500, 7), .completed(500)])
    }

    @Test func theSamplerMayCompleteFirst() {
        let (events, source, sampler) = run(elements, by: [.next(250, "foo"), .completed(270)])
        #expect(events == [.next(250, 3)])
        #expect(source == [Subscription(200, 400)])
        #expect(sampler == [Subscription(200, 270)])
    }

    @Test func theFirstSampleAfterCompletionIsTheLast() {
        let (events, source, sampler) = run(
            [.next(220, 2), .completed(230)], by: [.next(225, "a"), .next(260, "b"), .next(270, "c")])
        #expect(events == [.next(225, 2), .completed(260)])
        #expect(source == [Subscription(200, 230)])
        #expect(sampler == [Subscription(200, 260)])
    }

    @Test func errorsOfEitherStreamAreForwardedAtOnce() {
        let first = run(failing, by: samples)
        #expect(first.events == [.next(210, 1), .error(225, TestError.first)])
        #expect(first.source == [Subscription(200, 225)] && first.sampler == [Subscription(200, 225)])
        let second = TestScheduler(initialClock: 0)
        let source = second.createHotObservable(usual)
        let sampler = second.createHotObservable(
            [.next(225, 1), .error(245, TestError.second)] as [RecordedEvent<Int>])
        #expect(second.start { source.sample(sampler) }.events == [.next(225, 2), .error(245, TestError.second)])
        #expect(source.subscriptions == [Subscription(200, 245)])
    }

    @Test func disposalDisposesOfBothStreams() {
        let (events, source, sampler) = run(elements, by: samples, disposed: 255)
        #expect(events == [.next(250, 3)])
        #expect(source == [Subscription(200, 255)] && sampler == [Subscription(200, 255)])
    }

    @Test func disposalInsideASampleDisposesOfBothStreams() {
        let scheduler = scheduler
        let source = scheduler.createHotObservable(elements)
        let sampler = scheduler.createHotObservable(samples)
        let log = Log<Int>()
        let holder = Holder()
        scheduler.scheduleAt(200) {
            holder.hold(
                source.sample(sampler).subscribe(onNext: {
                    log.add($0)
                    holder.drop()
                }))
        }
        scheduler.start()
        #expect(log.all == [3])
        #expect(source.subscriptions == [Subscription(200, 250)])
        #expect(sampler.subscriptions == [Subscription(200, 250)])
    }

    @Test func aStreamThatSamplesItselfSendsItsElements() {
        let subject = PublishSubject<Int>()
        let log = Log<Int>()
        let subscription = subject.sample(subject).subscribe(onNext: { log.add($0) })
        for number in 1...3 { subject.onNext(number) }
        #expect(log.all == [1, 2, 3])
        subscription.dispose()
        #expect(!subject.hasObservers)
    }
}
