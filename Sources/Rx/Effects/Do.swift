import Synchronization

extension ObservableType {
    /// Calls the closures before and after the events, the subscription and the disposal of the stream.
    ///
    /// The order is that of RxSwift. Subscription: `onSubscribe`, the subscription itself, `onSubscribed`. Element:
    /// `onNext`, the subscriber, `afterNext`. End: `onError` or `onCompleted`, the subscriber, `afterError` or
    /// `afterCompleted`, the disposal of the upstream, `onDispose`.
    ///
    /// If a closure throws, the stream fails with that error. Errors of `afterError` and `afterCompleted` are ignored,
    /// because no event can follow the end.
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil, afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil, afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Observable<Element> {
        let hooks = DoHooks(
            onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError, onCompleted: onCompleted,
            afterCompleted: afterCompleted, onDispose: onDispose)
        let upstream = asObservable().source
        return Observable(
            MultiInputSource { downstream in
                onSubscribe?()
                let sink = DoSink(hooks, into: downstream)
                sink.attachToDownstream()
                upstream.run(sink)
                onSubscribed?()
                sink.subscribed()
            })
    }
}

/// The closures of `do` in one object, so that a sink stores one reference.
private final class DoHooks<Element> {
    let onNext: (@Sendable (Element) throws -> Void)?
    let afterNext: (@Sendable (Element) throws -> Void)?
    let onError: (@Sendable (any Error) throws -> Void)?
    let afterError: (@Sendable (any Error) throws -> Void)?
    let onCompleted: (@Sendable () throws -> Void)?
    let afterCompleted: (@Sendable () throws -> Void)?
    let onDispose: (@Sendable () -> Void)?

    init(
        onNext: (@Sendable (Element) throws -> Void)?, afterNext: (@Sendable (Element) throws -> Void)?,
        onError: (@Sendable (any Error) throws -> Void)?, afterError: (@Sendable (any Error) throws -> Void)?,
        onCompleted: (@Sendable () throws -> Void)?, afterCompleted: (@Sendable () throws -> Void)?,
        onDispose: (@Sendable () -> Void)?
    ) {
        self.onNext = onNext
        self.afterNext = afterNext
        self.onError = onError
        self.afterError = afterError
        self.onCompleted = onCompleted
        self.afterCompleted = afterCompleted
        self.onDispose = onDispose
    }
}

private final class DoSink<Element>: SingleInputSink<Element, Element> {
    private static var hasSubscribed: UInt8 { 1 }
    private static var wasDisposed: UInt8 { 2 }

    private let hooks: DoHooks<Element>
    // The thread that sets the second of the two flags calls `onDispose`. So `onDispose` is called after
    // `onSubscribed`.
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

    private func end(_ before: () throws -> Void, _ sendEnd: () -> Void, _ after: () throws -> Void) {
        do {
            try before()
            if isLive { sendEnd() }
            // No event can follow the end, so the error of this closure is dropped.
            try? after()
        } catch {
            if isLive { downstream.error(error) }
        }
        dispose()
    }

    // Does nothing, because `end` disposes of this sink after it has called `afterError` or `afterCompleted`.
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
