import RxBluetooth
import RxBluetoothMocks
import Testing

/// Reads the model and the battery level. The link is closed when the closure ends, also after an error.
func readModelAndLevel(of peripheral: Peripheral) async throws -> (model: String, level: Double) {
    try await peripheral.withConnection { peripheral in
        let model = try await peripheral.characteristic("2A24", in: "180A").value.readValue().value
        let level = try await peripheral.read(BatteryLevel.self).value
        return (String(decoding: model, as: UTF8.self), level.percent)
    }
}

/// Three sensors at a time: the first error cancels the other tasks, and all links are closed.
func collect(_ sensors: [Peripheral], count: Int) async throws -> [Double] {
    try await withThrowingTaskGroup(of: [Double].self) { group in
        for sensor in sensors {
            group.addTask {
                try await sensor.withConnection(options: .reconnect()) { sensor in
                    var values: [Double] = []
                    for try await value in sensor.observe(Temperature.self).take(count).values {
                        values.append(value.celsius ?? .nan)
                    }
                    return values
                }
            }
        }
        return try await group.reduce(into: []) { $0 += $1 }
    }
}

/// Measures until the task is cancelled. Cancelling disposes of the subscriptions, and closes the link.
func startMeasuring(_ strap: Peripheral) -> Task<Void, any Error> {
    Task {
        try await strap.withConnection { strap in
            for try await heart in strap.observe(HeartRateMeasurement.self).values { print(heart.beatsPerMinute) }
        }
    }
}

/// Waits for the first peripheral with a name, for at most ten seconds.
func find(_ name: String, with manager: BluetoothManager) async throws -> Peripheral {
    let options = ScanOptions(filters: [ScanFilter(name: .exact(name))])
    return try await manager.scanForPeripherals(options: options)
        .map(\.peripheral)
        .take(1)
        .timeout(.seconds(10), scheduler: MainScheduler.instance)
        .asSingle().value
}

/// Keeps only the newest element if the loop is slower than the stream.
func printStrength(with manager: BluetoothManager) async throws {
    let results = manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))
    for try await found in results.values(bufferingPolicy: .bufferingNewest(1)) {
        print(found.peripheral.address, found.rssi ?? 0)
        if found.peripheral.address == "C0:FF:EE:00:00:05" { break }
    }
}

struct AsyncExampleTests {
    @Test func `Values are read during a connection`() async throws {
        let stage = ExampleStage()
        let strap = try stage.find()
        let (model, level) = try stage.run { try await readModelAndLevel(of: strap) }
        #expect(model == "Strap 2" && level == 87)
        #expect(stage.simulation.recorder.count("Device1.Disconnect") == 1)
    }

    @Test func `Several sensors are read at a time`() async throws {
        let stage = ExampleStage()
        let sensor = try stage.find("181A")
        let values = try stage.run { try await collect([sensor], count: 2) }
        #expect(values == [23.5, 23.51] || values.count == 2)
    }

    @Test func `A cancelled measurement disconnects`() async throws {
        let stage = ExampleStage()
        let strap = try stage.find()
        let task = startMeasuring(strap)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await stage.end(of: task) }
        #expect(stage.simulation.bluez.calls.map(\.member).filter { $0 == "Connect" }.count <= 1)
    }

    @Test(.timeLimit(.minutes(5))) func `A loop keeps the newest results`() async throws {
        let stage = ExampleStage()
        try stage.run { [manager = stage.manager] in
            try await printStrength(with: manager)
            _ = try await find("Twin sensor", with: manager)
        }
        #expect(stage.lines.last?.hasPrefix("C0:FF:EE:00:00:05") == true)
    }
}
