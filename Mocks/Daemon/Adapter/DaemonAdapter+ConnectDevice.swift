import DBus

/// `ConnectDevice`: connects to an address that no scan has found. Source: BlueZ 5.66, src/adapter.c.
extension DaemonAdapter {
    func connectDevice(_ call: IncomingCall) throws(DBusError) {
        guard isPowered else { throw BlueZError.notReady }
        let address = try addressAsked(call)
        if let device = devices[address] {
            guard differences.has(.connectDeviceFailed), device.link != nil else { throw BlueZError.alreadyExists }
            throw ConnectError.deviceConnected
        }
        // This adds no device object yet: the object appears together with the link.
        reach(address, call)
    }

    /// Returns the address in the argument of the call; without `AddressType`, a public address.
    ///
    /// Without `AddressType`, bluetoothd would connect over BR/EDR, which is not simulated.
    private func addressAsked(_ call: IncomingCall) throws(DBusError) -> DeviceAddress {
        let value = try call.message.read { (body) throws(DBusError) in try body.value() }
        guard case .dictionary("s", "v", let entries) = value else { throw BlueZError.invalidArguments }
        var text: String?
        var isRandom = false
        for entry in entries {
            switch (entry.key, entry.value) {
            case (.string("Address"), .variant(.string(let address))): text = address.uppercased()
            case (.string("AddressType"), .variant(.string("public"))): isRandom = false
            case (.string("AddressType"), .variant(.string("random"))): isRandom = true
            default: throw BlueZError.invalidArguments
            }
        }
        guard let address = text.flatMap({ DeviceAddress($0, isRandom: isRandom) }), address.number != 0 else {
            throw BlueZError.invalidArguments
        }
        return address
    }

    private func reach(_ address: DeviceAddress, _ call: IncomingCall) {
        guard let deviceState = radio.deviceState(address), deviceState.isReachable else {
            loop.after(DaemonTimeLimits.connectTimeout) { [tree] in
                tree.fail(call, ConnectError.deviceNotReached)
            }
            return
        }
        deviceState.attempts += 1
        loop.after(deviceState.connection.delay) { [weak self] in
            guard let self, devices[address] == nil else { return call.fail(BlueZError.alreadyExists) }
            guard deviceState.isReachable else {
                return tree.fail(call, ConnectError.deviceNotReached)
            }
            let device = add(DaemonDevice(address, on: self))
            device.appear()
            device.becomeTemporary(false)
            device.established(ConnectionAttempt(nil), with: deviceState)
            tree.reply(call) { (body) throws(DBusError) in try body.objectPath(device.path) }
        }
    }
}
