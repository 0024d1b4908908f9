public import Rx

extension BluetoothManager {
    // Promises S112 and S113, see docs/promises.md.
    /// Connects to a peripheral by its address, without a scan of the program.
    ///
    /// Emits the peripheral once when it is connected, and does not complete; then everything is as after
    /// ``Peripheral/connect(options:)``. Cold: subscribing connects, disposing disconnects. Finding the peripheral and
    /// connecting together have the deadline ``Deadlines/connect``. Delivers on the manager's queue. With
    /// ``ConnectOptions/reconnection``, the first attempt starts as soon as Bluetooth can be used.
    ///
    /// The manager uses the first way that works:
    /// 1. If bluetoothd has the device, the manager calls `Connect`.
    /// 2. Otherwise it calls `ConnectDevice`, which bluetoothd offers if it was started with `-E`. There is no scan.
    ///    The controller connects as soon as it receives a packet of the address, also a directed advertisement. Other
    ///    programs are not affected.
    /// 3. If bluetoothd does not offer `ConnectDevice`, or fails without a reason, the manager scans until bluetoothd
    ///    shows the device, stops the scan, and calls `Connect`. The peripheral must advertise so that the scan finds
    ///    it. Meanwhile bluetoothd also shows other devices, and power consumption is that of an active scan.
    ///
    /// The address must be the one with which the peripheral advertises. An address of another device, or one that the
    /// peripheral has changed meanwhile, is not found. bluetoothd cannot cancel `ConnectDevice`: if the subscription is
    /// disposed of meanwhile, a link that comes up later is closed, as long as the manager is open.
    ///
    /// Fails with the errors of ``Peripheral/connect(options:)``, and with
    /// ``BluetoothError/Kind/invalidArgument`` if bluetoothd has a device with the address of the other kind.
    ///
    /// Source: BlueZ, `adapter-api.txt`, `ConnectDevice`.
    ///
    /// - Parameters:
    ///   - address: The address of the peripheral.
    ///   - kind: Whether the address is public or random. Device manufacturers document it;
    ///     ``Peripheral/addressKind`` is the kind that an earlier scan received.
    ///   - options: Whether to reconnect, and what to do with an existing link. Default: as for
    ///     ``Peripheral/connect(options:)``.
    public func connect(
        to address: BluetoothAddress, kind: BluetoothAddress.Kind, options: ConnectOptions = ConnectOptions()
    ) -> Observable<Peripheral> {
        let peripheral: Observable<Peripheral> = access.operation(.connect, on: address.description) {
            [selection] (client, emitter) throws(BluetoothError) in
            let key = DeviceKey(adapter: try client.chooseAdapter(selection), address: address)
            emitter.finish(client.peripherals.peripheral(for: key, kind: kind, of: client.access))
        }
        let found = options.reconnection == nil ? peripheral : whenUsable(peripheral, target: address.description)
        return found.flatMap { $0.connect(options, addressKind: kind) }
    }

    /// Subscribes to a stream when Bluetooth can be used, again if Bluetooth becomes unavailable in between.
    private func whenUsable<Element: Sendable>(_ stream: Observable<Element>, target: String) -> Observable<Element> {
        Observable.deferred { [access, selection] in access.waitUntilUsable(selection).flatMap { _ in stream } }
            .retry(when: { errors in
                errors.map { error in
                    guard let error = error as? BluetoothError, error.isOutage else { throw error }
                }
            })
            .catch { throw ($0 as? BluetoothError)?.during(.connect, target) ?? $0 }
    }
}
