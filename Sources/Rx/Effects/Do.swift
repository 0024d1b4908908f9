import Synchronization

extension ObservableType {
    /// The stream itself, with closures run beside it: before and after each event is passed on, around the
    /// subscription, and after disposal or the end. A throwing closure is an error of the stream.
    ///
    /// The order is that of RxSwift: `onSubscribe`, the subscription, `onSubscribed`; `onNext`, the subscriber,
    /// `afterNext`; at the end the hook before it, the subscriber, the hook after it, what is upstream, `onDispose`.
    /// What the hooks after the end throw is ignored, as nothing can follow the end.
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
        let pass = DoSink(hooks, into: sink)
        upstream.run(pass)
        hooks.onSubscribed?()
        pass.subscribed()
    }
}

private final class DoSink<Element>: SingleInputSink<Element, Element> {
    private static var hasSubscribed: UInt8 { 1 }
    private static var wasDisposed: UInt8 { 2 }

    private let hooks: DoHooks<Element>
    // `onDispose` is run by whoever sets the second of the two flags, so it comes after `onSubscribed`.
    private let flags = Atomic<UInt8>(0)

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
        end({ try hooks.onError?(error) }, { downstream.error(error) }, { try hooks.afterError?(error) })
    }

    override func completed() {
        end({ try hooks.onCompleted?() }, { downstream.completed() }, { try hooks.afterCompleted?() })
    }

    private func end(_ before: () throws -> Void, _ tell: () -> Void, _ after: () throws -> Void) {
        do {
            try before()
            if isLive { tell() }
            // Nothing can follow the end, so an error of this hook has nowhere to go.
            try? after()
        } catch {
            if isLive { downstream.error(error) }
        }
        dispose()
    }

    // The hooks after the end come first; then `end` disposes.
    override func downstreamEnded() {}

    func subscribed() { mark(Self.hasSubscribed) }

    override func dispose() {
        if markDisposed() { mark(Self.wasDisposed) }
    }

    private func mark(_ flag: UInt8) {
        let before = flags.bitwiseOr(flag, ordering: .acquiringAndReleasing).oldValue
        if before | flag == Self.hasSubscribed | Self.wasDisposed, before & flag == 0 { hooks.onDispose?() }
    }
}
