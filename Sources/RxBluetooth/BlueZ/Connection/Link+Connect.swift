import DBus

extension Link {
    /// Calls `Connect`. After ``LinkState/Action/keepConnect``, the reply is that of an earlier call.
    func connect() {
        let number = earlierConnectCount
        // The deadline of the call is longer than ours, so that a success after our `Disconnect` is noticed.
        attempt = client.call(
            .connect(key, overLE: usesBearer), deadline: deadlines.connect + deadlines.disconnect + deadlines.disconnect
        ) { [weak self] result in
            guard let self else { return }
            guard number == earlierConnectCount else {
                return handle(.earlierConnectAnswered(isSuccess: result.failure == nil))
            }
            attempt = nil
            handle(.connectAnswered(result.failure.map { BluetoothError($0, operation: .connect, target: target) }))
        }
    }

    /// Reads `Connected` after `Connect` has succeeded.
    func confirmLink() {
        attempt = client.readFlag("Connected", of: connectedInterface, at: key.path) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let isConnected): handle(.linkConfirmed(isConnected))
            case .failure(let error):
                handle(.confirmationFailed(BluetoothError(error, operation: .connect, target: target)))
            }
        }
    }

    /// Cancels the pairing. bluetoothd handles the call before the next `Connect`, so its reply does not matter.
    func cancelKeptPairing() { client.call(.cancelPairing(key), deadline: deadlines.cleanup) { _ in } }

    /// Reads `Connected` to find the result of another program's attempt.
    func readOtherAttemptResult() {
        attempt = client.readFlag("Connected", of: connectedInterface, at: key.path) { [weak self] result in
            self?.handle(.otherAttemptAnswered(isConnected: (try? result.get()) == true))
        }
    }
}

extension Result {
    /// The failure; nil for a success.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
