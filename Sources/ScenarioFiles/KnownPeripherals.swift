import RxBluetoothMocks

/// The peripherals, characteristics and addresses that events of a file may name.
struct KnownPeripherals {
    /// Every address in use.
    var addresses: Set<String>
    /// The UUIDs of each peripheral's characteristics, including those of services that events add.
    private(set) var characteristics: [String: Set<String>] = [:]
    private let peripherals: [String: SimulatedPeripheral]

    init(_ peripherals: [SimulatedPeripheral]) {
        addresses = Set(peripherals.map(\.address))
        self.peripherals = Dictionary(uniqueKeysWithValues: peripherals.map { ($0.address, $0) })
        for peripheral in peripherals {
            // Adds Device Name, Appearance and Service Changed, which every simulated peripheral has.
            characteristics[peripheral.address] = Set(["2a00", "2a01", "2a05"].map(FullUUID.described))
            add(peripheral.services, of: peripheral.address)
        }
    }

    /// Returns the peripheral with an address; a new peripheral if none has the address.
    func peripheral(_ address: String) -> SimulatedPeripheral {
        peripherals[address] ?? SimulatedPeripheral(address, address: address)
    }

    mutating func add(_ services: [SimulatedService], of address: String) {
        let new = services.flatMap(\.characteristics).map { FullUUID.described($0.uuid) }
        characteristics[address, default: []].formUnion(new)
    }

    func has(_ uuid: String, of address: String) -> Bool {
        characteristics[address]?.contains(FullUUID.described(uuid)) == true
    }
}
