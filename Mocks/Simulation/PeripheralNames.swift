import Rx

/// The peripherals and characteristics that callers of the simulation's controls may name. Thread-safe.
///
/// A control changes the simulation later, in the bus's context. With this table, a wrong name is reported at once, at
/// the caller's line: to the function of the simulation, or to the running test. If there is neither, it traps.
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
            guard byPresent[peripheral.address] == nil else { return false }
            byPresent[peripheral.address] = entries.count
            if byFirst[peripheral.address] == nil { byFirst[peripheral.address] = entries.count }
            entries.append(NamedPeripheral(description: peripheral, present: peripheral.address))
            return true
        }
    }

    private let table = Guarded(AddressTable())
    private let report: Guarded<(@Sendable (SimulationMistake) -> Void)?>

    init(reportingTo report: (@Sendable (SimulationMistake) -> Void)?) {
        self.report = Guarded(report)
    }

    /// Adds a peripheral. Returns false after a mistake.
    func add(_ peripheral: SimulatedPeripheral, _ file: StaticString, _ line: UInt) -> Bool {
        if let problem = peripheral.problem {
            fail(problem, file, line)
            return false
        }
        let isNew = table.withLock { $0.add(peripheral) }
        if !isNew { fail("Two peripherals have the address \(peripheral.address).", file, line) }
        return isNew
    }

    func reportMistakes(to report: @escaping @Sendable (SimulationMistake) -> Void) {
        self.report.withLock { $0 = report }
    }

    /// Reports a mistake. Traps if nothing receives it.
    func fail(_ text: String, _ file: StaticString, _ line: UInt) {
        guard let report = report.withLock({ $0 }) else { return SimulationMistake.record(text, file, line) }
        report(SimulationMistake(description: text, fileID: "\(file)", line: Int(line)))
    }

    /// Returns whether a peripheral has this address.
    func contains(_ address: String) -> Bool { table.withLock { $0.index(of: address) != nil } }

    /// Returns whether a peripheral has this address, and reports the mistake otherwise.
    func check(_ address: String, _ file: StaticString, _ line: UInt) -> Bool {
        index(of: address, file, line) != nil
    }

    /// Returns whether the UUIDs of an advertisement are valid, and reports the mistake otherwise.
    func check(_ advertisement: SimulatedAdvertisement?, _ file: StaticString, _ line: UInt) -> Bool {
        guard let wrong = advertisement?.uuids.first(where: { FullUUID.text($0) == nil }) else { return true }
        fail("“\(wrong)” is not a UUID.", file, line)
        return false
    }

    /// Returns whether a peripheral has this characteristic, and reports the mistake otherwise.
    func check(
        _ characteristic: String, index: Int, of address: String, _ file: StaticString, _ line: UInt
    ) -> Bool {
        guard let uuid = FullUUID.text(characteristic) else {
            fail("“\(characteristic)” is not a UUID.", file, line)
            return false
        }
        guard let place = self.index(of: address, file, line) else { return false }
        let (name, count) = table.withLock { table in
            let description = table.entries[place].description
            let counts = table.entries[place].characteristics ?? description.characteristicCounts
            table.entries[place].characteristics = counts
            return (description.name, counts[uuid] ?? 0)
        }
        let hasCharacteristic = (0..<count).contains(index)
        if !hasCharacteristic {
            fail(
                "“\(name)” has \(count == 0 ? "no" : "only \(count)") characteristic \(characteristic)"
                    + (index == 0 ? "." : ", none with the index \(index)."), file, line)
        }
        return hasCharacteristic
    }

    /// Replaces the services of a peripheral. Returns false after a mistake.
    func change(services: [SimulatedService], of address: String, _ file: StaticString, _ line: UInt) -> Bool {
        guard let place = index(of: address, file, line) else { return false }
        var description = table.withLock { $0.entries[place].description }
        description.services = services
        if let problem = description.problem {
            fail(problem, file, line)
            return false
        }
        table.withLock { table in
            table.entries[place].description.services = services
            table.entries[place].characteristics = nil
        }
        return true
    }

    /// Changes the address of the peripheral with this index. Returns false after a mistake.
    func rotate(_ place: Int, to new: String, _ file: StaticString, _ line: UInt) -> Bool {
        guard DeviceAddress(new, isRandom: true) != nil else {
            fail("“\(new)” is not a Bluetooth address.", file, line)
            return false
        }
        let isFree = table.withLock { table in
            guard table.byPresent[new, default: place] == place else { return false }
            table.byPresent[table.entries[place].present] = nil
            table.byPresent[new] = place
            table.entries[place].present = new
            return true
        }
        if !isFree { fail("Two peripherals have the address \(new).", file, line) }
        return isFree
    }

    /// Returns the index of the peripheral with this address, or reports that there is none.
    func index(of address: String, _ file: StaticString, _ line: UInt) -> Int? {
        if let index = table.withLock({ $0.index(of: address) }) { return index }
        fail("No peripheral of this simulation has the address “\(address)”.", file, line)
        return nil
    }
}

extension SimulatedPeripheral {
    /// An invalid address or UUID, or more attributes than handles, in one sentence; nil if all are valid.
    fileprivate var problem: String? { cause.map { "“\(name)” (\(address)): \($0)" } }

    private var cause: String? {
        if DeviceAddress(address, isRandom: true) == nil { return "this is not a Bluetooth address." }
        var described: [String] = []
        for service in services {
            described.append(service.uuid)
            described += service.includes
            for characteristic in service.characteristics {
                described.append(characteristic.uuid)
                described += characteristic.descriptors.map(\.uuid)
            }
        }
        described += advertisement?.uuids ?? []
        if let wrong = described.first(where: { FullUUID.text($0) == nil }) { return "“\(wrong)” is not a UUID." }
        let count = attributeCount
        guard count > Self.mostAttributes else { return nil }
        return "its GATT server has \(count) attributes, and there are handles for \(Self.mostAttributes)."
    }

    fileprivate var characteristicCounts: [String: Int] {
        allServices.flatMap(\.characteristics).reduce(into: [:]) { $0[FullUUID.described($1.uuid), default: 0] += 1 }
    }
}

extension SimulatedAdvertisement {
    fileprivate var uuids: [String] { services + serviceData.keys }
}
