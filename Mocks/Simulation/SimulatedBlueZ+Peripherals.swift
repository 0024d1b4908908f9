import DBus

/// What happens to the peripherals. Each is named by its address in the scenario or its present one. Naming one that is not in
/// the scenario, or a characteristic that it does not have, ends the program with the file and the line of the call.
extension SimulatedBlueZ {
    /// Brings another peripheral into range.
    public func add(_ peripheral: SimulatedPeripheral, file: StaticString = #fileID, line: UInt = #line) {
        names.add(peripheral, file, line)
        control { world, _ in world.air.add(peripheral) }
    }

    /// Drops the link to a peripheral at once. Nothing where there is none. The reason is told only by daemons from 5.83 on
    /// (``Quirk/Q86``, ``SimulatedFeature/disconnectedSignal``); 5.66 keeps it to itself.
    public func dropLink(
        to address: String, reason: DisconnectReason = .remote, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
        control { world, daemon in daemon?.device(linkedTo: world.air.described(address))?.lost(reason) }
    }

    /// Moves a peripheral nearer or farther: it is received with this strength from now on, in dBm, -127 to 20, whatever it
    /// advertises; nil for what the advertisement says.
    public func setStrength(_ rssi: Int?, of address: String, file: StaticString = #fileID, line: UInt = #line) {
        names.check(address, file, line)
        control { world, _ in world.air.described(address).strength = rssi }
    }

    /// Takes a peripheral out of range, where a link drops after the supervision timeout of 0.42 s and attempts to
    /// connect go unanswered, or brings it back, where they succeed.
    public func setInRange(
        _ isInRange: Bool, _ address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
        control { world, daemon in
            let station = world.air.described(address)
            station.isInRange = isInRange
            guard let daemon else { return }
            if isInRange { return daemon.retryAttempts(to: station) }
            guard let device = daemon.device(linkedTo: station) else { return }
            device.link?.after(Timing.supervision) { [weak device] in
                if !station.isInRange { device?.lost(.timeout) }
            }
        }
    }

    /// Changes what a peripheral advertises; nil silences it.
    public func advertise(
        _ advertisement: SimulatedAdvertisement?, from address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
        advertisement?.check(file, line)
        control { world, daemon in
            let station = world.air.described(address)
            station.advertisement = advertisement
            world.air.advertisementChanged(station)
            daemon?.retryAttempts(to: station)
        }
    }

    /// Changes how connecting to a peripheral goes, from the next attempt on.
    public func setConnection(
        _ connection: SimulatedConnection, of address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
        control { world, _ in
            let station = world.air.described(address)
            station.connection = connection
            station.attempts = 0
        }
    }

    /// Changes how pairing with a peripheral goes, from the next time on.
    public func setPairing(
        _ pairing: SimulatedPairing, of address: String, file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(address, file, line)
        control { world, _ in world.air.described(address).pairing = pairing }
    }

    /// Makes a peripheral forget its bonds, as a reset does. A bonded client's next connections fail (Q87).
    public func loseBond(of address: String, file: StaticString = #fileID, line: UInt = #line) {
        names.check(address, file, line)
        control { world, _ in world.air.described(address).bonds = [:] }
    }

    /// Notifies a value now, to those who are subscribed. `index` tells characteristics of one UUID apart, from 0.
    public func notify(
        _ value: [UInt8], from address: String, _ characteristic: String, index: Int = 0,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(characteristic, index: index, of: address, file, line)
        control { world, daemon in
            let station = world.air.described(address)
            daemon.hold(value, station, station.described(characteristic, index: index), notifying: true)
        }
    }

    /// Changes the value that a peripheral holds; readers see it, nobody is notified.
    public func setValue(
        _ value: [UInt8], of address: String, _ characteristic: String, index: Int = 0,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        names.check(characteristic, index: index, of: address, file, line)
        control { world, _ in world.air.described(address).described(characteristic, index: index).value = value }
    }

    /// As ``setValue(_:of:_:index:)`` or ``notify(_:from:_:index:)``, for files: nothing where the peripheral does not have the
    /// characteristic at that time, for its services may have changed.
    package func hold(
        _ value: [UInt8], for address: String, _ characteristic: String, _ index: Int, notifying: Bool
    ) {
        control { world, daemon in
            let station = world.air.described(address)
            guard let server = station.server.characteristic(characteristic, index: index) else { return }
            daemon.hold(value, station, server, notifying: notifying)
        }
    }
}

extension Daemon? {
    fileprivate func hold(_ value: [UInt8], _ station: Station, _ server: ServerCharacteristic, notifying: Bool) {
        server.value = value
        if notifying { self?.device(linkedTo: station)?.remote(server)?.notify(value) }
    }
}

extension Air {
    func described(_ address: String) -> Station {
        guard let station = station(address) else { preconditionFailure("No peripheral has the address \(address).") }
        return station
    }
}

extension Station {
    func described(_ characteristic: String, index: Int) -> ServerCharacteristic {
        guard let found = server.characteristic(characteristic, index: index) else {
            preconditionFailure("\(description.name) has no characteristic \(characteristic) number \(index).")
        }
        return found
    }
}

extension Daemon {
    /// Searched by the link, for the peripheral may have another address by now (Q62).
    func device(linkedTo station: Station) -> Device? {
        guard let link = station.link else { return nil }
        return adapters.lazy.flatMap(\.devicesInOrder).first { $0.link === link }
    }

    func retryAttempts(to station: Station) {
        for adapter in adapters { adapter.devices[station.address]?.tryToReach() }
    }
}

extension Device {
    func remote(_ server: ServerCharacteristic) -> RemoteCharacteristic? {
        services.lazy.compactMap { $0.characteristic(of: server) }.first
    }
}
