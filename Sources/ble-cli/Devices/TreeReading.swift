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

    /// The end of the command's time limit; nil if it has none.
    let deadline: CommandDeadline?
    private let state: Guarded<ReadingState>

    private struct ReadingState {
        var hasPeripheral = false
        /// The handles of the attributes that need no further operation.
        var done: Set<UInt16> = []
        /// The handles of the characteristics with notifications that need pairing.
        var refused: Set<UInt16> = []
        /// The number of links that may still replace stalled ones.
        var spareLinks: Int
        /// The device with the link that an item has stalled; nil if the link executes operations.
        var stalled: Peripheral?
        /// Why no further value is read; nil if the link executes operations.
        var stall: BluetoothError?
        /// Whether the latest value got no reply in time, so that later ones may wait for it.
        var isWaiting = false
        /// The device and the error of a value that has ended the present link; nil if none has.
        var loss: (peripheral: Peripheral, error: BluetoothError)?
        /// The number of links that values have ended.
        var losses = 0
    }

    /// The most links that replace stalled ones. Each takes about 3 s.
    static let mostSpareLinks = 8
    /// The shortest time before the deadline in which a stalled link is replaced.
    private static let replacing = Duration.seconds(4)

    /// - Parameters:
    ///   - spareLinks: The number of links that may replace stalled and lost ones.
    ///   - deadline: The moment from which no further value is read; nil for no limit.
    init(spareLinks: Int = 0, deadline: CommandDeadline? = nil) {
        self.deadline = deadline
        state = Guarded(ReadingState(spareLinks: spareLinks))
    }

    /// Whether a stalled link is replaced.
    var canReplaceLink: Bool {
        if let deadline, deadline.remaining < Self.replacing { return false }
        return state.withLock { $0.spareLinks > 0 }
    }

    /// Whether no link was replaced yet.
    var isOnFirstLink: Bool { state.withLock { $0.spareLinks == Self.mostSpareLinks } }

    /// The device with a link that executes no more operations; nil if the link does.
    var stalledPeripheral: Peripheral? { state.withLock(\.stalled) }

    /// Whether a value has ended the present link, and another link replaces it.
    var isLinkLost: Bool { state.withLock { $0.loss != nil } }

    /// The device with a link that a value has ended; nil if none has.
    var lostPeripheral: Peripheral? { state.withLock { $0.loss?.peripheral } }

    /// Returns the device and the error of the value that has ended the link; nil if an error has another cause.
    func loss(before error: any Error) -> (peripheral: Peripheral, error: BluetoothError)? {
        switch CLIError(error).cause?.kind {
        case .disconnected, .notConnected: state.withLock(\.loss)
        default: nil
        }
    }

    /// Returns the note before a link replaces the first one.
    func noteOfNextLink(to peripheral: Peripheral) -> String {
        let cause = isLinkLost ? "has ended the link" : "needs pairing"
        return "Connecting again for the other values, because a value of \(peripheral) \(cause)."
    }

    /// Records that a link replaces one that a value has ended.
    ///
    /// If the cause of the loss is not known, only one link follows that reads values. The last link shows the rest of
    /// the tree without values.
    func beginLink(afterLoss error: BluetoothError) {
        state.withLock { state in
            state.losses += 1
            state.spareLinks -= 1
            state.isWaiting = false
            guard state.spareLinks == 0 || error.kind != .disconnected(.authentication) && state.losses > 1 else {
                return
            }
            state.spareLinks = 0
            state.stall = BluetoothError(.connectionStalled, detail: "Reading other values has ended the link")
        }
    }

    /// Records that reading a value has ended the link. Returns false if no other link follows.
    private func recordLoss(of peripheral: Peripheral, _ error: BluetoothError) -> Bool {
        // If another program closed the link, the value has not ended it.
        guard canReplaceLink, error.isPairingSuspected, !error.isLinkShared else { return false }
        return state.withLock { state in
            guard state.loss == nil else { return false }
            state.loss = (peripheral, error)
            return true
        }
    }

    /// Records that a link replaces a stalled one. The link of another program stays stalled, and is not replaced.
    func beginLink(isShared: Bool, after cause: BluetoothError) {
        state.withLock { state in
            state.spareLinks = isShared ? 0 : state.spareLinks - 1
            if !isShared { state.stalled = nil }
            // The error of an attribute is not that of the next one, except for its kind.
            state.stall = isShared ? BluetoothError(.connectionStalled, detail: cause.detail) : nil
            state.isWaiting = false
        }
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
            defer { state.hasPeripheral = true }
            state.loss = nil
            return !state.hasPeripheral
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
            characteristic.discoverDescriptors().concatMap { descriptor in
                self.item(descriptor.handle) {
                    self.value(.descriptor(descriptor), of: characteristic.peripheral)
                        .map { .descriptor(descriptor, $0) }
                }
            })
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
        if let stall = state.withLock(\.stall) { return .just(.failure(.failed(stall))) }
        if let deadline, deadline.isOver { return .just(.failure(deadline.failure(notReading: attribute))) }
        let read = attribute.readValue(options: deadline.options).asObservable()
            .do(onNext: { _ in self.state.withLock { $0.isWaiting = false } })
        return read.map { .success($0) }.catch { error in
            guard let error = error as? BluetoothError else { throw error }
            switch error.kind {
            case .disconnected where self.recordLoss(of: peripheral, error): return .just(.failure(.failed(error)))
            case .disconnected, .notConnected, .daemonUnavailable, .busUnavailable, .closed: throw error
            case .connectionStalled where self.canReplaceLink: throw LinkStalled(peripheral: peripheral, cause: error)
            default:
                if error.kind.stallsLink { self.state.withLock { $0.stalled = peripheral } }
                return .just(.failure(.failed(self.explaining(error))))
            }
        }
    }

    /// Returns the error of reading a value. A missing reply after an earlier one may not be due to the value itself.
    private func explaining(_ error: BluetoothError) -> BluetoothError {
        let isBehind = state.withLock { state in
            defer { state.isWaiting = error.kind == .timedOut }
            return state.isWaiting
        }
        guard isBehind, error.kind == .timedOut, error.detail == nil else { return error }
        return BluetoothError(
            error.kind, operation: error.operation, target: error.target,
            detail: "An earlier value has no reply either, and a peripheral executes one request at a time",
            dbusName: error.dbusName, dbusMessage: error.dbusMessage)
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
            let reading = TreeReading(spareLinks: TreeReading.mostSpareLinks, deadline: deadline)
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
                if let loss = reading.loss(before: error) { return replaceLost(loss, reading, work) }
                guard let stalled = error as? TreeReading.LinkStalled else { throw error }
                let peripheral = stalled.peripheral
                let link = StalledLink(context: context, peripheral: peripheral, keepsLink: keepsLink)
                let next = self.next(after: link)
                return link.replace().flatMap { isShared in
                    if reading.isOnFirstLink, !isShared { context.note(reading.noteOfNextLink(to: peripheral)) }
                    reading.beginLink(isShared: isShared, after: stalled.cause)
                    return next.limited(by: reading.deadline).use(reading, work)
                }
            }
    }

    /// Runs work over a new link, because a value has ended the link.
    private func replaceLost<Element>(
        _ loss: (peripheral: Peripheral, error: BluetoothError), _ reading: TreeReading,
        _ work: @escaping @Sendable (GATTTree, TreeReading) throws -> Observable<Element>
    ) -> Observable<Element> {
        let (peripheral, error) = loss
        let next = self.next(after: StalledLink(context: context, peripheral: peripheral, keepsLink: keepsLink))
        return ClosingLinkWait(context: context).waitUntilClosed(peripheral).flatMap { _ in
            if reading.isOnFirstLink { context.note(reading.noteOfNextLink(to: peripheral)) }
            reading.beginLink(afterLoss: error)
            return next.limited(by: reading.deadline).use(reading, work)
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
