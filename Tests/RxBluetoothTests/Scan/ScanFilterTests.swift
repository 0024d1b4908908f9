import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct ScanFilterTests {
    private static let air: [SimulatedPeripheral] = [
        .beacon("C0:00:00:00:00:01", name: "Lamp", rssi: -40, services: ["feaa", "180f"]),
        .beacon(
            "C0:00:00:00:00:02", name: "Lamp 2", rssi: -80, services: ["feaa"], manufacturerData: [0x4C: [1, 2, 3]]),
        .beacon("C0:00:00:00:00:03", serviceData: ["feaa": [7, 8]]),
        .beacon("C0:00:00:00:00:04", manufacturerData: [0x4C: [0x12, 0x02], 0x59: []]),
    ]

    /// Returns the last digits of the addresses that pass the filters, sorted.
    private func heard(_ services: [BluetoothUUID] = [], _ filters: ScanFilter...) -> [Int] {
        let stage = Stage(with: Self.air)
        let scan = stage.record(
            stage.manager.scanForPeripherals(withServices: services, options: ScanOptions(filters: filters)))
        stage.advance(1_000)
        return Set(scan.elements.map { Int($0.peripheral.address.description.suffix(1)) ?? 0 }).sorted()
    }

    @Test(.proves(.S17)) func `A device passes if it matches every condition of at least one filter`() {
        #expect(heard() == [1, 2, 3, 4])
        #expect(heard([], ScanFilter()) == [1, 2, 3, 4])
        #expect(heard([], ScanFilter(services: [0xFEAA])) == [1, 2, 3])
        #expect(heard([], ScanFilter(services: [0xFEAA, 0x180F])) == [1])
        #expect(heard([], ScanFilter(name: .prefix("Lamp"), minimumRSSI: -60)) == [1])
        #expect(heard([], ScanFilter(address: "C0:00:00:00:00:04"), ScanFilter(services: [0x180F])) == [1, 4])
        #expect(heard([0x180F], ScanFilter(name: .prefix("Lamp"))) == [1])
        #expect(heard([0x180F, 0xFEAA], ScanFilter(name: .prefix("Lamp"))) == [1, 2])
        #expect(heard([], ScanFilter(services: [0x1234])).isEmpty)
    }

    @Test(.proves(.S18), .covers(.nameFilter)) func `A filter matches only advertised data, by exact name or prefix`() {
        #expect(heard([], ScanFilter(name: .exact("Lamp"))) == [1])
        #expect(heard([], ScanFilter(name: .prefix("Lamp"))) == [1, 2])
        #expect(heard([], ScanFilter(name: .exact("lamp"))).isEmpty)
        // A name filter matches only advertised names, not the alias that bluetoothd gives a device without a name.
        #expect(heard([], ScanFilter(name: .prefix(""))) == [1, 2])
        #expect(heard([], ScanFilter(name: .prefix("C0-00"))).isEmpty)
        #expect(heard([], ScanFilter(manufacturerData: [0x4C: .any])) == [2, 4])
        #expect(heard([], ScanFilter(manufacturerData: [0x59: .any])) == [4])
        #expect(heard([], ScanFilter(serviceData: [0xFEAA: .any])) == [3])
    }

    @Test(.proves(.S19), .covers(.dataFilter))
    func `A data pattern compares only masked bits, and longer data matches`() throws {
        func heard(_ bytes: [UInt8], _ mask: [UInt8]? = nil) throws -> [Int] {
            self.heard([], ScanFilter(manufacturerData: [0x4C: try DataPattern(bytes, mask: mask)]))
        }
        #expect(try heard([1, 2, 3]) == [2])
        #expect(try heard([1, 2]) == [2])
        #expect(try heard([1, 2, 3, 4]).isEmpty)
        #expect(try heard([0x02, 0x02], [0x0F, 0xFF]) == [4])
        #expect(try heard([0xFF, 0x02], [0x00, 0xFF]) == [2, 4])
        #expect(try heard([0xF1, 0x02], [0x01, 0xFF]) == [2])
        #expect(try heard([0x12, 0x02, 0xFF], [0xFF, 0xFF, 0x00]) == [4])
        #expect(try heard([0x12, 0x02, 0xFF], [0xFF, 0xFF, 0x01]).isEmpty)
        let serviceData = ScanFilter(serviceData: [0xFEAA: try DataPattern([7])])
        #expect(self.heard([], serviceData) == [3])
    }

    @Test(
        .proves(.S20),
        arguments: [([], nil), ([], [0xFF]), ([1, 2], [0xFF]), ([1], [0xFF, 0xFF]), ([1], [])] as [([UInt8], [UInt8]?)])
    func `A pattern that is empty or has a mask of another length is invalid`(
        bytes: [UInt8], mask: [UInt8]?
    ) {
        let error = #expect(throws: BluetoothError.self) { try DataPattern(bytes, mask: mask) }
        #expect(error?.kind == .invalidArgument)
    }

    @Test(.proves(.S17)) func `A device is emitted when it first matches the filter`() {
        let stage = Stage(with: [.beacon("C0:00:00:00:00:01", rssi: -80)])
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(filters: [ScanFilter(minimumRSSI: -60)])))
        stage.advance(1_000)
        #expect(scan.elements.isEmpty)
        stage.simulation.bluez.setStrength(-50, of: "C0:00:00:00:00:01")
        stage.advance(1_000)
        #expect(scan.elements.map(\.rssi) == [-50])
    }
}
