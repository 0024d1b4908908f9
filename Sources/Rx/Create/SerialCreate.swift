/// The observer of `createSerial`. One serial context sends its events, with at most one end.
package struct SerialObserver<Element> {
    private let sink: Sink<Element>

    fileprivate init(_ sink: Sink<Element>) { self.sink = sink }

    package func on(_ event: Event<Element>) { sink.on(event) }

    package func onNext(_ element: Element) { sink.next(element) }

    package func onError(_ error: any Error) { sink.error(error) }
}

// Guard for `@unchecked`: the caller of `createSerial` passes the observer to one serial context only.
extension SerialObserver: @unchecked Sendable where Element: Sendable {}

extension Observable {
    /// As `create`, for events from one serial context: without protection against several threads.
    package static func createSerial(
        _ subscribe: @escaping @Sendable (SerialObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Observable(SerialCreate(subscribe))
    }
}

private final class SerialCreate<Element>: Source<Element> {
    private let subscribe: @Sendable (SerialObserver<Element>) -> any Disposable
    init(_ subscribe: @escaping @Sendable (SerialObserver<Element>) -> any Disposable) { self.subscribe = subscribe }

    override func run(_ sink: Sink<Element>) {
        let entry = ForwardingSink(into: sink)
        entry.attachToDownstream()
        entry.attach(subscribe(SerialObserver(entry)))
    }
}
