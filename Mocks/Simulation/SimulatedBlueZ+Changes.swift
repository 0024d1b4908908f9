import DBus

/// How peripherals change while they are simulated.
extension SimulatedBlueZ {
    /// Resets a peripheral: its link drops after the supervision timeout of 0.42 s, its values are those of its description
    /// again, and it is silent until it is up again, which takes 1 s where nothing else is said.
    public func reset(
        _ address: String, silentFor silence: Duration = .seconds(1), file: StaticString = #fileID, line: UInt = #line
    ) {
        setInRange(false, address, file: file, line: line)
        control { environment, _ in environment.radio.described(address).restoreValues() }
        after(max(silence, DaemonTimeLimits.supervision)) { $0.setInRange(true, address, file: file, line: line) }
    }

    /// Gives a peripheral other services, as a new firmware does. With a link up it tells so by Service Changed, and the
    /// daemon reads the new table (Q111). Not `announced`, or without a link, the daemon keeps the old one (Q93).
    public func changeServices(
        of address: String, announced: Bool = true, to services: [SimulatedService],
        file: StaticString = #fileID, line: UInt = #line
    ) {
        names.change(services: services, of: address, file, line)
        control { environment, daemon in
            let deviceState = environment.radio.described(address)
            deviceState.change(services: services)
            guard announced, let device = daemon?.device(linkedTo: deviceState) else { return }
            device.servicesChanged(at: deviceState)
        }
    }

    /// Gives a peripheral another private address, under which it is another device to BlueZ (Q62); a link goes on under the
    /// old one. Without an address given the scenario's seed decides it. It is still named by its first one here.
    public func rotateAddress(
        of address: String, to new: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        let new = new?.uppercased()
        let place = names.index(of: address, file, line)
        if let new { names.rotate(place, to: new, file, line) }
        control { [names] environment, _ in
            let deviceState = environment.radio.described(address)
            let text = new ?? DeviceAddress.randomPrivate(&deviceState.generator)
            guard let rotated = DeviceAddress(text, isRandom: true) else {
                preconditionFailure("“\(text)” is not a Bluetooth address.")
            }
            if new == nil { names.rotate(place, to: text, file, line) }
            environment.radio.rotate(deviceState, to: rotated)
        }
    }
}

extension DaemonDevice {
    /// The objects of the old table go, and the new ones come once it is read.
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
