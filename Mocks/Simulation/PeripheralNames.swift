import Rx

/// The peripherals and characteristics that callers of the simulation's controls may name. Thread-safe.
///
/// A control changes the simulation later, in the bus's context. With this table, a wrong name traps at once, at the
/// caller's line.
final class PeripheralNames: Sendable {
    private struct NamedPeripheral {
        var description: SimulatedPeripheral
        var present: String
        /// The number of characteristics of each UUID; nil until needed.
        var characteristics: [String: Int]?
    }

    private struct AddressTable {
        var entries: [NamedPeripheral] = []
        var byPresent: [String: Int] = [:]
        var byFirst: [String: Int] = [:]

        func index(of address: String) -> Int? {
            let address = address.uppercased()
            return byPresent[address] ?? byFirst[address]
        }

        mutating func add(_ peripheral: SimulatedPeripheral) -> Bool {
            guard byPresent.updateValue(entries.count, forKey: peripheral.address) == nil else { return false }
            if byFirst[peripheral.address] == nil { byFirst[peripheral.address] = entries.count }
            entries.append(NamedPeripheral(description: peripheral, present: peripheral.address))
            return true
        }
    }

    private let table = Guarded(AddressTable())

    init(_ scenario: Scenario) {
        for peripheral in scenario.peripherals { add(peripheral, #fileID, #line) }
    }

    /// Adds a peripheral.
    func add(_ peripheral: SimulatedPeripheral, _ file: StaticString, _ line: UInt) {
        peripheral.check(file, line)
        guard table.withLock({ $0.add(peripheral) }) else {
            fatalError("Two peripherals have the address \(peripheral.address).", file: file, line: line)
        }
    }

    /// Returns whether a peripheral has this address.
    func contains(_ address: String) -> Bool { table.withLock { $0.index(of: address) != nil } }

    /// Traps if no peripheral has this address.
    func check(_ address: String, _ file: StaticString, _ line: UInt) {
        _ = index(of: address, file, line)
    }

    /// Traps if a peripheral does not have this characteristic.
    func check(
        _ characteristic: String, index: Int, of address: String, _ file: StaticString, _ line: UInt
    ) {
        guard let uuid = FullUUID.text(characteristic) else {
            fatalError("“\(characteristic)” is not a UUID.", file: file, line: line)
        }
        let place = self.index(of: address, file, line)
        let (name, count) = table.withLock { table in
            let description = table.entries[place].description
            let counts = table.entries[place].characteristics ?? description.characteristicCounts
            table.entries[place].characteristics = counts
            return (description.name, counts[uuid] ?? 0)
        }
        guard (0..<count).contains(index) else {
            fatalError(
                "“\(name)” has \(count == 0 ? "no" : "only \(count)") characteristic \(characteristic)"
                    + (index == 0 ? "." : ", none with the index \(index)."), file: file, line: line)
        }
    }

    /// Replaces the services of a peripheral.
    func change(services: [SimulatedService], of address: String, _ file: StaticString, _ line: UInt) {
        let place = index(of: address, file, line)
        let description = table.withLock { table in
            table.entries[place].description.services = services
            table.entries[place].characteristics = nil
            return table.entries[place].description
        }
        description.check(file, line)
    }

    /// Changes the address of the peripheral with this index.
    func rotate(_ place: Int, to new: String, _ file: StaticString, _ line: UInt) {
        guard DeviceAddress(new, isRandom: true) != nil else {
            fatalError("“\(new)” is not a Bluetooth address.", file: file, line: line)
        }
        let isFree = table.withLock { table in
            guard table.byPresent[new, default: place] == place else { return false }
            table.byPresent[table.entries[place].present] = nil
            table.byPresent[new] = place
            table.entries[place].present = new
            return true
        }
        if !isFree { fatalError("Two peripherals have the address \(new).", file: file, line: line) }
    }

    /// Returns the index of the peripheral with this address. Traps if there is none.
    func index(of address: String, _ file: StaticString, _ line: UInt) -> Int {
        if let index = table.withLock({ $0.index(of: address) }) { return index }
        fatalError("No peripheral of this simulation has the address “\(address)”.", file: file, line: line)
    }
}

extension SimulatedPeripheral {
    /// Traps if an address or UUID is invalid, or if there are more attributes than handles.
    func check(_ file: StaticString, _ line: UInt) {
        func require(_ isValid: Bool, _ problem: @autoclosure () -> String) {
            if !isValid { fatalError("“\(name)” (\(address)): \(problem())", file: file, line: line) }
        }
        require(DeviceAddress(address, isRandom: true) != nil, "this is not a Bluetooth address.")
        let described =
            services.flatMap { service in
                [service.uuid] + service.includes
                    + service.characteristics.flatMap { [$0.uuid] + $0.descriptors.map(\.uuid) }
            } + (advertisement?.uuids ?? [])
        for uuid in described { require(FullUUID.text(uuid) != nil, "“\(uuid)” is not a UUID.") }
        let count = attributeCount
        require(
            count <= Self.mostAttributes,
            "its GATT server has \(count) attributes, and there are handles for \(Self.mostAttributes).")
    }

    fileprivate var characteristicCounts: [String: Int] {
        allServices.flatMap(\.characteristics).reduce(into: [:]) { $0[FullUUID.described($1.uuid), default: 0] += 1 }
    }
}

extension SimulatedAdvertisement {
    fileprivate var uuids: [String] { services + serviceData.keys }

    /// Traps if a UUID is invalid.
    func check(_ file: StaticString, _ line: UInt) {
        for uuid in uuids where FullUUID.text(uuid) == nil {
            fatalError("“\(uuid)” is not a UUID.", file: file, line: line)
        }
    }
}
