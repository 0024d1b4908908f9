import RxBluetooth

@main
enum HeartRateAsync {
    static func main() async {
        do {
            try await printHeartRate(with: BluetoothManager())
        } catch {
            print("failed: \(error)")
        }
    }

    static func printHeartRate(with manager: BluetoothManager) async throws {
        try await manager.ready(within: .seconds(10)).value
        let found = try await manager.scanForPeripherals(withServices: ["180D"]).take(1).asSingle().value
        try await found.peripheral.withConnection { strap in
            for try await heart in strap.observe(HeartRateMeasurement.self).take(5).values {
                print(heart.beatsPerMinute, "bpm")
            }
        }
        try await manager.close().value
    }
}
