import Rx
import RxBluetooth

extension StepSession {
    /// Emits the items of the connected device. If a refused pairing stalls or ends the link, connects again.
    func treeItems() -> Observable<GATTTreeItem> {
        Observable.deferred { [self] in
            let reading = TreeReading(spareLinks: TreeReading.mostSpareLinks)
            // The last value may have stalled or ended the link, and later steps need another one.
            let ending = Observable<GATTTreeItem>.deferred { [self] in
                guard let peripheral = reading.stalledPeripheral ?? reading.lostPeripheral, reading.canReplaceLink
                else { return .empty() }
                return renewLink(to: peripheral, reading, after: nil).andThen(.empty())
            }
            return items(reading).concat(ending)
        }
    }

    private func items(_ reading: TreeReading) -> Observable<GATTTreeItem> {
        Observable.deferred { [self] in reading.items(of: try connected()) }
            .catch { [self] error in
                if let loss = reading.loss(before: error) {
                    return renewLink(to: loss.peripheral, reading, after: loss.error).andThen(items(reading))
                }
                guard let stalled = error as? TreeReading.LinkStalled else { throw error }
                return renewLink(to: stalled.peripheral, reading, after: stalled.cause).andThen(items(reading))
            }
    }

    /// Closes the link of the session if it is not lost, and connects again.
    ///
    /// - Parameter cause: Why the other values need another link; nil if there are no other values.
    private func renewLink(
        to peripheral: Peripheral, _ reading: TreeReading, after cause: BluetoothError?
    ) -> Completable {
        Observable<Never>.deferred { [self] in
            let link = StalledLink(context: context, peripheral: peripheral)
            let isKept = link.isKept
            let lostValues = hasSubscriptions ? " The notifications of subscribe steps end." : ""
            let isLost = reading.isLinkLost
            close()
            let ended =
                isLost
                ? ClosingLinkWait(context: context).waitUntilClosed(peripheral).map { _ in false } : link.replace()
            return ended.flatMap { [self] isShared -> Observable<Never> in
                if reading.isOnFirstLink, !isShared {
                    context.note(reading.noteOfNextLink(to: peripheral) + lostValues)
                }
                if let cause, isLost {
                    reading.beginLink(afterLoss: cause)
                } else if let cause {
                    reading.beginLink(isShared: isShared, after: cause)
                }
                return connect(.address(peripheral.address), keepsLink: isKept && !isShared)
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
