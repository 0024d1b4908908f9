public import Rx

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
