public import Rx

extension BluetoothManager {
    // Promise S109, see docs/promises.md.
    /// Switches the manager's adapter on or off, for all programs.
    ///
    /// Completes when bluetoothd shows the requested state, and at once if it shows this state already. Requests for
    /// one adapter are executed one after another. If another program is switching the adapter, the request is repeated
    /// every 250 ms. Cold; disposing does not cancel a request that has been sent. Delivers on the manager's queue.
    ///
    /// Switching the adapter off closes all its links and scans, also those of other programs. ``adapterPower`` emits
    /// the state and the failure of the last request.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/blocked`` if rfkill blocks the adapter. ``BluetoothError/isHardwareBlocked`` is true if
    ///   a hardware switch does.
    /// - ``BluetoothError/Kind/unauthorized`` if bluetoothd or the bus does not allow it.
    /// - ``BluetoothError/Kind/noAdapter`` if there is no adapter, or if it is unplugged meanwhile.
    /// - ``BluetoothError/Kind/timedOut`` if the state is not shown within ``Deadlines/power``.
    ///
    /// Source: BlueZ, `adapter-api.txt`, `Powered`.
    ///
    /// - Parameter isPowered: Whether the adapter is to be on.
    public func setPowered(_ isPowered: Bool) -> Completable {
        access.operation(.setPower) { [selection] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            let adapter = try client.anyAdapter(selection)
            client.adapterControl.setPowered(isPowered, on: adapter, emitter)
        }
        .asCompletable()
    }

    // Promise S110, see docs/promises.md.
    /// Sets the name of the manager's adapter that other devices see.
    ///
    /// Completes when bluetoothd has accepted the name; ``adapters`` then emits it. bluetoothd stores the name. The
    /// adapter may be off. Cold; disposing does not cancel a request that has been sent. Delivers on the manager's
    /// queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if the name is longer than 247 bytes of UTF-8
    ///   or contains U+0000.
    /// - ``BluetoothError/Kind/unauthorized`` if bluetoothd or the bus does not allow it.
    /// - ``BluetoothError/Kind/timedOut`` if bluetoothd does not reply within ``Deadlines/operation``.
    ///
    /// Source: BlueZ, `adapter-api.txt`, `Alias`; Core Specification 5.4, Vol 3, Part C, 3.2.2.3.
    ///
    /// - Parameter alias: The name. Empty or nil: bluetoothd restores the name of the computer.
    public func setAlias(_ alias: String?) -> Completable {
        access.operation(.setAlias) { [selection] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            let adapter = try client.anyAdapter(selection)
            try client.adapterControl.setAlias(alias ?? "", on: adapter, emitter)
        }
        .asCompletable()
    }

    /// The power of the manager's adapter, and why it cannot be used or switched.
    ///
    /// Emits the present value first, then each change, and never completes. Fails only with
    /// ``BluetoothError/Kind/closed``, when the manager is closed. Hot; the first subscription opens the bus. Delivers
    /// on the manager's queue.
    public var adapterPower: Observable<AdapterPower> {
        reports.map { [selection] in $0.power(selection) }.distinctUntilChanged()
            .observe(on: access.settings.scheduler)
    }

    // Promise S111, see docs/promises.md.
    /// Whether this manager scans with its adapter.
    ///
    /// Emits the present value first, then each change, and never completes. True from the time at which bluetoothd has
    /// started the discovery session of the manager's scans, or has activated the monitor of its passive scans, until
    /// both are stopped or lost. A restart after silence does not change the value. Includes the scans with which the
    /// manager itself searches for a peripheral, see ``connect(to:kind:options:)``. Scans of other programs do not
    /// count: ``Adapter/isDiscovering`` includes them.
    ///
    /// Fails only with ``BluetoothError/Kind/closed``, when the manager is closed. Hot; the first subscription opens
    /// the bus. Delivers on the manager's queue.
    public var isScanning: Observable<Bool> {
        reports.map { [selection] in $0.isScanning(selection) }.distinctUntilChanged()
            .observe(on: access.settings.scheduler)
    }
}

/// The power of an adapter, and why it is not on.
public struct AdapterPower: Equatable, Sendable {
    /// The name of the adapter, for example `hci0`; nil if there is no adapter.
    public let adapterName: String?
    /// The power state; nil if there is no adapter.
    ///
    /// bluetoothd before 5.66 reports ``Adapter/PowerState/on`` and ``Adapter/PowerState/off`` only.
    public let state: Adapter.PowerState?
    /// Why the adapter cannot be used or switched; nil if no obstacle is known.
    ///
    /// The failure is the obstacle of Bluetooth itself, such as ``BluetoothError/Kind/daemonUnavailable``, then rfkill,
    /// then the error of the last ``BluetoothManager/setPowered(_:)`` of this manager. The error of a request is
    /// removed when the next request starts, or when the adapter has the requested state after all. An adapter that is
    /// merely off has no failure.
    public let failure: BluetoothError?

    /// Makes a value, for example for a test.
    public init(adapterName: String?, state: Adapter.PowerState?, failure: BluetoothError?) {
        self.adapterName = adapterName
        self.state = state
        self.failure = failure
    }
}
