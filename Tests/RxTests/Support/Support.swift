import Rx
import RxTest
import Testing

/// The errors that streams of these tests emit.
enum TestError: Error, Equatable { case first, second }

typealias RecordedEvent<Element> = Recorded<Event<Element>>

/// A list to which several threads can add values.
final class Log<Value: Sendable>: Sendable {
    private let values = Guarded<[Value]>([])
    func add(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
    var count: Int { values.withLock { $0.count } }
}

/// Stores a disposable, so that a callback of the subscription can dispose of it.
final class Holder: Sendable {
    let slot = SingleAssignmentDisposable()
    func hold(_ disposable: any Disposable) { slot.setDisposable(disposable) }
    func drop() { slot.dispose() }
}

/// Checks the events of an operator on a hot stream, and the lifetime of its subscription.
@discardableResult
func check<Input, Output: Equatable>(
    _ events: [RecordedEvent<Input>], disposed: Int = 1000, gives expected: [RecordedEvent<Output>], lives: (Int, Int),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (Observable<Input>, TestScheduler) -> Observable<Output>
) -> TestScheduler {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable(events)
    let stream = make(source.asObservable(), scheduler)
    let result = scheduler.start(disposed: disposed) { stream }
    #expect(result.events == expected, sourceLocation: sourceLocation)
    #expect(source.subscriptions == [Subscription(lives.0, lives.1)], sourceLocation: sourceLocation)
    return scheduler
}

/// The usual events: an element before subscription, then 1…5 at 210, 220 … 250, then completion at 300.
let usual: [RecordedEvent<Int>] = [
    .next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .next(250, 5), .completed(300),
]
/// The same events as `usual`, but with an error at 225.
let failing: [RecordedEvent<Int>] = [.next(150, 0), .next(210, 1), .next(220, 2), .error(225, TestError.first)]
