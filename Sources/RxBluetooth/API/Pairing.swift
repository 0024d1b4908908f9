public import Rx

extension Peripheral {
    /// Pairs with the device and creates a bond.
    ///
    /// Completes when the device is paired. If bluetoothd has a bond already, completes at once without sending
    /// anything. The manager's ``PairingPolicy`` answers the requests of bluetoothd. Cold; overlapping subscriptions
    /// share one attempt, and disposing of the last subscription cancels the attempt. Delivers on the manager's queue.
    ///
    /// If the device has lost its bond, or an attribute requires a stronger bond, call ``forget()`` first. Without a
    /// connection of this manager, pairing makes a connection and closes it at the end; a `connect()` waits until
    /// then. If an operation of the connection has failed with ``BluetoothError/Kind/needsPairing``, pairing first
    /// closes the connection, which fails with that error. If the policy may have to answer requests, devices pair one
    /// after another.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/pairingFailed(_:)`` if the device or bluetoothd refuses, or an answer to a request
    ///   was wrong.
    /// - ``BluetoothError/Kind/refused`` if ``PairingPolicy/allowed`` does not include the device.
    /// - ``BluetoothError/Kind/peripheralGone`` if bluetoothd has removed the device, and a scan does not find it
    ///   within ``Deadlines/connect``.
    /// - ``BluetoothError/Kind/timedOut`` after ``Deadlines/pair``.
    /// - ``BluetoothError/Kind/poweredOff``, ``BluetoothError/Kind/daemonUnavailable`` or a similar error if Bluetooth
    ///   cannot be used, and the error of the link if it is lost.
    ///
    /// Source: BlueZ, `device-api.txt`, `Pair` and `CancelPairing`.
    public func pair() -> Completable {
        operation(.pair) { [self] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            try client.pairings.pair(self, emitter)
        }
        .asCompletable()
    }

    /// Whether the device is paired.
    ///
    /// Emits the current value first, then each change, and never completes. The value is false for a device that
    /// bluetoothd does not know. Nothing is emitted while bluetoothd is not available. Cold. Delivers on the manager's
    /// queue.
    ///
    /// Fails with ``BluetoothError/Kind/busUnavailable`` when the bus is lost, with
    /// ``BluetoothError/Kind/unauthorized`` if the bus refuses this process, and with ``BluetoothError/Kind/closed``
    /// when the manager is closed. Source: BlueZ, `device-api.txt`, `Paired`.
    public var isPaired: Observable<Bool> { watch(\.isPaired) }

    /// Whether bluetoothd has a bond with the device: keys that remain stored after the connection.
    ///
    /// Emits and fails as ``isPaired`` does. With BlueZ before 5.65, the value is that of ``isPaired``. The value may
    /// be true although the device has deleted its keys. Source: BlueZ, `device-api.txt`, `Bonded`.
    public var isBonded: Observable<Bool> { watch(\.isBonded) }

    /// Whether bluetoothd has a link with the device, of this or another program. Emits and fails as ``isPaired`` does.
    package var isConnectedInBlueZ: Observable<Bool> { watch(\.isConnected) }

    private func watch(_ value: @escaping @Sendable (DeviceRecord) -> Bool) -> Observable<Bool> {
        operation(.readState) { [self] client, emitter in
            if let failure = client.finalFailure { return emitter.fail(failure) }
            client.deviceValues.add(self, emitter, value)
        }
    }

    /// Marks the device as trusted or not.
    ///
    /// bluetoothd does not remove a trusted device by itself, and lets the device use services of this computer without
    /// an authorization request. bluetoothd also connects to a trusted device that advertises in order to reconnect.
    /// Completes when bluetoothd has stored the change. Cold; disposing does not cancel a request that was sent.
    /// Delivers on the manager's queue.
    ///
    /// Fails with ``BluetoothError/Kind/peripheralGone`` if bluetoothd does not know the device, with
    /// ``BluetoothError/Kind/timedOut`` after ``Deadlines/operation``, and if Bluetooth cannot be used. Source: BlueZ,
    /// `device-api.txt`, `Trusted`.
    ///
    /// - Parameter isTrusted: Whether bluetoothd should trust the device. Default: true.
    public func trust(_ isTrusted: Bool = true) -> Completable {
        operation(.trust) { [self] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            try client.trust(isTrusted, self, emitter)
        }
        .asCompletable()
    }

    /// Removes the device from bluetoothd, with its bond, name and services.
    ///
    /// If there is a link, the manager closes it first, even if another program made it. The stream of
    /// ``connect(options:)`` fails with ``BluetoothError/Kind/disconnected(_:)`` and the reason
    /// ``BluetoothError/DisconnectReason/requested``. Completes when bluetoothd no longer shows the device, and at once
    /// if it does not know the device. Cold; disposing does not cancel a request that was sent. Delivers on the
    /// manager's queue.
    ///
    /// The device itself keeps its keys of the bond. Many devices can pair again only after the user has removed the
    /// keys on the device.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/busy`` if bluetoothd has answered, and keeps the device.
    /// - ``BluetoothError/Kind/timedOut`` after ``Deadlines/operation``.
    /// - ``BluetoothError/Kind/poweredOff`` or a similar error if Bluetooth cannot be used.
    ///
    /// Source: BlueZ, `adapter-api.txt`, `RemoveDevice`.
    public func forget() -> Completable {
        operation(.forget) { [self] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            // Ends the reconnection, which would otherwise find and connect the device again.
            reconnector?.end(BluetoothError(.disconnected(.requested)))
            try client.forget(self, emitter)
        }
        .asCompletable()
    }
}

extension Peripheral {
    /// Makes bluetoothd read the services of the device again at the next connection.
    ///
    /// bluetoothd stores the services of a device. If a firmware update moves attributes, and the device shows this
    /// neither by Service Changed (2A05) nor by a new Database Hash (2B2A), bluetoothd continues to use old handles.
    /// This method removes the device from bluetoothd with its stored services.
    ///
    /// Completes when the device is removed, and at once if bluetoothd does not know the device. A connection ends with
    /// the reason ``BluetoothError/DisconnectReason/removed``. With ``ConnectOptions/reconnection``, the manager scans
    /// for the device and connects again, and attributes have to be discovered again. Cold; disposing does not cancel a
    /// request that was sent. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/refused`` if there is a bond, because bluetoothd would remove the bond too. Use
    ///   ``forget()`` to remove both, and pair again.
    /// - ``BluetoothError/Kind/busy`` if bluetoothd has answered, and keeps the device.
    /// - ``BluetoothError/Kind/timedOut`` after ``Deadlines/operation``.
    /// - ``BluetoothError/Kind/poweredOff`` or a similar error if Bluetooth cannot be used.
    ///
    /// Source: BlueZ, `adapter-api.txt`, `RemoveDevice`.
    public func refreshServices() -> Completable {
        operation(.forget) { [self] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            try client.refreshServices(of: self, emitter)
        }
        .asCompletable()
    }
}

extension BluetoothManager {
    /// The pairing requests of bluetoothd, if the policy's mode is ``PairingPolicy/Mode/ask``.
    ///
    /// Emits each request to all subscribers; the first answer counts. Hot: subscribing registers the manager's agent,
    /// and opens the bus if necessary. A request is rejected if there is no answer within ``PairingPolicy/timeout``, if
    /// there is no subscriber, or when the last subscription is disposed of. With other modes, nothing is emitted.
    /// Delivers on the manager's queue.
    ///
    /// Never completes, and continues after a restart of bluetoothd. Fails with ``BluetoothError/Kind/busUnavailable``
    /// when the bus is lost, with ``BluetoothError/Kind/unauthorized`` if the bus refuses this process, and with
    /// ``BluetoothError/Kind/closed`` when the manager is closed. Source: BlueZ, `agent-api.txt`.
    public var pairingRequests: Observable<PairingRequest> {
        access.stream { client, emitter in
            if let failure = client.finalFailure { return emitter.fail(failure) }
            client.agent.add(emitter)
        }
    }
}
