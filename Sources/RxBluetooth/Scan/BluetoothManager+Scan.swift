public import Rx

extension BluetoothManager {
    /// Scans for peripherals.
    ///
    /// Emits each peripheral that is heard, as ``ScanOptions`` say, and never completes. Fails when Bluetooth cannot be
    /// used or ceases to be: ``BluetoothError/Kind/adapterOff``, ``BluetoothError/Kind/daemonUnavailable`` and others (S13); with ``ScanOptions/resumes`` it waits and goes on instead.
    /// Options that cannot be met fail with ``BluetoothError/Kind/invalidArgument``, before anything else happens.
    /// Cold: scanning begins with the first subscription to any scan of this manager and stops when the last is
    /// disposed of; further subscriptions share it (S11). Which of the scanned peripherals each gets is decided here, since the
    /// filters of all programs are merged by bluetoothd (Q43).
    /// Source: BlueZ, `adapter-api.txt`, `StartDiscovery`.
    ///
    /// - Parameters:
    ///   - services: Only peripherals that list one of these, or send data of one. Default, and empty: all.
    ///   - options: What is reported, and how often.
    public func scanForPeripherals(
        withServices services: [BluetoothUUID] = [], options: ScanOptions = ScanOptions()
    ) -> Observable<ScannedPeripheral> {
        access.scan(services, options, on: selection)
    }

    /// The peripherals of the adapter that bluetoothd knows now, without scanning, by address. They may be far away.
    /// Fails when Bluetooth cannot be used.
    public func knownPeripherals() -> Single<[ScannedPeripheral]> {
        access.stream { [selection] client, emitter in
            client.onStateKnown { client in
                guard emitter.isActive else { return }
                do throws(BluetoothError) {
                    let adapter = try client.poweredAdapter(selection)
                    emitter.finish(client.scans.known(on: adapter))
                } catch {
                    emitter.fail(error.during(.scan, nil))
                }
            }
        }
        .asSingle()
    }
}
