import Rx
import RxBluetooth

/// Reads the values of a GATT tree, over several links if pairings are refused.
///
/// After a pairing that this computer has refused, bluetoothd executes no more operations of that link. If the
/// peripheral refuses, the link is lost.
final class TreeReading: Sendable {
    /// The error that ends the work on a link that executes no more operations.
    struct LinkStalled: Error {
        let peripheral: Peripheral
        /// Why the operations are not executed.
        let cause: BluetoothError
    }

    /// A link that another one replaces.
    struct EndedLink {
        let peripheral: Peripheral
        let end: ReadingLinks.End
    }

    /// The end of the command's time limit; nil if it has none.
    let deadline: CommandDeadline?
    private let state = Guarded(ReadingState())

    private struct ReadingState {
        /// The tree that was discovered over the present link; nil before the first one.
        var tree: GATTTree?
        /// The handles of the attributes that need no further operation.
        var done: Set<UInt16> = []
        /// The handles of the characteristics with notifications that need pairing.
        var refused: Set<UInt16> = []
        var links = ReadingLinks()

        var endedLink: EndedLink? {
            guard let tree, let end = links.end else { return nil }
            return EndedLink(peripheral: tree.peripheral, end: end)
        }
    }

    /// - Parameter deadline: The moment from which no further value is read; nil for no limit.
    init(deadline: CommandDeadline? = nil) { self.deadline = deadline }

    /// Whether another link can replace the present one.
    var canReplaceLink: Bool {
        let remaining = deadline?.remaining
        return state.withLock { $0.links.canReplace(in: remaining) }
    }

    /// Whether no link was replaced yet.
    var isOnFirstLink: Bool { state.withLock(\.links.isFirst) }

    /// The device with a link that executes no more operations; nil if the link does.
    var stalledPeripheral: Peripheral? { state.withLock { $0.links.isStalled ? $0.tree?.peripheral : nil } }

    /// The tree of the last link, if the time limit has ended; its other values are then not read.
    var expiredTree: GATTTree? { deadline?.isOver == true ? state.withLock(\.tree) : nil }

    /// Whether a value has ended the present link, and another link replaces it.
    var isLinkLost: Bool { state.withLock { $0.links.loss != nil } }

    /// The present link, if the last value has stalled or ended it and another one can replace it; else nil.
    var endedLink: EndedLink? { canReplaceLink ? state.withLock(\.endedLink) : nil }

    /// Returns the link that has ended before an error; nil if the error has another cause.
    func endedLink(before error: any Error) -> EndedLink? {
        if let stalled = error as? LinkStalled {
            return EndedLink(peripheral: stalled.peripheral, end: .stalled(stalled.cause))
        }
        switch CLIError(error).cause?.kind {
        case .disconnected, .notConnected: return state.withLock { $0.links.loss == nil ? nil : $0.endedLink }
        default: return nil
        }
    }

    /// Returns the note before a link replaces the first one.
    func noteOfNextLink(after link: EndedLink) -> String {
        let cause =
            switch link.end {
            case .stalled: "needs pairing"
            case .lost: "has ended the link"
            }
        return "Connecting again for the other values, because a value of \(link.peripheral) \(cause)."
    }

    /// Records that a link replaces another one. The link of another program stays stalled, and is not replaced.
    func replaceLink(_ link: EndedLink, isShared: Bool) {
        state.withLock { $0.links.replace(after: link.end, isShared: isShared) }
    }

    /// Records that an attribute needs no further operation.
    func finish(_ handle: UInt16) { state.withLock { _ = $0.done.insert(handle) } }

    func isFinished(_ handle: UInt16) -> Bool { state.withLock { $0.done.contains(handle) } }

    /// Records that the notifications of a characteristic need pairing.
    func refuseNotifications(_ handle: UInt16) { state.withLock { _ = $0.refused.insert(handle) } }

    func hasRefusedNotifications(_ handle: UInt16) -> Bool { state.withLock { $0.refused.contains(handle) } }

    /// Emits the items of the tree from the root to the leaves, without those that an earlier link has emitted.
    ///
    /// Reads the values one by one. Fails with ``LinkStalled`` if another link is needed for the rest.
    func items(of tree: GATTTree) -> Observable<GATTTreeItem> {
        let isFirst = state.withLock { state in
            defer { state.tree = tree }
            state.links.beginReading()
            return state.tree == nil
        }
        return (isFirst ? Observable.just(GATTTreeItem.peripheral(tree.peripheral)) : .empty())
            .concat(
                Observable.from(tree.services).concatMap { node in
                    self.item(node.service.handle) { .just(.service(node.service)) }
                        .concat(Observable.from(node.characteristics).concatMap { self.items(of: $0) })
                })
    }

    private func items(of characteristic: Characteristic) -> Observable<GATTTreeItem> {
        item(characteristic.handle) {
            characteristic.properties.contains(.read)
                ? self.value(.characteristic(characteristic), of: characteristic.peripheral)
                    .map { .characteristic(characteristic, $0) }
                : .just(.characteristic(characteristic, nil))
        }
        .concat(
            descriptors(of: characteristic).concatMap { descriptor in
                self.item(descriptor.handle) {
                    self.value(.descriptor(descriptor), of: characteristic.peripheral)
                        .map { .descriptor(descriptor, $0) }
                }
            })
    }

    /// Emits the descriptors; none at the end of the time limit if there is no link any more.
    private func descriptors(of characteristic: Characteristic) -> Observable<Descriptor> {
        characteristic.discoverDescriptors().catch { [deadline] error in
            guard deadline?.isOver == true else { throw error }
            return .empty()
        }
    }

    /// Emits an item unless an earlier link has emitted it.
    private func item(
        _ handle: UInt16, _ item: @escaping @Sendable () -> Observable<GATTTreeItem>
    ) -> Observable<GATTTreeItem> {
        Observable.deferred {
            self.isFinished(handle) ? .empty() : item().do(onNext: { _ in self.finish(handle) })
        }
    }

    /// Emits a value, or the error of reading the value, which is printed instead.
    ///
    /// A lost link ends the stream with an error, unless the value may have ended the link.
    private func value(
        _ attribute: GATTAttribute, of peripheral: Peripheral
    ) -> Observable<GATTTreeItem.ReadResult> {
        if let obstacle = state.withLock(\.links.obstacle) { return .just(.failure(.failed(obstacle))) }
        if let deadline, deadline.isOver { return .just(.failure(deadline.failure(notReading: attribute))) }
        let read = attribute.readValue(options: deadline.options).asObservable()
            .do(onNext: { _ in self.state.withLock { $0.links.succeed() } })
        return read.map { .success($0) }.catch { error in
            guard let error = error as? BluetoothError else { throw error }
            let remaining = self.deadline?.remaining
            switch self.state.withLock({ $0.links.fail(error, in: remaining) }) {
            case .shown(let error): return .just(.failure(.failed(error)))
            case .replacement: throw LinkStalled(peripheral: peripheral, cause: error)
            case .failure: throw error
            }
        }
    }
}

extension DeviceConnector {
    /// Runs work on the GATT tree, and again over another link after each refused pairing.
    ///
    /// - Parameter deadline: The moment from which no further value is read; nil for no limit.
    func useReading<Element>(
        until deadline: CommandDeadline? = nil,
        _ work: @escaping @Sendable (GATTTree, TreeReading) throws -> Observable<Element>
    ) -> Observable<Element> {
        Observable.deferred {
            let reading = TreeReading(deadline: deadline)
            // The last value may have stalled a link that stays open.
            let closed = Observable<Element>.deferred {
                guard let peripheral = reading.stalledPeripheral else { return .empty() }
                return StalledLink(context: context, peripheral: peripheral, keepsLink: keepsLink).closeIfKept()
                    .andThen(.empty())
            }
            return use(reading, work).concat(closed)
        }
    }

    private func use<Element>(
        _ reading: TreeReading, _ work: @escaping @Sendable (GATTTree, TreeReading) throws -> Observable<Element>
    ) -> Observable<Element> {
        use { try work($0, reading) }
            .catch { error in
                guard let ended = reading.endedLink(before: error) else { throw error }
                let link = StalledLink(context: context, peripheral: ended.peripheral, keepsLink: keepsLink)
                let next = self.next(after: link)
                return link.replace(after: ended.end).flatMap { isShared in
                    if reading.isOnFirstLink, !isShared { context.note(reading.noteOfNextLink(after: ended)) }
                    reading.replaceLink(ended, isShared: isShared)
                    return next.limited(by: reading.deadline).use(reading, work)
                }
                .catch { error in
                    guard [.timedOut, .notFound].contains(CLIError(error).code), let tree = reading.expiredTree else {
                        throw error
                    }
                    return try work(tree, reading)
                }
            }
    }

    /// Returns the connector for the link that replaces another one.
    private func next(after link: StalledLink) -> DeviceConnector {
        var next = DeviceConnector(context: context, target: .address(link.peripheral.address))
        next.keepsLink = link.isKept
        return next
    }

    /// Returns the connector with the rest of a time limit.
    private func limited(by deadline: CommandDeadline?) -> DeviceConnector {
        var limited = self
        limited.setupLimit = deadline.map { max($0.remaining, .seconds(1)) }
        return limited
    }
}
