/// Where a source sends its events. The base class ignores them.
class Sink<Element>: SubscriptionNode {
    func next(_ value: Element) {}
    func error(_ error: any Error) {}
    func completed() {}

    /// Takes an event in its public form.
    final func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): next(value)
        case .error(let failure): error(failure)
        case .completed: completed()
        }
    }
}

/// The sink of an operator with one source: it owns its upstream and is owned by it until either side ends.
class SingleInputSink<Input, Output>: Sink<Input> {
    final let downstream: Sink<Output>

    init(into downstream: Sink<Output>) {
        self.downstream = downstream
        super.init()
        downstream.attach(self)
    }

    /// Sends an element on, unless the subscription was given up meanwhile.
    final func forward(_ value: Output) {
        if isLive { downstream.next(value) }
    }

    /// Sends the failure on, then undoes everything upstream.
    final func fail(_ error: any Error) {
        if isLive {
            downstream.error(error)
            dispose()
        }
    }

    /// Sends the good end on, then undoes everything upstream.
    final func finish() {
        if isLive {
            downstream.completed()
            dispose()
        }
    }

    override func error(_ error: any Error) { fail(error) }
    override func completed() { finish() }
}

/// The sink of a subscriber, at the end of a chain. Its flags and the way up are those of its subscription.
class SubscriberSink<Element>: Sink<Element> {
    final let subscription: Subscription
    init(_ subscription: Subscription = Subscription()) { self.subscription = subscription }

    final override func attach(_ teardown: Teardown) { subscription.attach(teardown) }
    final override func detach() { subscription.detach() }
    final override func dispose() { subscription.dispose() }
}

/// A user's own observer.
final class ObserverSink<Observer: ObserverType>: SubscriberSink<Observer.Element> {
    private let observer: Observer

    init(_ observer: Observer) {
        self.observer = observer
        super.init()
    }

    override func next(_ value: Observer.Element) {
        if subscription.isLive { observer.on(.next(value)) }
    }

    override func error(_ error: any Error) {
        guard subscription.markStopped() else { return }
        observer.on(.error(error))
        subscription.disposeAfterEnd()
    }

    override func completed() {
        guard subscription.markStopped() else { return }
        observer.on(.completed)
        subscription.disposeAfterEnd()
    }
}
