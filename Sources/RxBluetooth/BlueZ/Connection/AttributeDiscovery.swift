/// What a connected peripheral has, told from the mirror.
extension BlueZClient {
    func discoverServices(of peripheral: Peripheral, _ wanted: [BluetoothUUID], _ emitter: Emitter<Service>) {
        let target = peripheral.address.description
        do throws(BluetoothError) {
            let link = try link(peripheral.key)
            let giveUp = link.serviceDiscovery.wait { [unowned self, unowned link] error in
                if let error { return emitter.fail(error.during(.discover, target)) }
                deliver(services(over: link) { _ in true }, wanted, \.uuid, emitter, target)
            }
            emitter.onEnd(giveUp)
        } catch {
            emitter.fail(error.during(.discover, target))
        }
    }

    private func services(over link: Link, where isWanted: (UInt16) -> Bool) -> [Service] {
        let all = devices[link.key]?.services ?? [:]
        return all.filter { isWanted($0.key) }.sorted { $0.key < $1.key }.compactMap { handle, record in
            record.uuid.map {
                Service(
                    peripheral: link.peripheral, uuid: $0, handle: handle, isPrimary: record.isPrimary,
                    link: link.number, epoch: record.epoch)
            }
        }
    }

    private func deliver<Attribute: Sendable>(
        _ all: [Attribute], _ wanted: [BluetoothUUID], _ uuid: (Attribute) -> BluetoothUUID,
        _ emitter: Emitter<Attribute>, _ target: String
    ) {
        do throws(BluetoothError) {
            for found in try Self.select(all, wanted, uuid) { emitter.next(found) }
            emitter.complete()
        } catch {
            emitter.fail(error.during(.discover, target))
        }
    }

    /// Those that were asked for. Nothing of what was asked for is an error that names it (S51).
    private static func select<Attribute>(
        _ all: [Attribute], _ wanted: [BluetoothUUID], _ uuid: (Attribute) -> BluetoothUUID
    ) throws(BluetoothError) -> [Attribute] {
        guard !wanted.isEmpty else { return all }
        let found = all.filter { wanted.contains(uuid($0)) }
        guard !found.isEmpty else {
            let names = wanted.map(\.description).joined(separator: ", ")
            // Every peripheral has the GAP service, and bluetoothd does not show it (Q122).
            let isGAP = !BlueZ.gapAttributes.isDisjoint(with: wanted)
            let reason = isGAP ? "; bluetoothd keeps the GAP service (1800) to itself, and tells the device's name" : ""
            throw BluetoothError(.attributeNotFound, dbusMessage: names + reason)
        }
        return found
    }

    func characteristics(of service: Service, _ wanted: [BluetoothUUID]) throws(BluetoothError) -> [Characteristic] {
        let record = try record(of: service)
        let all = record.characteristics.sorted { $0.key < $1.key }.compactMap { handle, record in
            record.uuid.map {
                Characteristic(service: service, uuid: $0, handle: handle, properties: record.properties)
            }
        }
        return try Self.select(all, wanted, \.uuid)
    }

    func includedServices(of service: Service, _ wanted: [BluetoothUUID]) throws(BluetoothError) -> [Service] {
        let link = try link(service.peripheral.key, number: service.link)
        let included = try record(of: service).includes
        return try Self.select(services(over: link) { included.contains($0) }, wanted, \.uuid)
    }

    private func record(of service: Service) throws(BluetoothError) -> ServiceRecord {
        _ = try link(service.peripheral.key, number: service.link)
        guard let record = current(service) else { throw Self.gone }
        return record
    }

    /// A service that came in the place of another while the link was up is not that one, whatever it looks like (S53). Over a
    /// connection that is made again, what looks like it when the services have been read anew is (S78).
    private func current(_ service: Service) -> ServiceRecord? {
        guard let record = devices[service.peripheral.key]?.services[service.handle], record.uuid == service.uuid,
            record.epoch == service.epoch || record.epoch == 0
        else { return nil }
        return record
    }

    func descriptors(of characteristic: Characteristic) throws(BluetoothError) -> [Descriptor] {
        _ = try link(characteristic.peripheral.key, number: characteristic.service.link)
        guard let record = record(of: characteristic) else { throw Self.gone }
        return record.descriptors.sorted { $0.key < $1.key }.compactMap { handle, record in
            record.uuid.map { Descriptor(characteristic: characteristic, uuid: $0, handle: handle) }
        }
    }

    /// Nil where it is gone, also where another characteristic has its handle now.
    func record(of characteristic: Characteristic) -> CharacteristicRecord? {
        let record = current(characteristic.service)?.characteristics[characteristic.handle]
        return record?.uuid == characteristic.uuid ? record : nil
    }

    func record(_ key: CharacteristicKey) -> CharacteristicRecord? {
        devices[key.device]?.services[key.service]?.characteristics[key.handle]
    }

    /// The peripheral has taken the attribute away while connected (Q111).
    static let gone = BluetoothError(.attributeNotFound, dbusMessage: "The peripheral has changed its services")
}
