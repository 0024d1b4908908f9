/// The pairings that run or wait for their turn, at most one for each device.
final class PairingQueue {
    private unowned let client: BlueZClient
    private var attempts: [PairingAttempt] = []

    var isEmpty: Bool { attempts.isEmpty }

    /// The status of the pairings for a diagnosis.
    var diagnosis: [Diagnosis.PairingStatus] { attempts.compactMap(\.diagnosis) }

    init(_ client: BlueZClient) { self.client = client }

    /// Pairs a device.
    ///
    /// All streams for the device share one attempt. It is cancelled when the last of the streams is disposed of.
    func pair(_ peripheral: Peripheral, _ emitter: Emitter<Never>) throws(BluetoothError) {
        if let obstacle = client.obstacle(on: peripheral.key.adapter) { throw obstacle }
        guard client.settings.pairing.allows(client.mirror.addresses(of: peripheral.key)) else {
            throw BluetoothError(.refused, detail: "The policy does not allow it to pair")
        }
        guard let attempt = attempts.first(where: { $0.key == peripheral.key }) else {
            // A bonded device needs no pairing, and bluetoothd does not answer `Pair` of a bonded LE device (Q118).
            if client.mirror.isBonded(peripheral.key) { return emitter.complete() }
            let attempt = PairingAttempt(peripheral, client)
            attempts.append(attempt)
            client.deviceSignals.update()
            attempt.add(emitter)
            return advance()
        }
        if attempt.isOver {
            // The new attempt starts when the cancellation of the previous attempt has ended.
            attempt.onEnded { [weak self] in
                emitter.attempt(.pair, peripheral.address.description) { () throws(BluetoothError) in
                    try self?.pair(peripheral, emitter)
                }
            }
        } else {
            attempt.add(emitter)
        }
    }

    /// Fails all pairings because bluetoothd is gone, the bus is lost, or the manager is closed.
    func fail(_ error: BluetoothError) {
        for attempt in attempts { attempt.fail(error) }
    }

    /// Removes an attempt that has ended, and starts the next.
    func remove(_ attempt: PairingAttempt) {
        attempts.removeAll { $0 === attempt }
        client.deviceSignals.update()
        advance()
    }

    /// Starts the pairings that may run now.
    ///
    /// bluetoothd sends an agent one request at a time and fails a second one. So pairings that may cause requests run
    /// one after another; other pairings run at the same time (S68).
    private func advance() {
        // During a shutdown or an outage no pairing starts, because all of them are about to fail.
        guard client.mirror.isSynced, client.finalFailure == nil else { return }
        if client.settings.pairing.mayBeAsked {
            attempts.first?.start()
        } else {
            for attempt in attempts { attempt.start() }
        }
    }
}
