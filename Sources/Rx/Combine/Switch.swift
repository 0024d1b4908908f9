extension ObservableType where Element: ObservableConvertibleType {
    /// Emits the elements of the latest inner stream.
    ///
    /// Each new inner stream ends the subscription to the previous inner stream. The result completes when the outer
    /// and the latest inner stream have completed, and fails with the first error.
    public func switchLatest() -> Observable<Element.Element> {
        Observable(Flatten(asObservable().source, streams { $0 }) { SwitchSink(into: $0) })
    }
}

/// A sink that forwards the latest inner stream only.
final class SwitchSink<Element>: FlattenSink<Element> {
    // `lock` guards `latest` and `outerEnded`.
    private let lock = Lock()
    private weak var latest: SubscriptionNode?
    private var outerEnded = false

    override func admit(_ stream: Observable<Element>) {
        if let old = replaceLatest(with: nil) { removeInput(old) }
        if forwardOnlyElement(of: stream) { return }
        let inner = InnerSink(of: self)
        _ = replaceLatest(with: inner)
        if isLive { subscribe(to: stream.source, with: inner) }
    }

    override func outerCompleted() {
        let isDone = lock.withLock { () -> Bool in
            outerEnded = true
            return latest == nil
        }
        if isDone { finish() }
    }

    override func innerCompleted(_ inner: SubscriptionNode) {
        removeInput(inner)
        let isDone = lock.withLock { () -> Bool in
            if latest === inner { latest = nil }
            return outerEnded && latest == nil
        }
        if isDone { finish() }
    }

    private func replaceLatest(with inner: SubscriptionNode?) -> SubscriptionNode? {
        lock.withLock {
            defer { latest = inner }
            return latest
        }
    }
}
