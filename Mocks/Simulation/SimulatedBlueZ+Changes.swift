import DBus

/// Controls that reset a peripheral, or change its services or its address.
extension SimulatedBlueZ {
    /// Resets a peripheral.
    ///
    /// The peripheral's link ends after the supervision timeout of 0.42 s, and its initial values are restored.
    /// The peripheral sends nothing for a time, by default 1 s.
    public func reset(
        _ address: String, silentFor silence: Duration = .seconds(1), file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.check(address, file, line) else { return }
        setInRange(false, address, file: file, line: line)
        control { environment, _ in environment.radio.described(address).restoreValues() }
        after(max(silence, DaemonTimeLimits.supervision)) { $0.setInRange(true, address, file: file, line: line) }
    }

    /// Replaces a peripheral's services, as a firmware update does.
    ///
    /// If `announced` is true and the peripheral is connected, it sends Service Changed, and bluetoothd reads the new
    /// table. Otherwise bluetoothd keeps the old table.
    public func changeServices(
        of address: String, announced: Bool = true, to services: [SimulatedService],
        file: StaticString = #fileID, line: UInt = #line
    ) {
        guard names.change(services: services, of: address, file, line) else { return }
        control { environment, daemon in
            let deviceState = environment.radio.described(address)
            deviceState.change(services: services)
            guard announced, let device = daemon?.device(linkedTo: deviceState) else { return }
            device.servicesChanged(at: deviceState)
        }
    }

    /// Gives a peripheral another private address. BlueZ treats it as another device.
    ///
    /// A present link continues under the old address. By default the seed determines the new address.
    /// Controls also accept the peripheral's first address.
    public func rotateAddress(
        of address: String, to new: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        let new = new?.uppercased()
        guard let place = names.index(of: address, file, line) else { return }
        if let new, !names.rotate(place, to: new, file, line) { return }
        control { [names] environment, _ in
            let deviceState = environment.radio.described(address)
            let text = new ?? DeviceAddress.randomPrivate(&deviceState.generator)
            guard let rotated = DeviceAddress(text, isRandom: true) else {
                preconditionFailure("“\(text)” is not a Bluetooth address.")
            }
            if new == nil, !names.rotate(place, to: text, file, line) { return }
            environment.radio.rotate(deviceState, to: rotated)
        }
    }
}

extension DaemonDevice {
    /// Removes the objects of the old table, and adds the new ones after discovery.
    fileprivate func servicesChanged(at deviceState: SimulatedDeviceState) {
        for service in services { service.disappear() }
        services = []
        if areServicesResolved {
            areServicesResolved = false
            changed("ServicesResolved")
        }
        link?.after(deviceState.connection.discovery) { [weak self] in self?.resolved(deviceState) }
    }
}
