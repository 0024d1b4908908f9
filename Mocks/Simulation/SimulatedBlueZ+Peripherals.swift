import DBus

/// What happens to the peripherals. Each is named by its address in the scenario or its present one. Naming one that is not in
/// the scenario, or a characteristic that it does not have, ends the program with the file and the line of the call.
extension SimulatedBlueZ {
    /// Brings another peripheral into range.
    public func add(_ peripheral: SimulatedPeripheral, file: StaticString = #fileID, line: UInt = #line) {
        names.add(peripheral, file, line)
        control { environment, _ in environment.radio.add(peripheral) }
    }

    /// Drops the link to a peripheral at once. Nothing where there is none. The reason is told only by daemons from 5.83 on
    /// (``Quirk/Q86``, ``SimulatedFeature/disconnectedSignal``); 5.66 keeps it to itself.
    public func dropLink(
        to address: String, reason: SimulatedDisconnectReason = .remote, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        names.check(address, file, line)
        control { environment, daemon in
            daemon?.device(linkedTo: environment.radio.described(address))?.linkEnded(reason)
        }
    }

    /// Moves a peripheral nearer or farther: it is received with this strength from now on, in dBm, -127 to 20, whatever it
    /// advertises; nil for what the advertisement says.
    public func setStrength(_ rssi: Int?, of address: String, file: StaticString = #fileID, line: UInt = #line) {
        names.check(address, file, line)
        control { environment, _ in environment.radio.described(address).strength = rssi }
    }

    /// Takes a peripheral out of range, where a link drops after the supervision timeout of 0.42 s and attempts to
    /// connect go unanswered, or brings it back, where they succeed.
    public func setInRange(
        _ isInRange: Bool, _ address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
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

    /// Changes what a peripheral advertises; nil silences it.
    public func advertise(
        _ advertisement: SimulatedAdvertisement?, from address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
        advertisement?.check(file, line)
        control { environment, daemon in
            let deviceState = environment.radio.described(address)
            deviceState.advertisement = advertisement
            environment.radio.advertisementChanged(deviceState)
            daemon?.retryAttempts(to: deviceState)
        }
    }

    /// Changes how connecting to a peripheral goes, from the next attempt on.
    public func setConnection(
        _ connection: SimulatedConnection, of address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
        control { environment, _ in
            let deviceState = environment.radio.described(address)
            deviceState.connection = connection
            deviceState.attempts = 0
        }
    }

    /// Changes how pairing with a peripheral goes, from the next time on.
    public func setPairing(
        _ pairing: SimulatedPairing, of address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
        control { environment, _ in environment.radio.described(address).pairing = pairing }
    }

    /// Makes a peripheral forget its bonds, as a reset does. A bonded client's next connections fail (Q87).
    public func loseBond(of address: String, file: StaticString = #fileID, line: UInt = #line) {
        names.check(address, file, line)
        control { environment, _ in environment.radio.described(address).bonds = [:] }
    }

    /// Notifies a value now, to those who are subscribed. `index` tells characteristics of one UUID apart, from 0.
    public func notify(
        _ value: [UInt8], from address: String, _ characteristic: String, index: Int = 0,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(characteristic, index: index, of: address, file, line)
        control { environment, daemon in
            let deviceState = environment.radio.described(address)
            daemon.hold(value, deviceState, deviceState.described(characteristic, index: index), notifying: true)
        }
    }

    /// Changes the value that a peripheral holds; readers see it, nobody is notified.
    public func setValue(
        _ value: [UInt8], of address: String, _ characteristic: String, index: Int = 0,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(characteristic, index: index, of: address, file, line)
        control { environment, _ in
            environment.radio.described(address).described(characteristic, index: index).value = value
        }
    }

    /// As ``setValue(_:of:_:index:)`` or ``notify(_:from:_:index:)``, for files: nothing where the peripheral does not have the
    /// characteristic at that time, for its services may have changed.
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
    /// Searched by the link, for the peripheral may have another address by now (Q62).
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
