import DBus

/// Objects that come and go.
extension BlueZClient {
    /// Reads the reply of `GetManagedObjects` into an empty mirror. Objects come in any order, children before parents.
    func readSnapshot(_ reply: Message) throws(DBusError) {
        try reply.read { (body) throws(DBusError) in
            try body.dictionary { (object) throws(DBusError) in
                guard let key = ObjectKey(try object.objectPath()) else { return }
                try add(key, &object, isSnapshot: true)
            }
        }
        for adapter in adapters.values { peripherals.follow(adapter) }
        for (key, record) in devices {
            // What stands below a device that is not there belongs to nobody.
            if record.isListed { givePeripheral(key) } else { devices[key] = nil }
        }
    }

    /// Reads the interfaces of one object (`a{sa{sv}}`) into the mirror. An object of ours that is malformed is left out
    /// as far as it is, and never stops the others. Tells whether a device came with it.
    @discardableResult
    func add(_ key: ObjectKey, _ body: inout MessageReader, isSnapshot: Bool = false) throws(DBusError) -> Bool {
        var hasDevice = false
        try body.dictionary { (entry) throws(DBusError) in
            guard let interface = try entry.withString({ BlueZ.Interface(bytes: $0) }) else { return }
            switch (interface, key) {
            case (.adapter, .adapter(let number)):
                var record = AdapterRecord(number: number)
                _ = try AdapterRecord.table.read(&entry, into: &record, rejected: &rejected)
                adapters[number] = record
                if !isSnapshot { peripherals.follow(record) }
            case (.device, .device(let key)):
                try addDevice(key, &entry, isSnapshot: isSnapshot)
                hasDevice = true
            case (.battery, .device(let key)):
                guard isSnapshot || devices[key] != nil else { return }
                _ = try BatteryRecord.table.read(
                    &entry, into: &devices[key, default: DeviceRecord(key: key)].battery, rejected: &rejected)
                links[key]?.battery.changed()
            case (.service, .service(let key, let handle)):
                guard isSnapshot || devices[key] != nil else { return }
                devices[key, default: DeviceRecord(key: key)].services[handle, default: ServiceRecord()].epoch =
                    nextEpoch(key)
                _ = try ServiceRecord.table.read(
                    &entry,
                    into: &devices[key, default: DeviceRecord(key: key)].services[handle, default: ServiceRecord()],
                    rejected: &rejected)
                links[key]?.modifications.added()
            case (.characteristic, .characteristic(let key)):
                guard isSnapshot || devices[key.device] != nil else { return }
                _ = try CharacteristicRecord.table.read(&entry, into: &self[key], rejected: &rejected)
                if let mtu = self[key].mtu { links[key.device]?.mtu.received(mtu) }
            case (.descriptor, .descriptor(let key, let handle)):
                guard isSnapshot || devices[key.device] != nil else { return }
                _ = try DescriptorRecord.table.read(
                    &entry, into: &self[key].descriptors[handle, default: DescriptorRecord()], rejected: &rejected)
            default: break
            }
        }
        return hasDevice
    }

    private func addDevice(_ key: DeviceKey, _ body: inout MessageReader, isSnapshot: Bool) throws(DBusError) {
        // A path that comes again is another object (Q60); only a snapshot may have brought its children before it.
        var record = isSnapshot ? devices[key] ?? DeviceRecord(key: key) : DeviceRecord(key: key)
        _ = try DeviceRecord.table.read(&body, into: &record, rejected: &rejected)
        record.isListed = true
        devices[key] = record
        // In a snapshot adapters come in any order, too, and decide whose peripherals these are (Q28).
        guard !isSnapshot else { return }
        givePeripheral(key)
        links[key]?.deviceFound()
    }

    private func nextEpoch(_ key: DeviceKey) -> UInt64 {
        guard links[key]?.serviceDiscovery.wasResolved == true else { return 0 }
        epochs += 1
        return epochs
    }

    private func givePeripheral(_ key: DeviceKey) {
        let kind = devices[key]?.addressKind
        devices[key]?.peripheral = peripherals.peripheral(for: key, kind: kind, of: access)
        devices[key]?.updatePeripheral()
    }

    /// The record of a characteristic, made where it is not there yet.
    private subscript(key: CharacteristicKey) -> CharacteristicRecord {
        get { devices[key.device]?.services[key.service]?.characteristics[key.handle] ?? CharacteristicRecord() }
        set {
            devices[key.device, default: DeviceRecord(key: key.device)]
                .services[key.service, default: ServiceRecord()].characteristics[key.handle] = newValue
        }
    }

    /// Takes an interface of an object out of the mirror, and ends what depended on it.
    func remove(_ key: ObjectKey, _ interface: BlueZ.Interface) {
        switch (interface, key) {
        case (.adapter, .adapter(let number)):
            guard adapters.removeValue(forKey: number) != nil else { return }
            for key in devices.keys where key.adapter == number {
                devices[key] = nil
                bonds.changed(key)
            }
            linksLost(on: number)
            adaptersChanged()
        case (.device, .device(let key)):
            devices[key] = nil
            scans.removed(key)
            bonds.changed(key)
            // Another program may remove a device that we use, and no Connected=false comes then (Q61).
            links[key]?.deviceRemoved()
        case (.battery, .device(let key)):
            devices[key]?.battery = BatteryRecord()
        case (.service, .service(let key, let handle)):
            guard let record = devices[key]?.services.removeValue(forKey: handle) else { return }
            links[key]?.modifications.removed(record, handle)
        case (.characteristic, .characteristic(let key)):
            devices[key.device]?.services[key.service]?.characteristics[key.handle] = nil
            links[key.device]?.removed(key)
        case (.descriptor, .descriptor(let key, let handle)):
            devices[key.device]?.services[key.service]?.characteristics[key.handle]?.descriptors[handle] = nil
        default: break
        }
    }
}

extension DeviceRecord {
    static let advertisedWhileConnected = table.changes(["RSSI", "ManufacturerData", "ServiceData", "TxPower"])

    func updatePeripheral() { peripheral?.update(name: name.flatMap { $0.isEmpty ? nil : $0 }, kind: addressKind) }
}
