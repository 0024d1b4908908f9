extension ObservableType {
    /// The stream itself, with closures run beside it: before and after each event is passed on, around the
    /// subscription, and after disposal or the end. A throwing closure is an error of the stream.
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil, afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil, afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        Observable(
            Do(
                asObservable().source,
                DoHooks(
                    onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
                    onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
                    onSubscribed: onSubscribed, onDispose: onDispose)))
    }
}

private final class DoHooks<Element> {
    let onNext: (@Sendable (Element) throws -> Void)?
    let afterNext: (@Sendable (Element) throws -> Void)?
    let onError: (@Sendable (any Error) throws -> Void)?
    let afterError: (@Sendable (any Error) throws -> Void)?
    let onCompleted: (@Sendable () throws -> Void)?
    let afterCompleted: (@Sendable () throws -> Void)?
    let onSubscribe: (@Sendable () -> Void)?
    let onSubscribed: (@Sendable () -> Void)?
    let onDispose: (@Sendable () -> Void)?

    init(
        onNext: (@Sendable (Element) throws -> Void)?, afterNext: (@Sendable (Element) throws -> Void)?,
        onError: (@Sendable (any Error) throws -> Void)?, afterError: (@Sendable (any Error) throws -> Void)?,
        onCompleted: (@Sendable () throws -> Void)?, afterCompleted: (@Sendable () throws -> Void)?,
        onSubscribe: (@Sendable () -> Void)?, onSubscribed: (@Sendable () -> Void)?,
        onDispose: (@Sendable () -> Void)?
    ) {
        self.onNext = onNext
        self.afterNext = afterNext
        self.onError = onError
        self.afterError = afterError
        self.onCompleted = onCompleted
        self.afterCompleted = afterCompleted
        self.onSubscribe = onSubscribe
        self.onSubscribed = onSubscribed
        self.onDispose = onDispose
    }
}

private final class Do<Element>: Source<Element> {
    private let upstream: Source<Element>
    private let hooks: DoHooks<Element>

    init(_ upstream: Source<Element>, _ hooks: DoHooks<Element>) {
        self.upstream = upstream
        self.hooks = hooks
    }

    override func run(_ sink: Sink<Element>) {
        hooks.onSubscribe?()
        upstream.run(DoSink(hooks, into: sink))
        hooks.onSubscribed?()
    }
}

private final class DoSink<Element>: Pipe<Element, Element> {
    private let hooks: DoHooks<Element>

    init(_ hooks: DoHooks<Element>, into downstream: Sink<Element>) {
        self.hooks = hooks
        super.init(into: downstream)
    }

    override func next(_ value: Element) {
        do {
            try hooks.onNext?(value)
            forward(value)
            try hooks.afterNext?(value)
        } catch {
            fail(error)
        }
    }

    override func error(_ error: any Error) {
        do {
            try hooks.onError?(error)
            if isLive { downstream.error(error) }
            try hooks.afterError?(error)
            dispose()
        } catch {
            fail(error)
        }
    }

    override func completed() {
        do {
            try hooks.onCompleted?()
            if isLive { downstream.completed() }
            try hooks.afterCompleted?()
            dispose()
        } catch {
            fail(error)
        }
    }

    override func dispose() {
        if markDisposed() { hooks.onDispose?() }
    }
}
