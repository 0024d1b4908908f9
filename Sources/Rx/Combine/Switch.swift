extension ObservableType where Element: ObservableConvertibleType {
    /// The latest of the streams that come; each new one ends the one before.
    public func switchLatest() -> Observable<Element.Element> {
        Observable(Flatten(asObservable().source, streams { $0 }) { SwitchHub(into: $0) })
    }
}

/// Only the latest inner stream flows.
final class SwitchHub<Element>: FlattenHub<Element> {
    // `lock` guards both.
    private let lock = Lock()
    private weak var latest: Stage?
    private var outerEnded = false

    override func admit(_ source: Source<Element>) {
        if let old = replaceLatest(with: nil) { drop(old) }
        if passOnly(of: source) { return }
        let inner = InnerSink(of: self)
        _ = replaceLatest(with: inner)
        if isLive { listen(to: source, with: inner) }
    }

    override func outerCompleted() {
        let isDone = lock.withLock { () -> Bool in
            outerEnded = true
            return latest == nil
        }
        if isDone { finish() }
    }

    override func innerCompleted(_ inner: Stage) {
        drop(inner)
        let isDone = lock.withLock { () -> Bool in
            if latest === inner { latest = nil }
            return outerEnded && latest == nil
        }
        if isDone { finish() }
    }

    private func replaceLatest(with inner: Stage?) -> Stage? {
        lock.withLock {
            defer { latest = inner }
            return latest
        }
    }
}
