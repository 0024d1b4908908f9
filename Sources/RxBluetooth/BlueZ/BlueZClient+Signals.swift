import DBus

/// Keeping the mirror by signals.
extension BlueZClient {
    /// Four rules for all objects; more would cost for each foreign signal (Q10). Each names its sender (Q17).
    func signalSubscriptions() -> [BusTask] {
        [
            bus.subscribe(
                MatchRule(
                    sender: BlueZ.name, interface: BlueZ.properties, member: "PropertiesChanged", path: "/org/bluez",
                    includesChildren: true)
            ) { [weak self] in self?.propertiesChanged($0) },
            // These two come from "/", so their first argument is what tells whose they are.
            bus.subscribe(
                MatchRule(
                    sender: BlueZ.name, interface: BlueZ.objectManager, member: "InterfacesAdded",
                    firstArgumentPath: "/org/bluez")
            ) { [weak self] in self?.interfacesAdded($0) },
            bus.subscribe(
                MatchRule(
                    sender: BlueZ.name, interface: BlueZ.objectManager, member: "InterfacesRemoved",
                    firstArgumentPath: "/org/bluez")
            ) { [weak self] in self?.interfacesRemoved($0) },
            bus.subscribe(
                MatchRule(
                    sender: BlueZ.name, interface: BlueZ.device, member: "Disconnected", path: "/org/bluez",
                    includesChildren: true)
            ) { [weak self] in self?.disconnected($0) },
        ]
    }

    private func propertiesChanged(_ signal: Message) {
        guard isSynced, let key = signal.withPath({ ObjectKey(path: $0) }) else { return }
        do throws(DBusError) {
            try signal.read { (body) throws(DBusError) in
                guard let interface = try body.withString({ BlueZ.Interface(bytes: $0) }) else { return }
                switch (interface, key) {
                case (.device, .device(let key)): try deviceChanged(key, &body)
                case (.characteristic, .characteristic(let key)): try characteristicChanged(key, &body)
                case (.service, .service(let key, let handle)):
                    guard devices[key]?.services[handle] != nil else { return }
                    _ = try ServiceRecord.table.read(
                        &body, into: &devices[key]!.services[handle]!, rejected: &rejected)
                case (.battery, .device(let key)):
                    guard devices[key] != nil else { return }
                    _ = try BatteryRecord.table.read(&body, into: &devices[key]!.battery, rejected: &rejected)
                    links[key]?.battery.changed()
                case (.adapter, .adapter(let number)): try adapterChanged(number, &body)
                default: break
                }
            }
        } catch {
            rejected += 1
        }
    }

    private func disconnected(_ signal: Message) {
        guard isSynced, case .device(let key)? = signal.withPath({ ObjectKey(path: $0) }), let link = links[key] else {
            return
        }
        do throws(DBusError) {
            link.announce(try signal.read { (body) throws(DBusError) in try body.string() })
        } catch {
            rejected += 1
        }
    }

    private func deviceChanged(_ key: DeviceKey, _ body: inout MessageReader) throws(DBusError) {
        guard let index = devices.index(forKey: key) else {
            unknownObjectSignals += 1
            return
        }
        // Whether a name or a list of services was advertised can only be told while there is no link (Q58).
        let wasConnected = devices.values[index].isConnected
        let changes = try DeviceRecord.table.read(&body, into: &devices.values[index], rejected: &rejected)
        // What was read counts, also where the list of what is taken back is malformed.
        var cleared = Changes()
        do throws(DBusError) {
            cleared = try DeviceRecord.table.clear(&body, in: &devices.values[index])
        } catch {
            rejected += 1
        }
        deviceChanged(key, changes, cleared, wasConnected: wasConnected)
    }

    private func deviceChanged(_ key: DeviceKey, _ changes: Changes, _ cleared: Changes, wasConnected: Bool) {
        var all = changes
        all.formUnion(cleared)
        if all.intersects(DeviceRecord.named) { devices[key]?.updatePeripheral() }
        let heard = wasConnected ? DeviceRecord.advertisedWhileConnected : DeviceRecord.advertised
        if changes.intersects(heard) { scans.received(key) }
        if all.intersects(DeviceRecord.bonding) { bonds.changed(key) }
        if wasConnected, devices[key]?.isConnected != true { orphans.closed(key) }
        if devices[key]?.isConnected != wasConnected { scans.connectionChanged(key) }
        guard let link = links[key] else { return }
        if changes.intersects(DeviceRecord.bonding), let device = devices[key], device.isPaired || device.isBonded {
            link.queue.paired()
        }
        if all.intersects(DeviceRecord.connected) { link.connectedChanged(devices[key]?.isConnected ?? false) }
        if all.intersects(DeviceRecord.resolved), devices[key]?.isResolved == true { link.servicesResolved() }
    }

    private func characteristicChanged(_ key: CharacteristicKey, _ body: inout MessageReader) throws(DBusError) {
        // A value that nobody asked for is not even read.
        guard let link = links[key.device] else { return }
        let session = link.notifications[key]
        let table = session == nil ? CharacteristicRecord.mtuTable : CharacteristicRecord.table
        var record = CharacteristicRecord()
        let changes = try table.read(&body, into: &record, rejected: &rejected)
        if let mtu = record.mtu { link.mtu.received(mtu) }
        if let session, changes.intersects(CharacteristicRecord.valued) { session.received(record.value) }
    }

    private func adapterChanged(_ number: UInt16, _ body: inout MessageReader) throws(DBusError) {
        guard adapters[number] != nil else {
            unknownObjectSignals += 1
            return
        }
        let wasDiscovering = adapters[number]?.isDiscovering
        defer {
            if let isDiscovering = adapters[number]?.isDiscovering, isDiscovering != wasDiscovering {
                adapters[number]?.discoveringSince = isDiscovering ? settings.now : nil
                scans.discoveringChanged(on: number, isDiscovering)
            }
        }
        _ = try AdapterRecord.table.read(&body, into: &adapters[number]!, rejected: &rejected)
        do throws(DBusError) {
            _ = try AdapterRecord.table.clear(&body, in: &adapters[number]!)
        } catch {
            rejected += 1
        }
        adaptersChanged()
    }

    private func interfacesAdded(_ signal: Message) {
        guard isSynced else { return }
        do throws(DBusError) {
            try signal.read { (body) throws(DBusError) in
                let path = try body.objectPath()
                guard let key = ObjectKey(path) else { return }
                // A device may also get an interface such as Battery1 later, which is no advertisement (Q51).
                let hasDevice = try add(key, &body)
                switch key {
                case .adapter: adaptersChanged()
                case .device(let key):
                    guard hasDevice else { return }
                    scans.received(key)
                    scans.connectionChanged(key)
                    bonds.changed(key)
                default: break
                }
            }
        } catch {
            rejected += 1
        }
    }

    private func interfacesRemoved(_ signal: Message) {
        guard isSynced else { return }
        do throws(DBusError) {
            try signal.read { (body) throws(DBusError) in
                guard let key = ObjectKey(try body.objectPath()) else { return }
                try body.array { (name) throws(DBusError) in
                    if let interface = try name.withString({ BlueZ.Interface(bytes: $0) }) { remove(key, interface) }
                }
            }
        } catch {
            rejected += 1
        }
    }
}
