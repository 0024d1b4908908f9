import DBus

extension Link {
    /// Calls `ConnectDevice` for a device that bluetoothd does not have.
    ///
    /// The call is not cancelled with the link, because bluetoothd cannot cancel it. A link that comes up late is
    /// closed.
    func connectDevice() {
        let (key, target) = (key, target)
        // As for `Connect`, the deadline of the call is longer than ours.
        client.call(
            .connectDevice(key, addressKind ?? .public),
            deadline: deadlines.connect + deadlines.disconnect + deadlines.disconnect
        ) { [weak self, weak client] result in
            guard let self, state.step != .ended else {
                if case .success = result { client?.closeLateLink(key) }
                return
            }
            switch result {
            case .success: handle(.connectDeviceAnswered(.connected))
            case .failure(let error) where ErrorTable.isUnknownMethod(error):
                handle(.connectDeviceAnswered(.notOffered))
            case .failure(let error):
                let failure = client?.cause(of: error) ?? BluetoothError(error, operation: .connect, target: target)
                handle(.connectDeviceAnswered(.failed(failure)))
            }
        }
    }
}

extension BlueZClient {
    /// Closes a link that came up after its connection had ended, unless there is another connection by now.
    fileprivate func closeLateLink(_ key: DeviceKey) {
        guard links[key] == nil else { return }
        teardowns.begin()
        call(.disconnect(key, overLE: false), deadline: settings.deadlines.disconnect) { [teardowns] _ in
            teardowns.end()
        }
    }
}
