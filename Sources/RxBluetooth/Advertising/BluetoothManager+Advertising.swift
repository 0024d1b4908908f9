public import Rx

extension BluetoothManager {
    /// Advertises, so that others see this computer in their scans.
    ///
    /// Emits once bluetoothd has taken the advertisement, and does not complete. Cold: subscribing advertises and disposing ends
    /// it, and each subscription is an advertisement of its own; bluetoothd has room for a few. Fails with
    /// ``BluetoothError/Kind/noFreeSlot`` where it has none left (Q113), with ``BluetoothError/Kind/invalidArgument`` where the
    /// advertisement is too long or makes no sense, and when Bluetooth cannot be used or ceases to be (Q114). No setting of the adapter is
    /// changed: an advertisement needs no discoverable adapter (Q35).
    /// Source: BlueZ, `advertising-api.txt`, `RegisterAdvertisement`.
    ///
    /// - Parameter advertisement: What to say.
    public func advertise(_ advertisement: Advertisement) -> Observable<Void> {
        access.stream { [selection] client, emitter in
            client.onStateKnown { client in
                guard emitter.isActive else { return }
                do throws(BluetoothError) {
                    client.advertise(
                        advertisement, selection, on: try client.poweredAdapter(selection), emitter)
                } catch {
                    emitter.fail(error.during(.advertise, nil))
                }
            }
        }
    }
}

extension BlueZClient {
    fileprivate func advertise(
        _ advertisement: Advertisement, _ selection: AdapterSelection, on adapter: UInt16, _ emitter: Emitter<Void>
    ) {
        advertisementCount += 1
        let advertising = Advertising(
            advertisement, selection, on: adapter, number: advertisementCount, of: self, emitter)
        advertisements.append(advertising)
        advertising.start()
    }

    /// Ends all advertisements.
    func failAdvertisements(_ error: BluetoothError) {
        for advertising in advertisements { advertising.end(error) }
    }

    /// Ends the advertisements of adapters that cannot be used any more, or that are not the ones to work with.
    func endAdvertisements() {
        for advertising in advertisements {
            if let error = state(of: advertising.adapter)?.error {
                advertising.end(error)
            } else if choice(advertising.selection) != advertising.adapter {
                advertising.end(BluetoothError(.noAdapter))
            }
        }
    }
}
