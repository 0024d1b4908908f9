public import Rx

/// A stream with a script, which records who was subscribed and when.
public class TestableObservable<Element>: ObservableType, @unchecked Sendable {
    // Guard for `@unchecked`: `lock` guards `lifetimes`; the rest never changes.
    let scheduler: TestScheduler
    private let lock = Lock()
    private var lifetimes: [Subscription] = []

    /// The script.
    public let recordedEvents: [Recorded<Event<Element>>]

    init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>]) {
        self.scheduler = scheduler
        recordedEvents = events
    }

    /// When each subscription began and ended.
    public var subscriptions: [Subscription] { lock.withLock { lifetimes } }

    /// Subscribes an observer to the script.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        let number = lock.withLock {
            lifetimes.append(Subscription(scheduler.clock))
            return lifetimes.count - 1
        }
        // An observer without a state of its own: a hot script may go on after its end, for the operator under test.
        let listener: Carried<(Event<Element>) -> Void> = Carried(observer.on)
        let script = play(to: AnyObserver { listener.value($0) })
        return Disposables.create {
            script.dispose()
            let end = self.scheduler.clock
            self.lock.withLock {
                self.lifetimes[number] = Subscription(self.lifetimes[number].subscribe, end)
            }
        }
    }

    func play(to observer: AnyObserver<Element>) -> any Disposable { Disposables.create() }
}

/// Sends each event that many ticks after the subscription.
final class ColdObservable<Element>: TestableObservable<Element>, @unchecked Sendable {
    // Guard for `@unchecked`: as in the superclass.
    override func play(to observer: AnyObserver<Element>) -> any Disposable {
        // The ticks stay in the clock after disposal, as in RxTest: `start` ends at the time of the last one.
        let ended = BooleanDisposable()
        for event in recordedEvents {
            let line = Carried((observer, event.value))
            _ = scheduler.scheduleRelativeVirtual((), dueTime: event.time) { _ in
                if !ended.isDisposed { line.value.0.on(line.value.1) }
                return Disposables.create()
            }
        }
        return ended
    }
}

/// Sends each event at its tick to whoever is subscribed then.
final class HotObservable<Element>: TestableObservable<Element>, @unchecked Sendable {
    // Guard for `@unchecked`: the subject's own.
    private let subject = PublishSubject<Event<Element>>()

    override init(_ scheduler: TestScheduler, _ events: [Recorded<Event<Element>>]) {
        super.init(scheduler, events)
        for event in events {
            let line = Carried((subject, event.value))
            scheduler.scheduleAt(event.time) { line.value.0.onNext(line.value.1) }
        }
    }

    override func play(to observer: AnyObserver<Element>) -> any Disposable {
        let listener = Carried(observer)
        return subject.subscribe(onNext: { listener.value.on($0) })
    }
}
