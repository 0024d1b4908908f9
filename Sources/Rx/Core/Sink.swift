/// The receiver of the events of a source. The base class ignores all events.
@usableFromInline
class Sink<Element>: SubscriptionNode {
    func next(_ value: Element) {}
    func error(_ error: any Error) {}
    func completed() {}

    /// Passes an `Event` to `next`, `error` or `completed`.
    final func on(_ event: Event<Element>) {
        switch event {
        case .next(let value): next(value)
        case .error(let failure): error(failure)
        case .completed: completed()
        }
    }
}

/// The sink of an operator with one upstream.
///
/// The sink and its upstream retain each other until one of the two ends.
class SingleInputSink<Input, Output>: Sink<Input> {
    final let downstream: Sink<Output>

    /// Creates a sink. Call `attachToDownstream` next.
    init(into downstream: Sink<Output>) {
        // Does not attach the sink, because in an initializer the call would retain and release both sinks.
        self.downstream = downstream
    }

    /// Attaches the sink to its downstream, which disposes of it. Call this method once, before the first event.
    ///
    /// `OperatorSource` calls this method for the sinks of `lift`.
    @inline(__always)
    final func attachToDownstream() { downstream.attach(self) }

    /// Forwards an element, unless the subscription has been disposed of.
    @inline(__always)
    final func forward(_ value: Output) {
        if isLive { downstream.next(value) }
    }

    /// Forwards an error, then disposes of the upstream.
    final func fail(_ error: any Error) {
        if isLive {
            downstream.error(error)
            dispose()
        }
    }

    /// Forwards completion, then disposes of the upstream.
    final func finish() {
        if isLive {
            downstream.completed()
            dispose()
        }
    }

    override func error(_ error: any Error) { fail(error) }
    override func completed() { finish() }
}

/// A sink that forwards events unchanged.
final class ForwardingSink<Element>: SingleInputSink<Element, Element> {
    override func next(_ value: Element) { forward(value) }
}

/// The sink of a subscriber, the last of a chain. Its `SubscriberNode` has the flags and the upstream.
@usableFromInline
class SubscriberSink<Element>: Sink<Element> {
    final let subscription: SubscriberNode
    init(_ subscription: SubscriberNode = SubscriberNode()) { self.subscription = subscription }

    final override func attach(_ teardown: Teardown) { subscription.attach(teardown) }
    final override func detach() { subscription.detach() }
    final override func dispose() { subscription.dispose() }
}

/// A sink that forwards events to a user's observer.
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
