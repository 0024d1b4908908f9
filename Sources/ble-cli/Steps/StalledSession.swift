import Rx
import RxBluetooth

extension StepSession {
    /// Emits the items of the connected device. If a refused pairing stalls the link, connects again.
    func treeItems() -> Observable<GATTTreeItem> {
        Observable.deferred { [self] in
            let reading = TreeReading(spareLinks: TreeReading.mostSpareLinks)
            // The last value may have stalled the link, and later steps need another one.
            let ending = Observable<GATTTreeItem>.deferred { [self] in
                guard let peripheral = reading.stalledPeripheral, reading.canReplaceLink else { return .empty() }
                return renewLink(to: peripheral, reading, after: nil).andThen(.empty())
            }
            return items(reading).concat(ending)
        }
    }

    private func items(_ reading: TreeReading) -> Observable<GATTTreeItem> {
        Observable.deferred { [self] in reading.items(of: try connected()) }
            .catch { [self] error in
                guard let stalled = error as? TreeReading.LinkStalled else { throw error }
                return renewLink(to: stalled.peripheral, reading, after: stalled.cause).andThen(items(reading))
            }
    }

    /// Closes the link of the session and connects again.
    ///
    /// - Parameter cause: Why the other values need another link; nil if there are no other values.
    private func renewLink(
        to peripheral: Peripheral, _ reading: TreeReading, after cause: BluetoothError?
    ) -> Completable {
        Observable<Never>.deferred { [self] in
            let link = StalledLink(context: context, peripheral: peripheral)
            let isKept = link.isKept
            let lostValues = hasSubscriptions ? " The notifications of subscribe steps end." : ""
            close()
            return link.replace().flatMap { [self] isShared -> Observable<Never> in
                if reading.isOnFirstLink, !isShared {
                    context.note(reading.noteOfNextLink(to: peripheral) + lostValues)
                }
                if let cause { reading.beginLink(isShared: isShared, after: cause) }
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
