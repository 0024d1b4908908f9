import DBus

/// Controls of the peripherals. `address` is a peripheral's address in the scenario or its present one.
///
/// If the scenario has no such peripheral or characteristic, or a new address or UUID is wrong, a control reports a
/// ``SimulationMistake`` at the caller's line, and has no effect.
extension SimulatedBlueZ {
    /// Adds a peripheral in range.
    public func add(_ peripheral: SimulatedPeripheral, file: StaticString = #fileID, line: UInt = #line) {
        guard names.add(peripheral, file, line) else { return }
        control { environment, _ in environment.radio.add(peripheral) }
    }

    /// Ends the link to a peripheral at once. If there is no link, nothing happens.
    /// Only BlueZ 5.83 and later send the reason (``SimulatedFeature/disconnectedSignal``).
    public func dropLink(
        to address: String, reason: SimulatedDisconnectReason = .remote, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard names.check(address, file, line) else { return }
        control { environment, daemon in
            daemon?.device(linkedTo: environment.radio.described(address))?.linkEnded(reason)
        }
    }

    /// Sets the RSSI of a peripheral, in dBm, -127 to 20; nil for the RSSI of its advertisement.
    public func setStrength(_ rssi: Int?, of address: String, file: StaticString = #fileID, line: UInt = #line) {
        guard names.check(address, file, line) else { return }
        control { environment, _ in environment.radio.described(address).strength = rssi }
    }

    /// Moves a peripheral out of range or back.
    ///
    /// Out of range, a link ends after the supervision timeout of 0.42 s. Attempts to connect wait until the peripheral
    /// is in range again.
    public func setInRange(
        _ isInRange: Bool, _ address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(address, file, line) else { return }
        control { environment, daemon in
            let deviceState = environment.radio.described(address)
            deviceState.isInRange = isInRange
            guard let daemon else { return }
            if isInRange { return daemon.retryAttempts(to: deviceState) }
            guard let device = daemon.device(linkedTo: deviceState) else { return }
            device.link?.after(DaemonTimeLimits.supervision) { [weak device] in
                if !deviceState.isInRange { device?.linkEnded(.timeout) }
            }
        }
    }

    /// Changes a peripheral's advertisement; nil stops it.
    public func advertise(
        _ advertisement: SimulatedAdvertisement?, from address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(address, file, line), names.check(advertisement, file, line) else { return }
        control { environment, daemon in
            let deviceState = environment.radio.described(address)
            deviceState.advertisement = advertisement
            environment.radio.advertisementChanged(deviceState)
            daemon?.retryAttempts(to: deviceState)
        }
    }

    /// Changes how connections to a peripheral behave, from the next attempt on.
    public func setConnection(
        _ connection: SimulatedConnection, of address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(address, file, line) else { return }
        control { environment, _ in
            let deviceState = environment.radio.described(address)
            deviceState.connection = connection
            deviceState.attempts = 0
        }
    }

    /// Changes how pairing with a peripheral behaves, from the next pairing on.
    public func setPairing(
        _ pairing: SimulatedPairing, of address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(address, file, line) else { return }
        control { environment, _ in environment.radio.described(address).pairing = pairing }
    }

    /// Deletes a peripheral's bonds, as a factory reset does. Later connections of a bonded adapter fail.
    public func loseBond(of address: String, file: StaticString = #fileID, line: UInt = #line) {
        guard names.check(address, file, line) else { return }
        control { environment, _ in environment.radio.described(address).bonds = [:] }
    }

    /// Notifies a value now to all subscribers.
    ///
    /// If several characteristics have the UUID, `index` selects one of them, from 0.
    public func notify(
        _ value: [UInt8], from address: String, _ characteristic: String, index: Int = 0,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(characteristic, index: index, of: address, file, line) else { return }
        control { environment, daemon in
            let deviceState = environment.radio.described(address)
            daemon.hold(value, deviceState, deviceState.described(characteristic, index: index), notifying: true)
        }
    }

    /// Sets a characteristic's value without a notification.
    public func setValue(
        _ value: [UInt8], of address: String, _ characteristic: String, index: Int = 0,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(characteristic, index: index, of: address, file, line) else { return }
        control { environment, _ in
            environment.radio.described(address).described(characteristic, index: index).value = value
        }
    }

    /// Sets or notifies a value, for scenario files.
    ///
    /// If the peripheral does not have the characteristic now, nothing happens, because its services may have changed.
    package func hold(
        _ value: [UInt8], for address: String, _ characteristic: String, _ index: Int, notifying: Bool
    ) {
        control { environment, daemon in
            let deviceState = environment.radio.described(address)
            guard let server = deviceState.server.characteristic(characteristic, index: index) else { return }
            daemon.hold(value, deviceState, server, notifying: notifying)
        }
    }
}

extension BluetoothDaemon? {
    fileprivate func hold(
        _ value: [UInt8], _ deviceState: SimulatedDeviceState, _ server: ServerCharacteristic, notifying: Bool
    ) {
        server.value = value
        if notifying { self?.device(linkedTo: deviceState)?.remote(server)?.notify(value) }
    }
}

extension BluetoothDaemon {
    /// Returns the device that is connected to a peripheral; nil if there is no link.
    ///
    /// It is searched by link, because the peripheral's address may have changed (Q62).
    func device(linkedTo deviceState: SimulatedDeviceState) -> DaemonDevice? {
        guard let link = deviceState.link else { return nil }
        return adapters.lazy.flatMap(\.devicesInOrder).first { $0.link === link }
    }

    func retryAttempts(to deviceState: SimulatedDeviceState) {
        for adapter in adapters { adapter.devices[deviceState.address]?.continueAttempt() }
    }
}

extension DaemonDevice {
    func remote(_ server: ServerCharacteristic) -> RemoteCharacteristic? {
        services.lazy.compactMap { $0.characteristic(of: server) }.first
    }
}
