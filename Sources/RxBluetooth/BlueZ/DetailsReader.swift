import DBus

/// Reads what bluetoothd reports about a device: its properties, the MTU, and the facts of the link.
extension BlueZClient {
    func readDetails(of peripheral: Peripheral, _ emitter: Emitter<PeripheralDetails>) throws(BluetoothError) {
        let key = peripheral.key
        if let obstacle = obstacle(on: key.adapter), obstacle.kind != .poweredOff, obstacle.kind != .blocked {
            throw obstacle
        }
        guard let device = mirror.devices[key] else { throw BluetoothError(.peripheralGone) }
        let target = key.address.description
        call(.properties(of: BlueZ.device, at: key.path), deadline: settings.deadlines.operation) {
            [weak self] result in
            guard let self else { return }
            do throws(DBusError) {
                var details = PeripheralDetails()
                var rejected = 0
                _ = try result.get().read { (body) throws(DBusError) in
                    try PeripheralDetails.table.read(&body, into: &details, rejected: &rejected)
                }
                details.batteryLevel = device.battery.percentage.map(Int.init)
                details.isConnectedOverLE = device.bearers.lowEnergy?.isConnected
                guard details.isConnected == true else { return emitter.finish(details) }
                readMTU(of: device, details, emitter)
            } catch {
                // The device was removed before bluetoothd received the call.
                guard error.name != DBusError.Name.unknownObject else {
                    return emitter.fail(BluetoothError(.peripheralGone, operation: .readState, target: target))
                }
                emitter.fail(
                    cause(of: error)?.during(.readState, target)
                        ?? BluetoothError(error, operation: .readState, target: target))
            }
        }
    }

    /// Reads the MTU, which bluetoothd reports with each characteristic.
    private func readMTU(of device: DeviceRecord, _ details: PeripheralDetails, _ emitter: Emitter<PeripheralDetails>) {
        guard let characteristic = device.anyCharacteristic else { return readLink(to: device, details, emitter) }
        call(
            .property("MTU", of: BlueZ.characteristic, at: characteristic.path), deadline: settings.deadlines.cleanup
        ) { [weak self] result in
            var details = details
            let mtu = try? result.get().read { (body) throws(DBusError) in
                try body.variant { (value) throws(DBusError) in try value.uint16() }
            }
            details.mtu = mtu.map(Int.init)
            self?.readLink(to: device, details, emitter)
        }
    }

    /// Reads the facts of the link from the controller, which knows the links of all programs.
    private func readLink(
        to device: DeviceRecord, _ details: PeripheralDetails, _ emitter: Emitter<PeripheralDetails>
    ) {
        func finish(_ facts: LinkFacts) {
            var details = details
            details.link = facts
            if emitter.isActive { emitter.finish(details) }
        }
        guard let controller = settings.controller else {
            return finish(LinkFacts(unknownBecause: "the manager was made without a HostController"))
        }
        let limit = settings.deadlines.rssi
        let deadline = bus.schedule(after: limit) {
            finish(LinkFacts(unknownBecause: "the controller has not answered in time"))
        }
        let answer = bus.callback { (result: Result<LinkFacts, BluetoothError>) in
            deadline.cancel()
            switch result {
            case .success(let facts): finish(facts)
            case .failure(let error): finish(LinkFacts(unknownBecause: "of an error: \(error.kind.code)"))
            }
        }
        controller.readLink(
            to: device.address ?? device.key.address, on: "hci\(device.key.adapter)", deadline: limit, answer)
    }
}

extension DeviceRecord {
    /// The characteristic with the lowest handle; nil if there is none.
    fileprivate var anyCharacteristic: CharacteristicKey? {
        for (handle, service) in services.sorted(by: { $0.key < $1.key }) {
            guard let first = service.characteristics.keys.min() else { continue }
            return CharacteristicKey(device: key, service: handle, handle: first)
        }
        return nil
    }
}

extension PeripheralDetails {
    /// The properties of a device that bluetoothd reports.
    ///
    /// Source: BlueZ, `device-api.txt`.
    fileprivate static let table = PropertyTable<PeripheralDetails>([
        row("AddressType") { (value) throws(DBusError) in
            let kind = BluetoothAddress.Kind(rawValue: try value.string())
            return { $0.addressKind = kind }
        },
        row("Name", \.name) { (value) throws(DBusError) in try value.string() },
        row("Alias", \.alias) { (value) throws(DBusError) in try value.string() },
        row("Class", \.deviceClass) { (value) throws(DBusError) in try value.uint32() },
        row("Appearance", \.appearance) { (value) throws(DBusError) in try value.uint16() },
        row("Icon", \.icon) { (value) throws(DBusError) in try value.string() },
        row("Modalias", \.modalias) { (value) throws(DBusError) in try value.string() },
        row("Paired", \.isPaired) { (value) throws(DBusError) in try value.bool() },
        row("Bonded", \.isBonded) { (value) throws(DBusError) in try value.bool() },
        row("Trusted", \.isTrusted) { (value) throws(DBusError) in try value.bool() },
        row("Blocked", \.isBlocked) { (value) throws(DBusError) in try value.bool() },
        row("Connected", \.isConnected) { (value) throws(DBusError) in try value.bool() },
        row("ServicesResolved", \.areServicesResolved) { (value) throws(DBusError) in try value.bool() },
        row("LegacyPairing", \.usesLegacyPairing) { (value) throws(DBusError) in try value.bool() },
        row("WakeAllowed", \.isWakeAllowed) { (value) throws(DBusError) in try value.bool() },
        row("CablePairing", \.isCablePairing) { (value) throws(DBusError) in try value.bool() },
        row("PreferredBearer", \.preferredBearer) { (value) throws(DBusError) in try value.string() },
        row("AdvertisingData") { (value) throws(DBusError) in
            let data = try AdvertisedBytes<UInt8>.empty.updated(&value) { (type) throws(DBusError) in try type.byte() }
            return { $0.advertisingData = data.entries }
        },
        row("RSSI") { (value) throws(DBusError) in
            let rssi = try value.int16()
            // 0 and 127 mean that there is no RSSI (Q55).
            return { $0.rssi = rssi == 0 || rssi == 127 ? nil : Int(rssi) }
        },
        row("TxPower", \.txPowerLevel) { (value) throws(DBusError) in Int(try value.int16()) },
        row("AdvertisingFlags", \.flags) { (value) throws(DBusError) in try value.bytes() },
        row("UUIDs") { (value) throws(DBusError) in
            let services = try value.strings().compactMap { BluetoothUUID($0) }
            return { $0.services = services }
        },
        row("ManufacturerData") { (value) throws(DBusError) in
            let data = try AdvertisedBytes<UInt16>.empty.updated(&value) { (company) throws(DBusError) in
                try company.uint16()
            }
            return { $0.manufacturerData = data.entries }
        },
        row("ServiceData") { (value) throws(DBusError) in
            let data = try AdvertisedBytes<BluetoothUUID>.empty.updated(&value) { (uuid) throws(DBusError) in
                try uuid.withString { BluetoothUUID(bytes: $0) }
            }
            return { $0.serviceData = data.entries }
        },
    ])

    /// Makes a row from a function that reads the value and returns how to store it.
    private static func row(
        _ name: StaticString,
        _ read: @escaping @Sendable (inout MessageReader) throws(DBusError) -> (inout PeripheralDetails) -> Void
    ) -> PropertyTable<PeripheralDetails>.Row {
        .init(name, clear: { _ in }) { (details, value) throws(DBusError) in try read(&value)(&details) }
    }

    private static func row<Property>(
        _ name: StaticString, _ property: any WritableKeyPath<PeripheralDetails, Property?> & Sendable,
        _ read: @escaping @Sendable (inout MessageReader) throws(DBusError) -> Property
    ) -> PropertyTable<PeripheralDetails>.Row {
        .init(name, clear: { _ in }) { (details, value) throws(DBusError) in
            details[keyPath: property] = try read(&value)
        }
    }
}
