/// Somebody who listens to a stream.
public protocol ObserverType<Element> {
    /// The type of what it hears.
    associatedtype Element
    /// Takes one event.
    func on(_ event: Event<Element>)
}

extension ObserverType {
    /// Takes an element.
    public func onNext(_ element: Element) { on(.next(element)) }

    /// Takes the good end.
    public func onCompleted() { on(.completed) }

    /// Takes the failure.
    public func onError(_ error: any Error) { on(.error(error)) }
}
