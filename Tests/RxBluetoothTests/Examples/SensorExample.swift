import RxBluetooth

func printTemperatures() async throws {
    let manager = BluetoothManager()
    for try await tag in manager.scan(for: RuuviTag.self).values {
        print(tag.peripheral.address, tag.value.temperature ?? .nan, "°C")
    }
}

func printHeartRate(of strap: Peripheral) async throws {
    print("battery:", try await strap.read(BatteryLevel.self).value.percent, "%")
    for try await heart in strap.observe(HeartRateMeasurement.self).values {
        print(heart.beatsPerMinute, "bpm")
    }
}
