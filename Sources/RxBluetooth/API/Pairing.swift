public import Rx

extension Peripheral {
    /// Pairs, so that a bond remains.
    ///
    /// Completes when the device is paired. With a bond that bluetoothd has already it completes at once and nothing is sent, also if
    /// the device has lost its side of the bond or an attribute requires a stronger one: call ``forget()`` first then.
    /// Without a connection of this manager one is made
    /// for the purpose and closed afterwards; a ``connect()`` meanwhile waits for that. A connection in which an operation has
    /// failed with ``BluetoothError/Kind/needsPairing`` is of no more use to bluetoothd: it is closed first, and fails with the same. What bluetoothd asks is
    /// answered as the manager's ``PairingPolicy`` says, and where that may need an answer, one device pairs after the other. Fails with
    /// ``BluetoothError/Kind/pairingFailed(_:)`` where the device or bluetoothd refuses or an answer was wrong, with
    /// ``BluetoothError/Kind/notAuthorized`` where the policy does not allow the device, with the error of the link where that is
    /// lost, and with ``BluetoothError/Kind/timedOut`` after ``Deadlines/pair``. Cold; subscriptions that overlap share one
    /// attempt, and disposing of the last calls it off. Source: BlueZ, `device-api.txt`, `Pair` and `CancelPairing`.
    public func pair() -> Completable {
        operation(.pair) { [self] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            try client.pairings.pair(self, emitter)
        }
        .asCompletable()
    }

    /// Whether the device is paired: the present value first, as soon as bluetoothd has told it, then each change.
    ///
    /// A device that bluetoothd does not know is not paired. While bluetoothd is away nothing is emitted. Never completes; fails
    /// with ``BluetoothError/Kind/busUnavailable`` when the bus is lost and ``BluetoothError/Kind/closed`` when the manager is closed. Each
    /// subscription follows on its own. Source: BlueZ, `device-api.txt`, `Paired`.
    public var isPaired: Observable<Bool> { watch(\.isPaired) }

    /// Whether there is a bond, that is, keys that outlast the connection: emits, and ends, as ``isPaired`` does. Before BlueZ 5.65
    /// it is the same as that. Only this side of the bond is known: a device may have lost its own (Q87).
    /// Source: BlueZ, `device-api.txt`, `Bonded`.
    public var isBonded: Observable<Bool> { watch(\.isBonded) }

    private func watch(_ value: @escaping @Sendable (DeviceRecord) -> Bool) -> Observable<Bool> {
        operation(.readState) { [self] client, emitter in
            if let failure = client.finalFailure { return emitter.fail(failure) }
            client.bonds.add(self, emitter, value)
        }
    }

    /// Marks the device as trusted, or not: bluetoothd then lets it use services of this machine without asking, keeps it, and
    /// connects to it by itself when it advertises for that (Q85).
    ///
    /// Completes when bluetoothd has noted it. Fails with ``BluetoothError/Kind/peripheralGone`` where it does not know the device, and
    /// with ``BluetoothError/Kind/timedOut`` after ``Deadlines/operation``. Cold; once it is sent, disposing does not take
    /// it back. Source: BlueZ, `device-api.txt`, `Trusted`.
    public func trust(_ isTrusted: Bool = true) -> Completable {
        operation(.trust) { [self] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            try client.trust(isTrusted, self, emitter)
        }
        .asCompletable()
    }

    /// Makes bluetoothd forget the device: its bond, its name and its services. A link is closed before, whoever made it.
    ///
    /// Completes when it is forgotten, at once where bluetoothd does not know it; it need not be connected. A live ``connect()`` fails with
    /// ``BluetoothError/Kind/disconnected(_:)`` for the reason `requested`. The device itself keeps its bond, and may have to be told to forget it,
    /// too. Fails with ``BluetoothError/Kind/adapterOff`` and the like, and with ``BluetoothError/Kind/timedOut`` after
    /// ``Deadlines/operation``. Cold; once it is sent, disposing does not take it back.
    /// Source: BlueZ, `adapter-api.txt`, `RemoveDevice`.
    public func forget() -> Completable {
        operation(.forget) { [self] (client, emitter: Emitter<Never>) throws(BluetoothError) in
            // What is made again would bring the device back.
            reconnector?.end(BluetoothError(.disconnected(.requested)))
            try client.forget(self, emitter)
        }
        .asCompletable()
    }
}

extension BluetoothManager {
    /// What bluetoothd asks about pairings, where the manager was made with ``PairingPolicy/Mode/ask``; otherwise nothing comes.
    ///
    /// Emits each request to all subscribers, while they are subscribed; whoever answers first decides. A request that nobody
    /// answers in ``PairingPolicy/timeout``, or that comes while nobody is subscribed, is rejected. Never completes; fails with
    /// ``BluetoothError/Kind/busUnavailable`` when the bus is lost and with ``BluetoothError/Kind/closed`` when the manager is closed. A
    /// bluetoothd that is restarted asks again by itself. Hot. Source: BlueZ, `agent-api.txt`.
    public var pairingRequests: Observable<PairingRequest> {
        access.stream { client, emitter in
            if let failure = client.finalFailure { return emitter.fail(failure) }
            client.agent.add(emitter)
        }
    }
}
