import Dispatch
import Rx
import RxTest
import Testing

/// Streams that end or are disposed of do not leak.
///
/// Each test runs in a process of its own, because the number of objects of Rx is counted per process.
@Suite struct LeakTests {
    /// Runs a closure twice, and prints a line if the second run leaves objects behind.
    static func expectBalance(_ name: String, _ run: () -> Void) {
        run()
        let before = Resources.total
        run()
        let left = Resources.total - before
        if left != 0 { print("\(name) leaves \(left) behind.") }
    }

    /// Records an issue for each line that `expectBalance` printed in the process of a test.
    static func expectNoComplaint(in result: ExitTest.Result?) {
        for line in (result?.standardOutputContent ?? []).split(separator: 10) {
            let text = String(decoding: line, as: UTF8.self)
            if text.contains("behind") { Issue.record("\(text)") }
        }
    }

    @Test func operatorsWithOneSourceDoNotLeak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for operation in OneSource.all {
                for (end, script) in [(226, usual), (1000, usual), (1000, failing)] {
                    LeakTests.expectBalance("\(operation.name) at \(end) of \(script.count)") {
                        let scheduler = TestScheduler(initialClock: 0)
                        let source = scheduler.createHotObservable(script)
                        _ = scheduler.start(disposed: end) { operation.make(source.asObservable(), scheduler) }
                    }
                }
            }
        }
        Self.expectNoComplaint(in: result)
    }

    @Test func operatorsWithTwoSourcesDoNotLeak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for operation in TwoSources.all {
                for (end, left, right) in [
                    (226, Sides.left, Sides.right), (1000, Sides.left, Sides.right),
                    (1000, Sides.leftFailing, Sides.right), (1000, Sides.left, Sides.rightFailing),
                ] {
                    LeakTests.expectBalance("\(operation.name) at \(end) of \(left.count) and \(right.count)") {
                        let scheduler = TestScheduler(initialClock: 0)
                        let one = scheduler.createHotObservable(left)
                        let two = scheduler.createHotObservable(right)
                        _ = scheduler.start(disposed: end) {
                            operation.make(one.asObservable(), two.asObservable(), scheduler)
                        }
                    }
                }
            }
        }
        Self.expectNoComplaint(in: result)
    }

    /// Streams that are disposed of inside an element, and streams with a disposable that is not stored.
    @Test func disposalInsideAnElementDoesNotLeak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for operation in OneSource.all {
                LeakTests.expectBalance("\(operation.name) disposed of inside") {
                    let scheduler = TestScheduler(initialClock: 0)
                    let source = scheduler.createHotObservable(usual)
                    let holder = Holder()
                    let stream = operation.make(source.asObservable(), scheduler)
                    scheduler.scheduleAt(200) {
                        holder.hold(stream.subscribe(onNext: { _ in holder.drop() }))
                    }
                    scheduler.start()
                    holder.drop()
                }
                LeakTests.expectBalance("\(operation.name) with its disposable dropped") {
                    let scheduler = TestScheduler(initialClock: 0)
                    let source = scheduler.createHotObservable(usual)
                    let stream = operation.make(source.asObservable(), scheduler)
                    scheduler.scheduleAt(200) { _ = stream.subscribe(onNext: { _ in }) }
                    scheduler.start()
                }
            }
        }
        Self.expectNoComplaint(in: result)
    }

    /// Without disposal, the ends of the sources must suffice, even if the operator does not forward them.
    @Test func endedStreamsDoNotLeakWithoutDisposal() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for (name, make) in LeakTests.ends {
                for operation in OneSource.all {
                    LeakTests.expectBalance("\(operation.name) of \(name)") {
                        let scheduler = TestScheduler(initialClock: 0)
                        _ = operation.make(make(scheduler), scheduler).subscribe(onError: { _ in })
                        scheduler.advanceTo(2000)
                    }
                }
                for operation in TwoSources.all {
                    for (other, makeOther) in LeakTests.ends {
                        LeakTests.expectBalance("\(operation.name) of \(name) and \(other)") {
                            let scheduler = TestScheduler(initialClock: 0)
                            _ = operation.make(make(scheduler), makeOther(scheduler), scheduler)
                                .subscribe(onError: { _ in })
                            scheduler.advanceTo(2000)
                        }
                    }
                }
            }
        }
        Self.expectNoComplaint(in: result)
    }

    /// Streams that end by themselves, at subscription or later.
    static let ends: [(String, @Sendable (TestScheduler) -> Observable<Int>)] = [
        ("some", { _ in .of(1, 2, 3) }), ("none", { _ in .empty() }), ("an error", { _ in .error(TestError.first) }),
        ("some later", { Observable.of(1, 2, 3).delay(.seconds(20), scheduler: $0) }),
        ("none later", { Observable.empty().delay(.seconds(30), scheduler: $0) }),
        ("an error later", { Observable.never().timeout(.seconds(25), scheduler: $0) }),
    ]

    /// Sends events to a subject with early, intermediate and late subscribers.
    static func feed<Subject: SubjectType & ObserverType>(_ subject: Subject, _ end: Event<Int>?)
    where Subject.Element == Int, Subject.Observer.Element == Int {
        let first = subject.subscribe(onNext: { _ in })
        subject.onNext(1)
        let second = subject.asObservable().map { $0 }.subscribe(onNext: { _ in })
        subject.onNext(2)
        if let end { subject.on(end) }
        _ = subject.subscribe(onNext: { _ in }, onError: { _ in }).dispose()
        first.dispose()
        second.dispose()
    }

    @Test func subjectsAndRelaysDoNotLeak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            for end in [nil, .completed, .error(TestError.first)] as [Event<Int>?] {
                LeakTests.expectBalance("PublishSubject") { LeakTests.feed(PublishSubject<Int>(), end) }
                LeakTests.expectBalance("BehaviorSubject") {
                    LeakTests.feed(BehaviorSubject(value: 0), end)
                }
                LeakTests.expectBalance("ReplaySubject") {
                    LeakTests.feed(ReplaySubject<Int>.create(bufferSize: 1), end)
                }
                LeakTests.expectBalance("ReplaySubject of 3") {
                    LeakTests.feed(ReplaySubject<Int>.create(bufferSize: 3), end)
                }
                LeakTests.expectBalance("AsyncSubject") { LeakTests.feed(AsyncSubject<Int>(), end) }
            }
            LeakTests.expectBalance("relays") {
                let (publish, behavior) = (PublishRelay<Int>(), BehaviorRelay(value: 0))
                let all = [publish.subscribe(onNext: { _ in }), behavior.subscribe(onNext: { _ in })]
                publish.accept(1)
                behavior.accept(1)
                all.forEach { $0.dispose() }
            }
        }
        Self.expectNoComplaint(in: result)
    }
}
