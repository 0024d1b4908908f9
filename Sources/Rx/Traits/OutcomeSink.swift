/// A sink that passes the first event of a `Single` or a `Maybe` to the closures of a subscriber.
///
/// As in RxSwift, `onDisposed` is called directly after that event; the source is disposed of when it completes.
final class OutcomeSink<Element>: SubscriberSink<Element> {
    private let onSuccess: (@Sendable (Element) -> Void)?
    private let onError: @Sendable (any Error) -> Void
    private let onCompleted: (@Sendable () -> Void)?

    init(
        onSuccess: (@Sendable (Element) -> Void)?, onError: (@Sendable (any Error) -> Void)?,
        onCompleted: (@Sendable () -> Void)?, onDisposed: (@Sendable () -> Void)?
    ) {
        self.onSuccess = onSuccess
        self.onError = onError ?? defaultErrorHandler()
        self.onCompleted = onCompleted
        super.init(SubscriberNode(onDisposed: onDisposed))
    }

    override func next(_ value: Element) {
        guard subscription.markStopped() else { return }
        onSuccess?(value)
        subscription.callOnDisposed()
    }

    override func error(_ error: any Error) {
        if subscription.markStopped() {
            onError(error)
            subscription.callOnDisposed()
        }
        subscription.disposeAfterEnd()
    }

    override func completed() {
        if subscription.markStopped() {
            onCompleted?()
            subscription.callOnDisposed()
        }
        subscription.disposeAfterEnd()
    }
}

extension Observable {
    /// Subscribes and passes the first event to one of the closures.
    func subscribeForOutcome(
        onSuccess: (@Sendable (Element) -> Void)?, onError: (@Sendable (any Error) -> Void)?,
        onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)?
    ) -> any Disposable {
        let sink = OutcomeSink(
            onSuccess: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
        source.connect(sink)
        return SubscriptionHandle(sink.subscription)
    }
}
