public import BluetoothValues

extension AdvertisementData {
    /// The parts of the advertisement that formats of sensors occupy, for a `SensorDecoder`.
    ///
    /// With ``rawData``, these are the sections of the latest packet, in its order. Otherwise they are all manufacturer
    /// data and service data that bluetoothd has merged. The manufacturer data that has changed last is the first, as
    /// far as it is known, and services are in the order of their UUIDs. Services without a 16-bit UUID are omitted,
    /// because no known format uses one.
    ///
    /// Some thermometers send a value in the place of the company identifier. bluetoothd then collects an entry for
    /// each value, of which only the newest counts. Earlier ones are omitted. If there are already several when the
    /// program starts, or if several change in one signal, the newest is not known, so all are omitted until one
    /// changes. bluetoothd sends no signal when a value returns that it has already collected, so a passive scan over
    /// D-Bus then still has the value before. The management socket as ``ScanSource`` has no such gap.
    public var sections: [AdvertisedSection] { sections(knowing: []) }

    /// Returns the sections, without earlier values in formats of the library and of the program.
    package func sections(knowing formats: [any AdvertisementFormat.Type]) -> [AdvertisedSection] {
        rawData == nil ? mergedSections(formats) : structures.compactMap(AdvertisedSection.init)
    }

    private func mergedSections(_ formats: [any AdvertisementFormat.Type]) -> [AdvertisedSection] {
        let (manufacturers, services) = storedEntries
        // Most devices send data of one company or of one service only, which needs no dictionaries.
        switch (manufacturers, services) {
        case (.empty, .empty): return []
        case (.one(let company, let bytes), .empty): return [.manufacturer(company, bytes)]
        case (.empty, .one(let service, let bytes)): return service.shortNumber.map { [.service($0, bytes)] } ?? []
        default: return mergedSections(manufacturers, services, formats)
        }
    }

    private func mergedSections(
        _ manufacturers: AdvertisedBytes<UInt16>, _ services: AdvertisedBytes<BluetoothUUID>,
        _ formats: [any AdvertisementFormat.Type]
    ) -> [AdvertisedSection] {
        let data = manufacturers.entries
        let companies = manufacturers.newestFirst ?? data.keys.sorted()
        let entries = companies.map { AdvertisedSection.manufacturer($0, data[$0] ?? []) }
        let newest = withoutEarlierValues(entries, formats) { manufacturers.lastChange(of: $0) }
        let others = services.entries.compactMap { service, bytes in
            service.shortNumber.map { AdvertisedSection.service($0, bytes) }
        }
        return newest + others.sorted { $0.identifier < $1.identifier }
    }

    /// Removes sections with a value in the place of the identifier, except for the newest one if it is known.
    private func withoutEarlierValues(
        _ sections: [AdvertisedSection], _ formats: [any AdvertisementFormat.Type], lastChange: (UInt16) -> Int
    ) -> [AdvertisedSection] {
        guard sections.count > 1 else { return sections }
        let name = localName
        let isMeasured = { (section: AdvertisedSection) -> Bool in
            if let own = formats.first(where: { $0.matches(section, name: name) }) { return own.hasMeasuredIdentifier }
            return SensorDecoder.format(of: section, name: name, among: sections)?.hasMeasuredIdentifier == true
        }
        let measured = sections.indices.filter { isMeasured(sections[$0]) }
        guard measured.count > 1, let newest = measured.first else { return sections }
        let last = lastChange(sections[newest].identifier)
        let isKnown = measured.dropFirst().allSatisfy { lastChange(sections[$0].identifier) < last }
        return sections.indices.filter { !measured.contains($0) || isKnown && $0 == newest }.map { sections[$0] }
    }
}

extension AdvertisedSection {
    /// Makes a section from an AD structure; nil if it is too short for its identifier.
    ///
    /// Source: Core Specification Supplement, Part A, 1.4 and 1.11.
    public init?(_ structure: ADStructure) {
        let bytes = structure.bytes
        switch structure.type {
        case 0xFF, 0x16:
            guard bytes.count >= 2 else { return nil }
            let identifier = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
            self.init(structure.type == 0xFF ? .manufacturer : .service, identifier, Array(bytes.dropFirst(2)))
        default: self = .structure(structure.type, bytes)
        }
    }
}

extension BluetoothUUID {
    /// Creates the UUID of a type of BluetoothValues, for example `BluetoothUUID(attribute: BatteryLevel.uuid)`.
    public init(attribute uuid: AttributeUUID) { self.init(high: uuid.high, low: uuid.low) }
}

extension SenderAddress {
    /// Makes the same address in the type that keys and decoders use.
    public init(_ address: BluetoothAddress) { self.init(address.number) }
}
