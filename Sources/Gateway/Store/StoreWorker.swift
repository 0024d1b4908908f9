import Rx

/// Runs the operations of a store one after another: in a context of its own, so that a slow disk does not stop the
/// gateway, or directly.
///
/// It belongs to the context of a gateway. Completions run there, in the order of the operations.
final class StoreWorker {
    /// What the store was after its last operation.
    struct Snapshot: Sendable {
        var identity: String
        var summary: StoreSummary

        init(_ store: any PublicationStore) {
            identity = store.identity
            summary = store.summary
        }
    }

    /// Receives what a user should know.
    var report: ((DeliveryNotice) -> Void)?
    /// Runs after a check, which may have added messages of a damaged file.
    var onChecked: (() -> Void)?

    /// What the store was when it was opened. It can be read in any context.
    let opening: Snapshot

    private let store: LoopBound<any PublicationStore>
    private let loop: GatewayLoop
    private let storeLoop: GatewayLoop?
    private var last: Snapshot
    /// The notices of the opening.
    private var notices: [DeliveryNotice]

    /// - Parameter storeLoop: The context of the store; nil for that of the gateway.
    init(_ store: any PublicationStore, loop: GatewayLoop, storeLoop: GatewayLoop?) {
        notices = store.takeNotices()
        opening = Snapshot(store)
        last = opening
        self.store = (storeLoop ?? loop).bound(store)
        self.loop = loop
        self.storeLoop = storeLoop
    }

    var snapshot: Snapshot { storeLoop == nil ? Snapshot(store.value) : last }

    /// Reports the notices of the opening, and checks the content.
    func start() {
        for notice in notices { report?(notice) }
        notices = []
        check()
    }

    private func check() {
        perform(checksReplacement: false) {
            $0.check()
        } then: { [weak self] in
            self?.onChecked?()
        }
    }

    /// Runs an operation after all earlier ones.
    func run<Result: Sendable>(
        _ work: @escaping @Sendable (any PublicationStore) -> Result, then completion: @escaping (Result) -> Void
    ) {
        perform(checksReplacement: true, work, then: completion)
    }

    /// - Parameter checksReplacement: Whether a check follows if the file was replaced. Not after a check, because a
    ///   broken disk may damage each new file.
    private func perform<Result: Sendable>(
        checksReplacement: Bool, _ work: @escaping @Sendable (any PublicationStore) -> Result,
        then completion: @escaping (Result) -> Void
    ) {
        guard let storeLoop else {
            let result = work(store.value)
            let notices = store.value.takeNotices()
            for notice in notices { report?(notice) }
            completion(result)
            if checksReplacement, notices.contains(where: \.isReplacement) { check() }
            return
        }
        let worker = loop.bound((self, completion))
        let (store, loop) = (store, loop)
        storeLoop.perform {
            let result = work(store.value)
            let (snapshot, notices) = (Snapshot(store.value), store.value.takeNotices())
            loop.perform {
                let (worker, completion) = worker.value
                worker.last = snapshot
                for notice in notices { worker.report?(notice) }
                completion(result)
                if checksReplacement, notices.contains(where: \.isReplacement) { worker.check() }
            }
        }
    }
}

extension DeliveryNotice {
    /// Whether the store has begun a new file, and may copy messages of the old one.
    fileprivate var isReplacement: Bool { if case .storeReplaced = self { true } else { false } }
}
