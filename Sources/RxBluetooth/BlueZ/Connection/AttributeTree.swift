/// The services, characteristics and descriptors of connected peripherals, from the mirror.
final class AttributeTree {
    private let links: Links
    private let mirror: ObjectMirror

    init(_ links: Links, _ mirror: ObjectMirror) {
        self.links = links
        self.mirror = mirror
    }

    func discoverServices(of peripheral: Peripheral, _ requested: [BluetoothUUID], _ emitter: Emitter<Service>) {
        let target = peripheral.address.description
        emitter.attempt(.discover, target) { () throws(BluetoothError) in
            let link = try links.live(peripheral.key)
            let stopWaiting = link.serviceDiscovery.wait { [weak self, weak link] error in
                guard let self, let link else { return }
                emitter.attempt(.discover, target) { () throws(BluetoothError) in
                    if let error { throw error }
                    for found in try select(services(over: link) { _ in true }, requested, \.uuid, of: peripheral) {
                        emitter.next(found)
                    }
                    emitter.complete()
                }
            }
            emitter.onEnd(stopWaiting)
        }
    }

    /// Emits the only characteristic with this UUID, as soon as the services are read.
    func findCharacteristic(
        _ uuid: BluetoothUUID, in service: BluetoothUUID?, of peripheral: Peripheral, _ emitter: Emitter<Characteristic>
    ) {
        let target = "the characteristic \(uuid) of \(peripheral.address)"
        emitter.attempt(.discover, target) { () throws(BluetoothError) in
            let link = try links.live(peripheral.key)
            let stopWaiting = link.serviceDiscovery.wait { [weak self, weak link] error in
                guard let self, let link else { return }
                emitter.attempt(.discover, target) { () throws(BluetoothError) in
                    if let error { throw error }
                    emitter.finish(try onlyCharacteristic(uuid, in: service, over: link))
                }
            }
            emitter.onEnd(stopWaiting)
        }
    }

    private func onlyCharacteristic(
        _ uuid: BluetoothUUID, in service: BluetoothUUID?, over link: Link
    ) throws(BluetoothError) -> Characteristic {
        let services = try select(
            services(over: link) { _ in true }, service.map { [$0] } ?? [], \.uuid, of: link.peripheral)
        var all: [Characteristic] = []
        for service in services { all += try characteristics(of: service, []) }
        let found = try select(all, [uuid], \.uuid, of: link.peripheral)
        guard found.count == 1 else {
            let places = found.map { "\(Hex.text($0.handle)) in service \($0.service.uuid)" }.joined(separator: ", ")
            throw BluetoothError(
                .invalidArgument, detail: "\(uuid) is not unique: there are the handles \(places)")
        }
        return found[0]
    }

    private func services(over link: Link, where isIncluded: (UInt16) -> Bool) -> [Service] {
        let all = mirror.devices[link.key]?.shownServices(by: link.client.version) ?? [:]
        return all.filter { isIncluded($0.key) }.sorted { $0.key < $1.key }.compactMap { handle, record in
            record.uuid.map {
                Service(
                    peripheral: link.peripheral, uuid: $0, handle: handle, isPrimary: record.isPrimary,
                    link: link.number, epoch: record.epoch)
            }
        }
    }

    /// Returns the requested attributes, or all attributes if none are requested.
    ///
    /// If none of the requested attributes exists, the error names them (S51).
    private func select<Attribute>(
        _ all: [Attribute], _ requested: [BluetoothUUID], _ uuid: (Attribute) -> BluetoothUUID,
        of peripheral: Peripheral
    ) throws(BluetoothError) -> [Attribute] {
        guard !requested.isEmpty else { return all }
        let found = all.filter { requested.contains(uuid($0)) }
        guard !found.isEmpty else {
            let names = requested.map(\.description).joined(separator: ", ")
            // The peripheral may have the attribute in a service that bluetoothd hides (Q122).
            let version = (try? links.live(peripheral.key))?.client.version
            let hidden = mirror.devices[peripheral.key]?.hiddenServices(version)
                .first { !$0.attributes.isDisjoint(with: requested) }
            throw BluetoothError(.attributeNotFound, detail: names + (hidden.map { "; \($0.reason)" } ?? ""))
        }
        return found
    }

    func characteristics(
        of service: Service, _ requested: [BluetoothUUID]
    ) throws(BluetoothError) -> [Characteristic] {
        let record = try record(of: service)
        let all = record.characteristics.sorted { $0.key < $1.key }.compactMap { handle, record in
            record.uuid.map {
                Characteristic(service: service, uuid: $0, handle: handle, properties: record.properties)
            }
        }
        return try select(all, requested, \.uuid, of: service.peripheral)
    }

    func includedServices(of service: Service, _ requested: [BluetoothUUID]) throws(BluetoothError) -> [Service] {
        let link = try links.live(service.peripheral.key, number: service.link)
        let included = try record(of: service).includes
        return try select(
            services(over: link) { included.contains($0) }, requested, \.uuid, of: service.peripheral)
    }

    func descriptors(of characteristic: Characteristic) throws(BluetoothError) -> [Descriptor] {
        let (_, record) = try find(characteristic)
        return record.descriptors.sorted { $0.key < $1.key }.compactMap { handle, record in
            record.uuid.map { Descriptor(characteristic: characteristic, uuid: $0, handle: handle) }
        }
    }

    /// Returns a characteristic's live link and record. Throws if the characteristic cannot be used.
    func find(_ characteristic: Characteristic) throws(BluetoothError) -> (Link, CharacteristicRecord) {
        let link = try links.live(characteristic.peripheral.key, number: characteristic.service.link)
        let record = current(characteristic.service)?.characteristics[characteristic.handle]
        // The UUID is compared, because another characteristic may have the same handle now.
        guard let record, record.uuid == characteristic.uuid else { throw Self.gone }
        return (link, record)
    }

    /// Throws if the descriptor cannot be used.
    func check(_ descriptor: Descriptor) throws(BluetoothError) {
        let (_, record) = try find(descriptor.characteristic)
        guard record.descriptors[descriptor.handle]?.uuid == descriptor.uuid else { throw Self.gone }
    }

    /// Returns why a characteristic cannot be used any more; nil if it can be used.
    func obstacle(to characteristic: Characteristic) -> BluetoothError? {
        do throws(BluetoothError) { _ = try find(characteristic) } catch { return error }
        return nil
    }

    /// Returns why a descriptor cannot be used any more; nil if it can be used.
    func obstacle(to descriptor: Descriptor) -> BluetoothError? {
        do throws(BluetoothError) { try check(descriptor) } catch { return error }
        return nil
    }

    private func record(of service: Service) throws(BluetoothError) -> ServiceRecord {
        _ = try links.live(service.peripheral.key, number: service.link)
        guard let record = current(service) else { throw Self.gone }
        return record
    }

    /// Returns the record of a service; nil if the service no longer exists.
    ///
    /// A service that replaced another one during a connection is a different service, even if it looks equal (S53).
    /// After a reconnection, an equal service is the same service when the services have been read again (S78).
    private func current(_ service: Service) -> ServiceRecord? {
        let device = mirror.devices[service.peripheral.key]
        let all = service.handle == ServiceRecord.reportedBatteryHandle ? device?.servicesWithBattery : device?.services
        guard let record = all?[service.handle], record.uuid == service.uuid,
            record.epoch == service.epoch || record.epoch == 0
        else { return nil }
        return record
    }

    /// The error of an attribute that the peripheral has removed during the connection (Q111).
    static let gone = BluetoothError(.attributeNotFound, detail: "The peripheral has changed its services")
}
