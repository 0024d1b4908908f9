import Rx
import RxBluetooth

/// Finds a device, connects to it and discovers its GATT tree, all within the time limit.
struct DeviceConnector {
    let context: CommandContext
    let target: Target
    /// The notes about a connection that reconnects; nil if a lost link is an error.
    var notes: LinkStatusNotes?
    /// Whether the link stays open at the end.
    var keepsLink = false
    /// Whether the command changes the device: see ``DeviceFinder``.
    var changesDevice = false
    /// How the work uses a link that an earlier command is closing; nil to wait for its end.
    var joining: LinkJoining?
    /// The time limit for the tree; nil for that of the options.
    var setupLimit: Duration?

    /// The time limit for finding, connecting and discovering together.
    private var limit: Duration { setupLimit ?? context.options.setupTimeout }

    /// Emits the GATT tree once, and stays connected while subscribed.
    ///
    /// Without ``notes``, the stream fails if the link is lost.
    ///
    /// Without ``joining``, waits for the end of a link that an earlier command is closing.
    func tree() -> Observable<GATTTree> {
        Observable.deferred {
            let progress = ConnectionProgress(notes: notes)
            let connected = find(progress)
                .flatMap { connect(to: $0, progress) }
                .do(onNext: { if keepsLink { context.keptLinks.insert(LinkKey($0)) } })
                .do(onNext: { progress.enter(.discovering($0)) })
                .flatMap { GATTTree.discover($0).failingWithLoss(of: $0, in: context) }
                .alongside(progress.refusals(in: context))
            let timedOut = context.timer(limit).map { _ -> GATTTree in
                throw progress.timeoutError(target, after: limit)
            }
            // `amb` drops the time limit once the tree is emitted.
            let limited = connected.amb(timedOut)
            return notes.map { limited.alongside($0.ofAttempts(in: context)) } ?? limited
        }
    }

    /// Finds the device. With --keep, a connected device needs no scan, unless the target is a part of its address.
    private func find(_ progress: ConnectionProgress) -> Observable<DeviceCandidates.Candidate> {
        let finder = DeviceFinder(context: context, target: target, changesDevice: changesDevice) {
            progress.enter(.choosing)
        }
        guard keepsLink else { return finder.find() }
        return KnownDevices(context: context, target: target).findLinked(isOnly: changesDevice).flatMap {
            linked -> Observable<DeviceCandidates.Candidate> in
            guard let linked, linked.match == .exact || finder.names(linked) else { return finder.find() }
            return .just(linked)
        }
    }

    /// Connects to a device after the end of a link to it that an earlier command is closing.
    ///
    /// If the device is only remembered and has changed its private address, connects to the present one.
    private func connect(
        to found: DeviceCandidates.Candidate, _ progress: ConnectionProgress
    ) -> Observable<Peripheral> {
        progress.enter(.connecting(found))
        let attempt = ClosingLinkWait(context: context)
            .waitUntilClosed(found.peripheral, joining: keepsLink ? nil : joining)
            .flatMap { connection(to: $0.peripheral, isShared: $0.isShared) }
        let search = ChangedAddressSearch(context: context, target: target, earlier: found, limit: limit)
        guard let search else { return attempt }
        return search.follow(attempt, onFailure: { progress.enter(.unanswered($0)) }) { present in
            let address = present.peripheral.address
            context.note(
                "\(found.peripheral) is not connected yet. Connecting to \(address), which has the same name.")
            return connect(to: present, progress)
        }
    }

    /// Connects to a device. At the end, records that the link is being closed, unless it stays open.
    private func connection(to peripheral: Peripheral, isShared: Bool) -> Observable<Peripheral> {
        peripheral.connect(options: options)
            .do(onDispose: {
                if !isShared, !keepsLink { ClosingLinkWait(context: context).begin(peripheral) }
            })
    }

    private var options: ConnectOptions {
        var options = notes == nil ? ConnectOptions() : .reconnect()
        options.keepsLinkOpen = keepsLink
        return options
    }

    /// Runs work on the GATT tree, and disconnects when the work ends, unless the link is kept.
    ///
    /// If a refused pairing has stalled a kept link, closes it before the error.
    func use<Element>(_ work: @escaping @Sendable (GATTTree) throws -> Observable<Element>) -> Observable<Element> {
        useOnce(work).catch { error in
            guard let joining, joining.isJoined, CLIError(error).cause != nil, joining.mayStartAgain() else {
                throw error
            }
            var waiting = self
            waiting.joining = nil
            return waiting.useOnce(work)
        }
    }

    private func useOnce<Element>(
        _ work: @escaping @Sendable (GATTTree) throws -> Observable<Element>
    ) -> Observable<Element> {
        // The connection never completes by itself. So `materialize` turns the end of the work into an element, which
        // then ends the whole stream and disconnects.
        Observable.deferred {
            let linked = Guarded<Peripheral?>(nil)
            return tree()
                .do(onNext: { tree in linked.withLock { $0 = tree.peripheral } })
                .flatMap { try work($0).failingWithLoss(of: $0.peripheral, in: context).materialize() }
                .take(until: { $0.isStopEvent }, behavior: .inclusive)
                .dematerialize()
                .catch { error in
                    guard CLIError(error).cause?.kind.stallsLink == true, let peripheral = linked.withLock({ $0 })
                    else { throw error }
                    return StalledLink(context: context, peripheral: peripheral, keepsLink: keepsLink).closeIfKept()
                        .andThen(.error(error))
                }
        }
    }
}

extension Observable {
    /// Replaces the error of an operation that began after the link was lost by the reason of the loss.
    ///
    /// The operation may fail before the loss is known, so the reason is awaited for 2 s.
    func failingWithLoss(of peripheral: Peripheral, in context: CommandContext) -> Observable<Element> {
        self.catch { error in
            guard CLIError(error).cause?.kind == .notConnected else { throw error }
            return peripheral.connectionState
                .compactMap { state -> BluetoothError? in
                    if case .disconnected(let loss) = state { loss } else { nil }
                }
                .take(1)
                .amb(context.timer(.seconds(2)).map { _ -> BluetoothError in throw error })
                .flatMap { loss -> Observable<Element> in .error(loss) }
        }
    }
}

/// The present phase of connecting, which selects the error text at the time limit.
final class ConnectionProgress: Sendable {
    enum ConnectingPhase: Sendable {
        case finding
        /// A matching device was heard, and others may follow.
        case choosing
        case connecting(DeviceCandidates.Candidate)
        /// The device has not answered, and may have another private address.
        case unanswered(BluetoothError)
        case discovering(Peripheral)
    }

    private let phase = Guarded(ConnectingPhase.finding)
    /// The devices with a refused pairing that bluetoothd has started by itself.
    private let refused = Guarded<Set<BluetoothAddress>>([])
    private let notes: LinkStatusNotes?

    init(notes: LinkStatusNotes? = nil) { self.notes = notes }

    /// Below this RSSI in dBm, a connection may fail.
    private static let weakRSSI = -85

    func enter(_ next: ConnectingPhase) { phase.withLock { $0 = next } }

    /// Records the devices with a refused pairing that bluetoothd has started by itself. Emits nothing.
    func refusals(in context: CommandContext) -> Observable<Never> {
        context.manager.events
            .do(onNext: { [self] event in
                switch event.kind {
                case .pairingAnswered(let peripheral, isAccepted: false), .pairingUnanswered(let peripheral):
                    _ = refused.withLock { $0.insert(peripheral.address) }
                default: break
                }
            })
            .ignoreElements()
    }

    func timeoutError(_ target: Target, after limit: Duration) -> CLIError {
        switch phase.withLock({ $0 }) {
        case .finding:
            return CLIError(
                .notFound,
                "No device \(target) advertised within \(limit.text). "
                    + "Check that it is on and near; see ble-cli scan.")
        case .choosing:
            return CLIError(
                .timedOut,
                "A device \(target) was found, but not early enough to connect within \(limit.text). "
                    + "Give a longer --timeout.")
        case .connecting(let device):
            let what = "Connecting to \(device.peripheral): not connected within \(limit.text)"
            if let cause = notes?.outage {
                let advice = cause.mayHaveLostBond ? cause.noteOnLostBond : " Give a longer --timeout."
                return CLIError(.timedOut, "\(what). Last cause: \(cause.summary)\(advice)")
                    .caused(by: cause)
            }
            return CLIError(.timedOut, "\(what). \(Self.advice(device.rssi))")
        case .unanswered(let error): return CLIError(error)
        case .discovering(let peripheral):
            let cause =
                refused.withLock { $0.contains(peripheral.address) }
                ? ", after a pairing was refused that no operation had started. "
                    + "Pair with the peripheral first: ble-cli pair."
                : ". Give a longer --timeout."
            return CLIError(
                .timedOut,
                "Discovering the services of \(peripheral): not complete within \(limit.text)" + cause)
        }
    }

    private static func advice(_ rssi: Int?) -> String {
        let accepts = "it may accept no connections, as a beacon, or be connected to another device"
        return switch rssi {
        case let rssi? where rssi < weakRSSI:
            "Its signal is weak (\(rssi) dBm); it may be too far away, or \(accepts)."
        case let rssi?: "It advertises (\(rssi) dBm), but \(accepts)."
        case nil: "Check that it is on and near; \(accepts)."
        }
    }
}
