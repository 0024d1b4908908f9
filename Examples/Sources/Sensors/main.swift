import RxBluetooth

// Prints the temperature of each RuuviTag, until Ctrl-C. The values have types and units; there are no bytes to decode.
let manager = BluetoothManager()
do {
    try await manager.ready(within: .seconds(10)).value
    for try await tag in manager.scan(for: RuuviTag.self, options: ScanOptions(allowsDuplicates: true)).values {
        print(tag.peripheral.address, tag.value.temperature ?? .nan, "°C", tag.value.humidity ?? .nan, "%")
    }
} catch {
    print("failed: \(error)")
}
