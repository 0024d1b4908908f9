import Synchronization

/// The closures of who awaits the outcome of a `Single` or a `Maybe`: the first event is the outcome.
///
/// As in RxSwift, `onDisposed` follows the outcome at once; the source is undone when it ends, an instant later.
final class OutcomeSink<Element>: Sink<Element> {
    private let onSuccess: (@Sendable (Element) -> Void)?
    private let onError: @Sendable (any Error) -> Void
    private let onCompleted: (@Sendable () -> Void)?
    private let onDisposed: (@Sendable () -> Void)?
    private let told = Atomic<Bool>(false)

    init(
        onSuccess: (@Sendable (Element) -> Void)?, onError: (@Sendable (any Error) -> Void)?,
        onCompleted: (@Sendable () -> Void)?, onDisposed: (@Sendable () -> Void)?
    ) {
        self.onSuccess = onSuccess
        self.onError = onError ?? unheard()
        self.onCompleted = onCompleted
        self.onDisposed = onDisposed
    }

    override func next(_ value: Element) {
        guard markStopped() else { return }
        onSuccess?(value)
        tell()
    }

    override func error(_ error: any Error) {
        if markStopped() {
            onError(error)
            tell()
        }
        disposeAfterEnd()
    }

    override func completed() {
        if markStopped() {
            onCompleted?()
            tell()
        }
        disposeAfterEnd()
    }

    override func dispose() {
        if markDisposed() { tell() }
    }

    private func tell() {
        guard let onDisposed, !told.exchange(true, ordering: .acquiringAndReleasing) else { return }
        onDisposed()
    }
}

extension Observable {
    /// Subscribes who awaits the first event.
    func subscribeForOutcome(
        onSuccess: (@Sendable (Element) -> Void)?, onError: (@Sendable (any Error) -> Void)?,
        onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)?
    ) -> any Disposable {
        let sink = OutcomeSink(
            onSuccess: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
        source.connect(sink)
        return Handle(sink)
    }
}
