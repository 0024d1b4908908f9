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
        let inner = SwitchedSink(of: self)
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

    /// Inside the gate.
    fileprivate func innerCompleted(_ inner: Stage) {
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

private final class SwitchedSink<Element>: SerialSink<Element> {
    private let hub: SwitchHub<Element>

    init(of hub: SwitchHub<Element>) {
        self.hub = hub
        super.init(hub.gate)
    }

    override func receive(_ value: Element) { if isLive { hub.forward(value) } }
    override func receiveError(_ error: any Error) { if isLive { hub.fail(error) } }
    override func receiveCompleted() { if markStopped() { hub.innerCompleted(self) } }
}
