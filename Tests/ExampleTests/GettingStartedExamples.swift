import RxBluetooth
import Testing

struct Program {
    static func main() async throws {
        try await printHeartRate(with: BluetoothManager())
    }
}

/// Waits for Bluetooth, finds a heart-rate strap, and prints what it measures.
func printHeartRate(with manager: BluetoothManager) async throws {
    try await manager.ready(within: .seconds(10)).value
    let found = try await manager.scanForPeripherals(withServices: ["180D"]).take(1).asSingle().value
    print("found", found.peripheral)
    try await found.peripheral.withConnection { strap in
        for try await heart in strap.observe(HeartRateMeasurement.self).take(3).values {
            print(heart.beatsPerMinute, "bpm")
        }
    }
    try await manager.close().value
}

func printStates(of manager: BluetoothManager) async throws {
    for try await state in manager.state.values {
        print(state)
        if state == .poweredOn { break }
    }
}

func printObstacle(of manager: BluetoothManager) async throws {
    do {
        try await manager.ready(within: .seconds(10)).value
    } catch let error as BluetoothError {
        print(error.summary)
        print(error.advice ?? "")
        print(try await manager.diagnose().value)
    }
}

func printNearbyStraps(with manager: BluetoothManager) async throws {
    let filter = ScanFilter(name: .prefix("Heart"), services: ["180D"], minimumRSSI: -80)
    let options = ScanOptions(filters: [filter])
    for try await found in manager.scanForPeripherals(options: options).take(1).values {
        print(found.advertisementData.localName ?? "", found.peripheral.address)
    }
}

func printServices(of strap: Peripheral) async throws {
    try await strap.withConnection { strap in
        for try await service in strap.discoverServices().values {
            print(service.uuid, service.uuid.name ?? "")
            for try await characteristic in service.discoverCharacteristics().values {
                print(" ", characteristic.uuid, characteristic.properties.names)
            }
        }
    }
}

func readWriteNotify(_ strap: Peripheral) async throws {
    try await strap.withConnection { strap in
        let location = try await strap.characteristic("2A38", in: "180D").value
        print("location", try await location.readValue().value)

        let control = try await strap.characteristic("2A39", in: "180D").value
        try await control.writeValue([1]).value

        let measurement = try await strap.characteristic("2A37", in: "180D").value
        for try await value in measurement.observeValueUpdates().take(2).values {
            print("notified", value)
        }
    }
}

/// The same as one stream. Disposing of the subscription disconnects, and stops the scan.
func heartRates(with manager: BluetoothManager) -> Observable<Double> {
    manager.ready(within: .seconds(10))
        .andThen(manager.scanForPeripherals(withServices: ["180D"]))
        .take(1)
        .flatMap { $0.peripheral.connect() }
        .flatMap { $0.observe(HeartRateMeasurement.self) }
        .map(\.beatsPerMinute)
}

struct GettingStartedTests {
    @Test func `The program prints three heart rates`() async throws {
        let stage = ExampleStage()
        try stage.run { [manager = stage.manager] in try await printHeartRate(with: manager) }
        #expect(
            stage.lines == [
                "found C0:FF:EE:00:00:01 “Heart rate strap”", "62.0 bpm", "63.0 bpm", "64.0 bpm",
            ])
    }

    @Test func `The steps print what the article says`() async throws {
        let stage = ExampleStage()
        try stage.run { [manager = stage.manager] in
            try await printStates(of: manager)
            try await printNearbyStraps(with: manager)
        }
        let strap = try stage.find()
        try stage.run { try await readWriteNotify(strap) }
        #expect(
            stage.lines == [
                "poweredOn", "Heart rate strap C0:FF:EE:00:00:01", "location [1]", "notified [0, 62]",
                "notified [0, 63]",
            ])
    }

    @Test func `The services are printed with their names and properties`() async throws {
        let stage = ExampleStage()
        let strap = try stage.find()
        try stage.run { try await printServices(of: strap) }
        #expect(stage.lines.contains("180D Heart Rate"))
        #expect(stage.lines.contains(#"  2A37 ["read", "notify"]"#))
    }

    @Test func `An adapter that is off is printed with advice`() async throws {
        let stage = ExampleStage()
        stage.simulation.bluez.setPower(false)
        try stage.run { [manager = stage.manager] in try await printObstacle(of: manager) }
        #expect(stage.lines.first?.contains("is off") == true)
        #expect(stage.lines.dropFirst().first == "Switch it on: bluetoothctl power on.")
    }

    @Test func `The stream emits heart rates until it is disposed of`() {
        let stage = ExampleStage()
        let rates = stage.scheduler.createObserver(Double.self)
        let subscription = heartRates(with: stage.manager).subscribe(rates)
        stage.advance(4_500)
        #expect(rates.events.compactMap(\.value.element).starts(with: [62, 63, 64]))
        subscription.dispose()
        stage.advance(3_000)
        #expect(stage.simulation.recorder.count("Device1.Disconnect") == 1)
    }
}
