import Dispatch
import Rx
import Testing

/// The schedulers of the main queue, on the real clock. Each test has a time limit.
@Suite(.timeLimit(.minutes(5))) struct MainSchedulerTests {
    let log = Log<Int>()

    func note(_ number: Int, on scheduler: any ImmediateSchedulerType) -> any Disposable {
        scheduler.schedule(number) { [log] number in
            log.add(number)
            return Disposables.create()
        }
    }

    @MainActor @Test func workOnTheMainQueueRunsAtOnceUnlessOtherWorkWaits() async {
        MainScheduler.ensureExecutingOnScheduler()
        MainScheduler.ensureRunningOnMainThread()
        let scheduler = MainScheduler()
        _ = note(1, on: scheduler)
        #expect(log.all == [1])
        let (queued, tell) = AsyncStream.makeStream(of: Void.self)
        DispatchQueue(label: "elsewhere").sync { [log] in
            _ = scheduler.schedule(()) { _ in
                log.add(3)
                return Disposables.create()
            }
        }
        // Other work already waits for the main queue, so this work runs after it and not at once.
        _ = scheduler.schedule(()) { [log] _ in
            log.add(4)
            tell.yield()
            return Disposables.create()
        }
        log.add(2)
        for await _ in queued { break }
        #expect(log.all == [1, 2, 3, 4])
    }

    @MainActor @Test func theAsynchronousInstanceNeverRunsWorkAtOnce() async {
        let (done, tell) = AsyncStream.makeStream(of: Void.self)
        _ = MainScheduler.asyncInstance.schedule(()) { [log] _ in
            log.add(2)
            tell.yield()
            return Disposables.create()
        }
        log.add(1)
        for await _ in done { break }
        #expect(log.all == [1, 2])
    }

    @MainActor @Test func theConcurrentMainSchedulerRunsWorkAtOnce() {
        _ = note(9, on: MainScheduler.asyncInstance)
        _ = note(1, on: ConcurrentMainScheduler.instance)
        #expect(log.all == [1])
    }

    @Test func workFromAnotherThreadRunsOnTheMainQueue() async {
        let (done, tell) = AsyncStream.makeStream(of: Bool.self)
        for scheduler in [MainScheduler.instance, ConcurrentMainScheduler.instance] as [any SchedulerType] {
            _ = scheduler.schedule(()) { _ in
                MainScheduler.ensureExecutingOnScheduler()
                tell.yield(true)
                return Disposables.create()
            }
            _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                MainScheduler.ensureExecutingOnScheduler()
                tell.yield(true)
                return Disposables.create()
            }
        }
        var count = 0
        for await _ in done {
            count += 1
            if count == 4 { break }
        }
        // If the time limit cancels the test, the loop above ends with a smaller count.
        #expect(count == 4)
    }

    @Test func checkingForTheMainQueueTrapsElsewhere() async {
        await #expect(processExitsWith: .failure) {
            DispatchQueue(label: "elsewhere").sync { MainScheduler.ensureExecutingOnScheduler() }
        }
    }

    @Test func unusualIntervalsAreDefined() async {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let (done, tell) = AsyncStream.makeStream(of: Int.self)
        let never = scheduler.scheduleRelative((), dueTime: .never) { _ in
            tell.yield(0)
            return Disposables.create()
        }
        for (number, interval) in [RxTimeInterval.seconds(-5), .seconds(0), .nanoseconds(.min)].enumerated() {
            _ = scheduler.scheduleRelative((), dueTime: interval) { _ in
                tell.yield(number + 1)
                return Disposables.create()
            }
        }
        var seen: Set<Int> = []
        for await number in done {
            seen.insert(number)
            if seen.count == 3 { break }
        }
        #expect(seen == [1, 2, 3])
        never.dispose()
    }
}
