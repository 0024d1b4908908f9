import RxBluetooth

extension DeviceConnections {
    /// Uses the devices of another configuration. Links to devices that remain stay, with their commands.
    func reload(_ configuration: GatewayConfiguration) {
        let removed = known.subtracting(configuration.devices.map(\.address))
        devices = configuration.devices
        known = Set(configuration.devices.map(\.address))
        book.allowed = known
        book.maximumAge = configuration.commands.maximumAge
        let lost = unsaved.filter { removed.contains($0.address) } + held.take { removed.contains($0.address) }
        unsaved.removeAll { removed.contains($0.address) }
        for command in lost { fail(command, .removed) }
        for central in centrals.values { central.reload(devices) }
        let now = loop.monotonicTime
        share { $0.reload(configuration.devices, now: now) }
        for address in removed.sorted() {
            if let adapter = linked[address] { setLinked(false, address, adapter) }
            choices[address] = nil
        }
        for (adapter, central) in centrals {
            for address in known {
                central.setOwned(choices[address]?.adapter == adapter && isOwned(address), address)
            }
        }
    }
}
