import Rx
import Testing

/// Streams that are awaited in a task that is already cancelled.
@Suite(.timeLimit(.minutes(5))) struct CancelledTaskTests {
    /// Returns the result of work in a task that is already cancelled.
    func inCancelledTask<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async -> Result<
        Value, any Error
    > {
        let task = Task { () -> Result<Value, any Error> in
            while !Task.isCancelled { await Task.yield() }
            do { return .success(try await work()) } catch { return .failure(error) }
        }
        task.cancel()
        return await task.value
    }

    @Test("A result at subscription is returned even in a cancelled task")
    func aResultAtSubscriptionWins() async throws {
        #expect(try await inCancelledTask { try await Single.just(1).value }.get() == 1)
        #expect(try await inCancelledTask { try await Maybe.just(2).value }.get() == 2)
        #expect(try await inCancelledTask { try await Maybe<Int>.empty().value }.get() == nil)
        try await inCancelledTask { try await Completable.empty().value }.get()
    }

    @Test("An error at subscription is thrown even in a cancelled task")
    func anErrorAtSubscriptionWins() async {
        await #expect(throws: TestError.first) {
            try await inCancelledTask { try await Single<Int>.error(TestError.first).value }.get()
        }
        await #expect(throws: TestError.first) {
            try await inCancelledTask { try await Maybe<Int>.error(TestError.first).value }.get()
        }
        await #expect(throws: TestError.first) {
            try await inCancelledTask { try await Completable.error(TestError.first).value }.get()
        }
    }

    @Test("Without a result at subscription a cancelled task throws CancellationError")
    func nothingAtSubscription() async {
        let subject = PublishSubject<Int>()
        let disposals = Log<Int>()
        let stream = subject.do(onSubscribe: { disposals.add(0) }, onDispose: { disposals.add(1) })
        await #expect(throws: CancellationError.self) {
            try await inCancelledTask { try await stream.asSingle().value }.get()
        }
        await #expect(throws: CancellationError.self) {
            try await inCancelledTask { try await stream.asMaybe().value }.get()
        }
        await #expect(throws: CancellationError.self) {
            try await inCancelledTask { try await stream.ignoreElements().asCompletable().value }.get()
        }
        #expect(disposals.all == [0, 1, 0, 1, 0, 1])
        #expect(!subject.hasObservers)
    }

    @Test("Cancelling a waiting task throws CancellationError and disposes of the source")
    func cancelledWhileItWaits() async {
        let subject = PublishSubject<Int>()
        let task = Task { try await subject.asSingle().value }
        while !subject.hasObservers { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!subject.hasObservers)
    }

    @Test("`values` returns elements sent at subscription even in a cancelled task")
    func valuesAtSubscription() async throws {
        let all = await inCancelledTask {
            var all: [Int] = []
            for try await value in Observable.of(1, 2, 3).values { all.append(value) }
            return all
        }
        #expect(try all.get() == [1, 2, 3])
        let sure = await inCancelledTask {
            var all: [Int] = []
            for await value in Infallible.of(1, 2, 3).values { all.append(value) }
            return all
        }
        #expect(try sure.get() == [1, 2, 3])
        await #expect(throws: TestError.first) {
            try await inCancelledTask { for try await _ in Observable<Int>.error(TestError.first).values {} }.get()
        }
        await #expect(throws: CancellationError.self) {
            try await inCancelledTask { for try await _ in Observable<Int>.never().values {} }.get()
        }
        try await inCancelledTask { for await _ in Infallible<Int>.never().values {} }.get()
    }

    @Test("An asynchronous closure makes a stream of the elements that it sends")
    func createdByAClosure() async throws {
        let stream = Observable<Int>.create { send in
            send(1)
            await Task.yield()
            send(2)
        }
        #expect(try await stream.toArray().value == [1, 2])
        #expect(try await stream.toArray().value == [1, 2])
        let failing = Observable<Int>.create(detached: true, priority: .high) { send in
            send(1)
            throw TestError.first
        }
        #expect(try await failing.catchAndReturn(9).toArray().value == [1, 9])
        let sure = Infallible<Int>.create(detached: true) { send in
            await Task.yield()
            send(3)
        }
        #expect(try await sure.asObservable().toArray().value == [3])
    }

    @Test("Disposal cancels the task of the closure, and later elements are ignored")
    func disposalCancelsTheClosure() async {
        let (events, output) = AsyncStream.makeStream(of: String.self)
        let subscription = Observable<Int>.create { send in
            output.yield("begun")
            while !Task.isCancelled { await Task.yield() }
            send(1)
            output.yield("ended")
        }.subscribe(onNext: { output.yield("\($0)") }, onDisposed: { output.yield("disposed") })
        var received: [String] = []
        for await event in events {
            received.append(event)
            if event == "begun" { subscription.dispose() }
            if received.count == 3 { break }
        }
        // The task ends on another thread, before or after the subscription is disposed of.
        #expect(received == ["begun", "disposed", "ended"] || received == ["begun", "ended", "disposed"])
    }

    @Test("CancellationError of a sequence completes its stream, other errors fail it")
    func aCancelledSequence() async throws {
        let cancelled = AsyncThrowingStream<Int, any Error> {
            $0.yield(1)
            $0.finish(throwing: CancellationError())
        }
        #expect(try await cancelled.asObservable(priority: .low).toArray().value == [1])
        let failing = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: TestError.first) }
        await #expect(throws: TestError.first) {
            try await failing.asObservable(detached: true, priority: .high).toArray().value
        }
    }
}
