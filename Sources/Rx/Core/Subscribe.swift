extension ObservableType {
    /// Subscribes and calls the closure for each event.
    ///
    /// Dispose of the result to unsubscribe.
    @preconcurrency
    public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void) -> any Disposable {
        subscribe(
            onNext: { on(.next($0)) }, onError: { on(.error($0)) }, onCompleted: { on(.completed) })
    }

    /// Subscribes and calls the given closures for elements and the end of the stream.
    ///
    /// `onDisposed` is called once, after the end or after disposal. An error without `onError` is passed to
    /// `Hooks.defaultErrorHandler`. Dispose of the result to unsubscribe.
    @preconcurrency
    @inlinable
    public func subscribe(
        onNext: (@Sendable (Element) -> Void)? = nil,
        onError: (@Sendable (any Error) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        onDisposed: (@Sendable () -> Void)? = nil
    ) -> any Disposable {
        // `@inlinable`, because a caller that knows the type of the element looks up no metadata of the sink.
        asObservable().subscribe(
            with: ClosureSink(onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed))
    }

    /// As `subscribe(onNext:…)`; each closure also receives an object, which is held weakly.
    ///
    /// After the object is released, no closure is called.
    @preconcurrency
    public func subscribe<Object: AnyObject & Sendable>(
        with object: Object,
        onNext: (@Sendable (Object, Element) -> Void)? = nil,
        onError: (@Sendable (Object, any Error) -> Void)? = nil,
        onCompleted: (@Sendable (Object) -> Void)? = nil,
        onDisposed: (@Sendable (Object) -> Void)? = nil
    ) -> any Disposable {
        subscribe(
            onNext: { [weak object] value in if let object { onNext?(object, value) } },
            onError: { [weak object] error in if let object { onError?(object, error) } },
            onCompleted: { [weak object] in if let object { onCompleted?(object) } },
            onDisposed: { [weak object] in if let object { onDisposed?(object) } })
    }
}

/// Returns the error handler of a subscription without `onError`, with the current call stack.
func defaultErrorHandler() -> @Sendable (any Error) -> Void {
    let callStack = Hooks.callStack
    if callStack.isEmpty { return { Hooks.defaultErrorHandler([], $0) } }
    return { Hooks.defaultErrorHandler(callStack, $0) }
}

/// A sink that passes events to the closures of a subscriber.
@usableFromInline
final class ClosureSink<Element>: SubscriberSink<Element> {
    private let onNext: @Sendable (Element) -> Void
    private let onError: @Sendable (any Error) -> Void
    private let onCompleted: (@Sendable () -> Void)?

    @usableFromInline
    init(
        onNext: (@Sendable (Element) -> Void)?, onError: (@Sendable (any Error) -> Void)?,
        onCompleted: (@Sendable () -> Void)?, onDisposed: (@Sendable () -> Void)?
    ) {
        // Uses `if let` instead of `??`, because `??` would wrap each closure in another closure.
        if let onNext { self.onNext = onNext } else { self.onNext = { _ in } }
        if let onError { self.onError = onError } else { self.onError = defaultErrorHandler() }
        self.onCompleted = onCompleted
        super.init(SubscriberNode(onDisposed: onDisposed))
    }

    override func next(_ value: Element) {
        if subscription.isLive { onNext(value) }
    }

    override func error(_ error: any Error) {
        guard subscription.markStopped() else { return }
        onError(error)
        end()
    }

    override func completed() {
        guard subscription.markStopped() else { return }
        onCompleted?()
        end()
    }

    // As in RxSwift, `onDisposed` is called before the sources are disposed of.
    private func end() {
        subscription.callOnDisposed()
        subscription.disposeAfterEnd()
    }
}
