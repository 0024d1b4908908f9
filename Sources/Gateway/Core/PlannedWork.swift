import Rx

/// Work of an object that a timer runs once, however often it is planned before that.
final class PlannedWork {
    private let loop: GatewayLoop
    private let timer = SerialDisposable()
    private(set) var isPlanned = false

    init(_ loop: GatewayLoop) { self.loop = loop }

    deinit { timer.dispose() }

    /// Runs the work after a delay, unless some is planned, or the owner no longer exists by then.
    func plan<Owner: AnyObject>(
        after delay: Duration, of owner: Owner, _ work: @escaping @Sendable (Owner) -> Void
    ) {
        guard !isPlanned else { return }
        isPlanned = true
        let bound = loop.bound((plan: WeakReference(self), owner: WeakReference(owner)))
        timer.disposable = loop.schedule(after: delay) {
            let (plan, owner) = bound.value
            plan.object?.isPlanned = false
            if let owner = owner.object { work(owner) }
        }
    }

    /// Drops what is planned. Further work can be planned.
    func cancel() {
        isPlanned = false
        timer.disposable = Disposables.create()
    }

    /// Drops what is planned, and all further work.
    func dispose() { timer.dispose() }
}
