import Dispatch
import Rx
import Testing

/// A model of the main actor, which streams update.
@MainActor private final class Model {
    var values: [Int] = []
    var ends: [String] = []
}

@Suite(.timeLimit(.minutes(5))) struct MainActorSubscribeTests {
    @MainActor @Test func eventsOnTheMainActorUpdateAModelAtOnce() async {
        // While an event of another test waits for the main queue, events do not arrive at once.
        for _ in 0..<1_000 {
            if isUpdatedAtOnce() { return }
            await Task.yield()
        }
        Issue.record("In a thousand attempts, no event arrived at once.")
    }

    /// Returns false if another event waits for the main queue.
    @MainActor private func isUpdatedAtOnce() -> Bool {
        let (model, subject) = (Model(), PublishSubject<Int>())
        let subscription = subject.subscribeOnMainActor(
            with: model, onNext: { model, value in model.values.append(value) },
            onError: { model, _ in model.ends.append("error") },
            onCompleted: { $0.ends.append("completed") }, onDisposed: { $0.ends.append("disposed") })
        subject.onNext(1)
        subject.onNext(2)
        let values = model.values
        subject.onCompleted()
        let ends = model.ends
        subscription.dispose()
        return values == [1, 2] && ends == ["completed", "disposed"] && model.ends == ends
    }

    @MainActor @Test func eventsOfAnotherThreadArriveOnTheMainActorInOrder() async {
        let (model, subject) = (Model(), PublishSubject<Int>())
        await withCheckedContinuation { continuation in
            _ = subject.subscribeOnMainActor(
                onNext: { model.values.append($0) }, onError: { _ in model.ends.append("error") },
                onDisposed: { continuation.resume() })
            DispatchQueue.global().async {
                for value in 0..<1000 { subject.onNext(value) }
                subject.onError(TestError.first)
            }
        }
        #expect(model.values == Array(0..<1000))
        #expect(model.ends == ["error"])
    }

    @MainActor @Test func nothingArrivesAfterDisposalOnTheMainActor() async {
        let (model, subject) = (Model(), PublishSubject<Int>())
        let subscription = subject.subscribeOnMainActor(onNext: { model.values.append($0) })
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                subject.onNext(1)
                continuation.resume()
            }
        }
        subscription.dispose()
        let last = model.values
        // Work of the main queue that was scheduled before this block has run when the block runs.
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        #expect(model.values == last)
        #expect(!subject.hasObservers)
    }

    @MainActor @Test func aReleasedObjectGetsNothing() {
        let subject = PublishSubject<Int>()
        var model: Model? = Model()
        let isCalled = Guarded(false)
        if let model {
            _ = subject.subscribeOnMainActor(
                with: model, onNext: { _, _ in isCalled.withLock { $0 = true } },
                onCompleted: { _ in isCalled.withLock { $0 = true } })
        }
        model = nil
        subject.onNext(1)
        subject.onCompleted()
        #expect(!isCalled.withLock { $0 })
    }

    @MainActor @Test func disposingOnAnotherThreadCallsOnDisposedOnTheMainActor() async {
        let subject = PublishSubject<Int>()
        let model = Model()
        await withCheckedContinuation { continuation in
            let subscription = subject.subscribeOnMainActor(onDisposed: {
                model.ends.append("disposed")
                continuation.resume()
            })
            DispatchQueue.global().async { subscription.dispose() }
        }
        #expect(model.ends == ["disposed"])
    }
}
