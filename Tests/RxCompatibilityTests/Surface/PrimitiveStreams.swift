import Dispatch
import Foundation
import Rx
import RxTest

let SubscribedToHotObservable = Subscription(0)
let UnsunscribedFromHotObservable = Subscription(0, 0)

/// A hot stream that a test suite defines: it delivers each event at once, without virtual time.
class PrimitiveHotObservable<Element>: ObservableType {
    typealias Events = Recorded<Element>
    typealias Observer = AnyObserver<Element>

    var subscriptions: [Subscription] = []
    let observers = PublishSubject<Element>()

    func on(_ event: Event<Element>) { observers.on(event) }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable where Observer.Element == Element {
        let removeObserver = observers.subscribe(observer)
        subscriptions.append(SubscribedToHotObservable)
        let index = subscriptions.count - 1
        return Disposables.create {
            removeObserver.dispose()
            self.subscriptions[index] = UnsunscribedFromHotObservable
        }
    }
}

/// A hot stream that delivers its events on a background queue.
final class BackgroundThreadPrimitiveHotObservable<Element: Equatable>: PrimitiveHotObservable<Element> {
    override func on(_ event: Event<Element>) {
        let semaphore = DispatchSemaphore(value: 0)
        DispatchQueue.global(qos: .default).async {
            super.on(event)
            semaphore.signal()
        }
        semaphore.wait()
    }
}

final class PrimitiveMockObserver: ObserverType {
    typealias Element = Int
    private let lock = NSRecursiveLock()
    private var recorded = [Recorded<Event<Element>>]()

    var events: [Recorded<Event<Element>>] {
        lock.lock()
        defer { lock.unlock() }
        return recorded
    }

    func on(_ event: Event<Element>) {
        lock.lock()
        defer { lock.unlock() }
        recorded.append(Recorded(time: 0, value: event))
    }
}

/// A subject that a test suite defines: it replays nothing, and counts its subscriptions.
final class MySubject<Element>: SubjectType, ObserverType where Element: Hashable {
    typealias Observer = MySubject<Element>

    var disposeOn: [Element: Disposable] = [:]
    var observer: AnyObserver<Element>! = nil
    var subscribeCount: Int = 0
    var disposed: Bool = false

    var subscribed: Bool { subscribeCount > 0 }

    func disposeOn(value: Element, disposable: Disposable) { disposeOn[value] = disposable }

    func on(_ event: Event<Element>) {
        observer.on(event)
        switch event {
        case .next(let value):
            if let disposable = disposeOn[value] { disposable.dispose() }
        default: break
        }
    }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable where Observer.Element == Element {
        subscribeCount += 1
        self.observer = AnyObserver(observer)
        return Disposables.create {
            self.observer = AnyObserver { _ in }
            self.disposed = true
        }
    }

    func asObserver() -> MySubject<Element> { self }
}

final class TestConnectableObservable<Subject: SubjectType>: ConnectableObservableType
where Subject.Element == Subject.Observer.Element {
    typealias Element = Subject.Element
    let o: ConnectableObservable<Subject.Element>

    init(o: Observable<Subject.Element>, s: Subject) { self.o = o.multicast(s) }

    func connect() -> Disposable { o.connect() }

    func subscribe<Observer: ObserverType>(_ observer: Observer) -> Disposable where Observer.Element == Element {
        o.subscribe(observer)
    }
}
