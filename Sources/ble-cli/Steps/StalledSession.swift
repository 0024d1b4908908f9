import Rx
import RxBluetooth

extension StepSession {
    /// Emits the items of the connected device. If a refused pairing stalls or ends the link, connects again.
    func treeItems() -> Observable<GATTTreeItem> {
        Observable.deferred { [self] in
            let reading = TreeReading()
            // The last value may have stalled or ended the link, and later steps need another one.
            let ending = Observable<GATTTreeItem>.deferred { [self] in
                guard let ended = reading.endedLink else { return .empty() }
                return renewLink(after: ended, reading).andThen(.empty())
            }
            return items(reading).concat(ending)
        }
    }

    private func items(_ reading: TreeReading) -> Observable<GATTTreeItem> {
        currentTree().flatMap { reading.items(of: $0) }
            .catch { [self] error in
                guard let ended = reading.endedLink(before: error) else { throw error }
                return renewLink(after: ended, reading).andThen(items(reading))
            }
    }

    /// Closes the link of the session if it is not lost, and connects again.
    private func renewLink(after ended: TreeReading.EndedLink, _ reading: TreeReading) -> Completable {
        Observable<Never>.deferred { [self] in
            let link = StalledLink(context: context, peripheral: ended.peripheral)
            let isKept = link.isKept
            let lostValues = hasSubscriptions ? " The notifications of subscribe steps end." : ""
            close()
            return link.replace(after: ended.end).flatMap { [self] isShared -> Observable<Never> in
                if reading.isOnFirstLink, !isShared {
                    context.note(reading.noteOfNextLink(after: ended) + lostValues)
                }
                reading.replaceLink(ended, isShared: isShared)
                return connect(.address(ended.peripheral.address), keepsLink: isKept && !isShared)
            }
        }
        .asCompletable()
    }

    /// Connects again if a refused pairing has stalled the link of the session and the device is not paired since.
    ///
    /// bluetoothd 5.66 would not answer `Pair` over the stalled link.
    func renewStalledLink() -> Completable {
        Observable<Never>.deferred { [self] in
            guard let peripheral = tree?.peripheral, let stall else { return .empty() }
            return peripheral.isBonded.take(1).flatMap { [self] isBonded -> Observable<Never> in
                guard !isBonded else { return .empty() }
                let link = StalledLink(context: context, peripheral: peripheral)
                let isKept = link.isKept
                let lostValues = hasSubscriptions ? " The notifications of subscribe steps end." : ""
                close()
                return link.replace(after: .stalled(stall)).flatMap { [self] isShared -> Observable<Never> in
                    if !isShared {
                        context.note("Connecting again to \(peripheral), because its pairing was refused.\(lostValues)")
                    }
                    return connect(.address(peripheral.address), keepsLink: isKept && !isShared)
                }
            }
        }
        .asCompletable()
    }

    /// Closes the link of the session if it is a kept one and a refused pairing has stalled it.
    func closeKeptLink(after error: CLIError) -> Completable {
        guard error.cause?.kind.stallsLink == true, let peripheral = tree?.peripheral else { return .empty() }
        let link = StalledLink(context: context, peripheral: peripheral)
        guard link.isKept else { return .empty() }
        close()
        return link.closeIfKept()
    }
}
