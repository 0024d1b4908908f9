import Dispatch
import Rx
import RxTest
import Testing

/// Overloads with a `Duration` behave as those with a `DispatchTimeInterval`.
@Suite struct DurationOverloadTests {
    private let span = Duration.seconds(20)

    private func same<Output: Equatable>(
        _ sourceLocation: SourceLocation = #_sourceLocation,
        _ withDuration: @escaping (Observable<Int>, TestScheduler) -> Observable<Output>,
        _ withInterval: @escaping (Observable<Int>, TestScheduler) -> Observable<Output>
    ) {
        var recorded: [[RecordedEvent<Output>]] = []
        for make in [withDuration, withInterval] {
            let scheduler = TestScheduler(initialClock: 0)
            let stream = make(scheduler.createHotObservable(usual).asObservable(), scheduler)
            recorded.append(scheduler.start { stream }.events)
        }
        #expect(recorded[0] == recorded[1], sourceLocation: sourceLocation)
        #expect(!recorded[0].isEmpty, sourceLocation: sourceLocation)
    }

    @Test("Each operator of Observable takes a Duration")
    func observable() {
        same {
            $0.delay(span, scheduler: $1)
        } _: {
            $0.delay(.seconds(20), scheduler: $1)
        }
        same {
            $0.delaySubscription(span, scheduler: $1)
        } _: {
            $0.delaySubscription(.seconds(20), scheduler: $1)
        }
        same {
            $0.debounce(span, scheduler: $1)
        } _: {
            $0.debounce(.seconds(20), scheduler: $1)
        }
        same {
            $0.throttle(span, scheduler: $1)
        } _: {
            $0.throttle(.seconds(20), scheduler: $1)
        }
        same {
            $0.throttle(span, latest: false, scheduler: $1)
        } _: {
            $0.throttle(.seconds(20), latest: false, scheduler: $1)
        }
        same {
            $0.timeout(span, scheduler: $1)
        } _: {
            $0.timeout(.seconds(20), scheduler: $1)
        }
        same {
            $0.timeout(span, other: Single.just(9), scheduler: $1)
        } _: {
            $0.timeout(.seconds(20), other: Single.just(9), scheduler: $1)
        }
        same {
            $0.take(for: span, scheduler: $1)
        } _: {
            $0.take(for: .seconds(20), scheduler: $1)
        }
        same {
            $0.skip(span, scheduler: $1)
        } _: {
            $0.skip(.seconds(20), scheduler: $1)
        }
        same {
            $0.skip(for: span, scheduler: $1)
        } _: {
            $0.skip(for: .seconds(20), scheduler: $1)
        }
        same {
            $0.buffer(timeSpan: span, count: 9, scheduler: $1)
        } _: {
            $0.buffer(timeSpan: .seconds(20), count: 9, scheduler: $1)
        }
        same {
            $0.window(timeSpan: span, count: 9, scheduler: $1).flatMap { $0.toArray() }
        } _: {
            $0.window(timeSpan: .seconds(20), count: 9, scheduler: $1).flatMap { $0.toArray() }
        }
        same {
            Observable<Int>.interval(span, scheduler: $1).take(3)
        } _: {
            Observable<Int>.interval(.seconds(20), scheduler: $1).take(3)
        }
        same {
            Observable<Int>.timer(span, period: span * 2, scheduler: $1).take(3)
        } _: {
            Observable<Int>.timer(.seconds(20), period: .seconds(40), scheduler: $1).take(3)
        }
        same {
            Observable<Int>.timer(span, scheduler: $1)
        } _: {
            Observable<Int>.timer(.seconds(20), scheduler: $1)
        }
    }

    @Test("Each operator of Infallible takes a Duration")
    func infallible() {
        func safe(_ stream: Observable<Int>) -> Infallible<Int> { stream.asInfallible(onErrorJustReturn: 0) }
        same {
            safe($0).delay(span, scheduler: $1).asObservable()
        } _: {
            $0.delay(.seconds(20), scheduler: $1)
        }
        same {
            safe($0).delaySubscription(span, scheduler: $1).asObservable()
        } _: {
            $0.delaySubscription(.seconds(20), scheduler: $1)
        }
        same {
            safe($0).debounce(span, scheduler: $1).asObservable()
        } _: {
            $0.debounce(.seconds(20), scheduler: $1)
        }
        same {
            safe($0).throttle(span, scheduler: $1).asObservable()
        } _: {
            $0.throttle(.seconds(20), scheduler: $1)
        }
        same {
            safe($0).take(for: span, scheduler: $1).asObservable()
        } _: {
            $0.take(for: .seconds(20), scheduler: $1)
        }
        same {
            Infallible<Int>.interval(span, scheduler: $1).take(3).asObservable()
        } _: {
            Observable<Int>.interval(.seconds(20), scheduler: $1).take(3)
        }
        same {
            Infallible<Int>.timer(span, period: span, scheduler: $1).take(3).asObservable()
        } _: {
            Observable<Int>.timer(.seconds(20), period: .seconds(20), scheduler: $1).take(3)
        }
    }

    @Test("Each operator of Single, Maybe and Completable takes a Duration")
    func traits() {
        same {
            $0.first().delay(span, scheduler: $1).asObservable()
        } _: {
            $0.first().delay(.seconds(20), scheduler: $1).asObservable()
        }
        same {
            $0.first().delaySubscription(span, scheduler: $1).asObservable()
        } _: {
            $0.first().delaySubscription(.seconds(20), scheduler: $1).asObservable()
        }
        same {
            $0.ignoreElements().asCompletable().timeout(span, scheduler: $1).asObservable().materialize().map {
                "\($0)"
            }
        } _: {
            $0.ignoreElements().asCompletable().timeout(.seconds(20), scheduler: $1).asObservable().materialize().map {
                "\($0)"
            }
        }
        same {
            $0.asMaybe().timeout(span, other: .just(3), scheduler: $1).asObservable()
        } _: {
            $0.asMaybe().timeout(.seconds(20), other: .just(3), scheduler: $1).asObservable()
        }
        same {
            Single<Int>.timer(span, scheduler: $1).asObservable()
        } _: {
            Single<Int>.timer(.seconds(20), scheduler: $1).asObservable()
        }
    }

    @Test("Literals keep their type, and expressions of durations compile")
    func callSites() {
        let many = 2
        same {
            $0.delay(.seconds(1) * 20, scheduler: $1)
        } _: {
            $0.delay(.seconds(20), scheduler: $1)
        }
        same {
            $0.delay(.seconds(19.6), scheduler: $1)
        } _: {
            $0.delay(.milliseconds(19_600), scheduler: $1)
        }
        same {
            $0.timeout(span / many, scheduler: $1)
        } _: {
            $0.timeout(.seconds(10), scheduler: $1)
        }
        same {
            $0.delay(Duration.zero, scheduler: $1)
        } _: {
            $0.delay(.seconds(0), scheduler: $1)
        }
        same {
            $0.delay(span + .milliseconds(1_000), scheduler: $1)
        } _: {
            $0.delay(.seconds(21), scheduler: $1)
        }
        same {
            $0.timeout(.never, scheduler: $1)
        } _: { stream, _ in
            stream
        }
    }

    @Test("A scheduler runs work after a Duration")
    func schedulers() {
        let scheduler = TestScheduler(initialClock: 0, resolution: .milliseconds(1))
        let log = Log<Int>()
        let bag = CompositeDisposable()
        @Sendable func note() { log.add(scheduler.clock) }
        _ = bag.insert(
            scheduler.scheduleRelative((), dueTime: span) { _ in
                note()
                return Disposables.create()
            })
        _ = bag.insert(
            scheduler.scheduleRecursive(1, dueTime: span / 2) { round, recursion in
                note()
                if round < 2 { recursion.schedule(round + 1, dueTime: Duration.milliseconds(1)) }
            })
        scheduler.advance(by: Duration.seconds(21))
        #expect(log.all == [10_000, 10_001, 20_000])
        _ = bag.insert(
            scheduler.schedulePeriodic(0, startAfter: Duration.seconds(1), period: Duration.seconds(2)) {
                note()
                return $0 + 1
            })
        scheduler.advance(by: Duration.seconds(4))
        #expect(log.all.suffix(2) == [22_000, 24_000])
        bag.dispose()
    }

    @Test("A queue scheduler takes its leeway as a Duration")
    func leeway() async throws {
        let leeway = Duration.microseconds(10)
        let queue = DispatchQueue(label: "leeway")
        let schedulers: [any SchedulerType] = [
            SerialDispatchQueueScheduler(internalSerialQueueName: "leeway", leeway: leeway),
            SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "leeway", leeway: leeway),
            SerialDispatchQueueScheduler(qos: .default, leeway: leeway),
            ConcurrentDispatchQueueScheduler(queue: queue, leeway: leeway),
            ConcurrentDispatchQueueScheduler(qos: .default, leeway: leeway),
        ]
        for scheduler in schedulers {
            #expect(try await Single<Int>.timer(Duration.zero, scheduler: scheduler).value == 0)
        }
    }

    @Test(
        "A Duration becomes the nearest interval and never traps",
        arguments: [
            (.zero, .nanoseconds(0)),
            (.seconds(5), .nanoseconds(5_000_000_000)),
            (.milliseconds(-250), .nanoseconds(-250_000_000)),
            (.nanoseconds(1), .nanoseconds(1)),
            (Duration(secondsComponent: 0, attosecondsComponent: 499_999_999), .nanoseconds(0)),
            (Duration(secondsComponent: 0, attosecondsComponent: 500_000_000), .nanoseconds(1)),
            (Duration(secondsComponent: 0, attosecondsComponent: -500_000_000), .nanoseconds(-1)),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999_999_999_999), .nanoseconds(1_000_000_000)),
            (.nanoseconds(Int64.max), .nanoseconds(.max)),
            (.nanoseconds(Int64.min), .nanoseconds(.min)),
            (.nanoseconds(Int64.max) + .nanoseconds(1), .seconds(9_223_372_036)),
            (.nanoseconds(Int64.min) - .nanoseconds(1), .seconds(-9_223_372_036)),
            (.seconds(Int64.max), .seconds(.max)),
            (.seconds(Int64.max) * 2, .seconds(.max)),
            (.seconds(Int64.min) * 2, .seconds(-.max)),
            (.seconds(Int64.min), .seconds(.min)),
        ] as [(Duration, DispatchTimeInterval)])
    func conversion(_ duration: Duration, _ interval: DispatchTimeInterval) {
        #expect(DispatchTimeInterval(duration) == interval)
    }

    @Test("Operators take the shortest and the longest Duration", arguments: [Int64.min, -1, Int64.max])
    func extremes(_ seconds: Int64) {
        let extreme = Duration.seconds(seconds)
        let passes = seconds > 0
        func ends<Output>(_ make: (Observable<Int>, TestScheduler) -> Observable<Output>) -> [RecordedEvent<Output>] {
            let scheduler = TestScheduler(initialClock: 0)
            let stream = make(scheduler.createHotObservable(usual).asObservable(), scheduler)
            return scheduler.start { stream }.events
        }
        #expect(ends { $0.timeout(extreme, scheduler: $1) }.count == (passes ? 6 : 1))
        #expect(ends { $0.take(for: extreme, scheduler: $1) }.count == (passes ? 6 : 1))
        #expect(ends { $0.delay(extreme, scheduler: $1) }.count == (passes ? 0 : 6))
        #expect(ends { $0.debounce(extreme, scheduler: $1) }.count == (passes ? 2 : 6))
        #expect(ends { $0.throttle(extreme, scheduler: $1) }.count == (passes ? 1 : 6))
        #expect(ends { $0.buffer(timeSpan: extreme, count: 2, scheduler: $1) }.count >= 4)
        #expect(
            ends { Observable<Int>.timer(extreme, period: extreme, scheduler: $1).take(2) }.count == (passes ? 0 : 3))
    }

    @Test("A queue scheduler takes the longest Duration", arguments: [Int64.min, Int64.max])
    func extremesOnAQueue(_ seconds: Int64) async throws {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let extreme = Duration.seconds(seconds)
        let timer = Single<Int>.timer(extreme, scheduler: scheduler)
        if seconds < 0 {
            #expect(try await timer.value == 0)
        } else {
            #expect(try await timer.timeout(Duration.milliseconds(1), other: .just(7), scheduler: scheduler).value == 7)
        }
    }

    @Test("toBlocking takes a Duration")
    func blocking() throws {
        #expect(try Observable.of(1, 2).toBlocking(timeout: .seconds(0.5) * 60).toArray() == [1, 2])
        for timeout in [.milliseconds(1), .seconds(Int64.min)] as [Duration] {
            guard case .failed([], RxError.timeout) = Observable<Int>.never().toBlocking(timeout: timeout).materialize()
            else {
                Issue.record("no time-out")
                continue
            }
        }
        #expect(try Observable.just(1).toBlocking(timeout: .seconds(Int64.max)).first() == 1)
        #expect(try Observable.just(1).toBlocking(timeout: 5).first() == 1)
    }
}
