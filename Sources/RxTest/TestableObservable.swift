public import Rx

/// The virtual times at which one subscription to a testable stream began and ended.
public struct Subscription: Equatable, Hashable, Sendable {
    /// When the subscription began.
    public let subscribe: TestTime
    /// When the subscription ended; `Int.max` if it has not ended.
    public let unsubscribe: TestTime

    /// Creates a subscription that has not ended.
    public init(_ subscribe: TestTime) { self.init(subscribe, .max) }

    /// Creates a subscription that has ended.
    public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }
}

extension Subscription: CustomDebugStringConvertible {
    /// The text `(begin : end)`, with `Infinity` if the subscription has not ended.
    public var debugDescription: String {
        "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
    }
}

/// A stream that sends given events and records the times of its subscriptions.
public class TestableObservable<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: `lock` guards `lifetimes`; the other fields do not change.
    let scheduler: TestScheduler
    private let lock = Lock()
    private var lifetimes: [Subscription] = []

    /// The events that the stream sends, with their times.
    public let recordedEvents: [Recorded<Event<Element>>]

    init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>]) {
        self.scheduler = scheduler
        recordedEvents = events
    }

    /// When each subscription began and ended.
    public var subscriptions: [Subscription] { lock.withLock { lifetimes } }

    /// Sends the events to the observer until the result is disposed of.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let number = lock.withLock {
            lifetimes.append(Subscription(scheduler.clock))
            return lifetimes.count - 1
        }
        // This observer does not stop at the end: a test may send events after the end, to check the operator under
        // test.
        let target: UncheckedTransfer<(Event<Element>) -> Void> = UncheckedTransfer(observer.on)
        let sending = play(to: AnyObserver { target.value($0) })
        return Disposables.create {
            sending.dispose()
            let end = self.scheduler.clock
            self.lock.withLock {
                self.lifetimes[number] = Subscription(self.lifetimes[number].subscribe, end)
            }
        }
    }

    func play(to observer: AnyObserver<Element>) -> any Disposable { Disposables.create() }
}

/// A cold stream that sends each event the recorded number of ticks after a subscription.
final class ColdObservable<Element>: TestableObservable<Element>, @unchecked Sendable {
    // Guard for `@unchecked`: the class adds no state to the superclass.
    override func play(to observer: AnyObserver<Element>) -> any Disposable {
        // The work remains scheduled after disposal, as in RxTest, so that `start` ends at the time of the last event.
        let ended = BooleanDisposable()
        for event in recordedEvents {
            let transfer = UncheckedTransfer((observer, event.value))
            _ = scheduler.scheduleRelativeVirtual((), dueTime: event.time) { _ in
                if !ended.isDisposed { transfer.value.0.on(transfer.value.1) }
                return Disposables.create()
            }
        }
        return ended
    }
}

/// A hot stream that sends each event at its recorded time to the current subscribers.
final class HotObservable<Element>: TestableObservable<Element>, @unchecked Sendable {
    // Guard for `@unchecked`: any thread may use the `PublishSubject`.
    private let subject = PublishSubject<Event<Element>>()

    override init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>]) {
        super.init(scheduler, events)
        for event in events {
            let transfer = UncheckedTransfer((subject, event.value))
            scheduler.scheduleAt(event.time) { transfer.value.0.onNext(transfer.value.1) }
        }
    }

    override func play(to observer: AnyObserver<Element>) -> any Disposable {
        let target = UncheckedTransfer(observer)
        return subject.subscribe(onNext: { target.value.on($0) })
    }
}
