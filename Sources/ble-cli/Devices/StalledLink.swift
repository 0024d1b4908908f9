import Rx
import RxBluetooth

/// A link on which bluetoothd executes no more operations, because a pairing was refused.
struct StalledLink {
    let context: CommandContext
    let peripheral: Peripheral
    /// Whether the command has the option --keep.
    var keepsLink = false

    /// Whether this or an earlier command leaves the link open.
    var isKept: Bool { keepsLink || context.keptLinks.contains(LinkKey(peripheral)) }

    /// Closes the link if it is a kept one, so that the next command connects again. Completes also after an error.
    func closeIfKept() -> Completable {
        Observable<Never>.deferred {
            guard isKept else { return .empty() }
            context.note(
                "The kept link to \(peripheral) is closed, because bluetoothd executes no more operations of it after a "
                    + "refused pairing.")
            return disconnect().asObservable().catch { _ in .empty() }
        }
        .asCompletable()
    }

    /// Waits until the link is closed, and closes a kept one that is stalled. Emits whether another program has it.
    func replace(after end: ReadingLinks.End) -> Observable<Bool> {
        Observable.deferred {
            let wait = ClosingLinkWait(context: context)
            switch end {
            case .stalled:
                let closed = isKept ? disconnect() : Completable.empty()
                return closed.andThen(wait.waitUntilClosed(peripheral)).map(\.isShared)
            case .lost: return wait.waitUntilClosed(peripheral).map { _ in false }
            }
        }
    }

    private func disconnect() -> Completable {
        context.keptLinks.remove(LinkKey(peripheral))
        return peripheral.disconnect()
    }
}

extension BluetoothError.Kind {
    /// Whether bluetoothd executes no more operations of the link after this error.
    var stallsLink: Bool {
        switch self {
        case .needsPairing, .connectionStalled: true
        default: false
        }
    }
}
