import RxBluetooth
import RxBluetoothMocks
import Testing

func printTree(of peripheral: Peripheral) async throws {
    for try await service in peripheral.discoverServices().values {
        print(service.isPrimary ? "service" : "secondary service", service.uuid, service.handle)
        for try await included in service.discoverIncludedServices().values { print("  includes", included.uuid) }
        for try await characteristic in service.discoverCharacteristics().values {
            print("  characteristic", characteristic.uuid, characteristic.handle, characteristic.properties.names)
            for try await descriptor in characteristic.discoverDescriptors().values {
                print("    descriptor", descriptor.uuid, try await descriptor.readValue().value)
            }
        }
    }
}

/// Writes with the type that the characteristic supports, and within its limit.
func send(_ command: [UInt8], to control: Characteristic) -> Completable {
    let type: Characteristic.WriteType = control.properties.contains(.write) ? .withResponse : .withoutResponse
    guard command.count <= control.peripheral.maximumWriteValueLength(for: type) else {
        return control.writeLongValue(command, type: type).ignoreElements().asCompletable()
    }
    return control.writeValue(command, type: type)
}

/// Writes a firmware image in parts, repeats a failed part twice, and prints the progress.
func writeFirmware(_ image: [UInt8], to target: Characteristic) -> Observable<Int> {
    target.writeLongValue(
        image, type: .withResponse, partLength: 128,
        retry: { failure in
            print("bytes", failure.offset, "to", failure.offset + failure.count, "failed:", failure.error.code)
            return failure.attempt < 3 ? .empty() : .error(failure.error)
        }
    )
    .map { progress in 100 * progress.written / progress.total }
}

/// Streams samples without response: the socket to bluetoothd has backpressure, and needs no call for each write.
func stream(_ samples: Observable<[UInt8]>, to target: Characteristic) -> Completable {
    target.acquireWrite(options: OperationOptions(deadline: .seconds(5)))
        .flatMap { writer in
            samples.concatMap { writer.write(Array($0.prefix(writer.maximumLength))) }.asCompletable()
                .andThen(Observable.just("the samples are written"))
        }
        .take(1)  // disposes of the subscription to acquireWrite, which releases the characteristic
        .ignoreElements().asCompletable()
}

/// Notifications at a high rate: over a socket if possible, and only the latest 100 values.
func fastValues(of characteristic: Characteristic) -> Observable<[UInt8]> {
    characteristic.observeValueUpdates(using: .automatic, buffer: ValueBuffer(capacity: 100, overflow: .dropOldest))
        .do(onDispose: { print("lost", characteristic.droppedValueCount) })
}

/// A command of the user overtakes the reads that wait, and gives up after two seconds.
func readNow(_ characteristic: Characteristic) -> Single<[UInt8]> {
    characteristic.readValue(options: OperationOptions(deadline: .seconds(2), priority: .high))
}

/// A request and its response, without another operation of this program in between.
func ask(_ question: [UInt8], of peripheral: Peripheral) async throws -> [UInt8] {
    let control = try await peripheral.characteristic("2A39").value
    let response = try await peripheral.characteristic("2A38").value
    return try await peripheral.exclusively { operations in
        try await operations.writeValue(question, for: control).value
        return try await operations.readValue(for: response).value
    }
}

/// Reads the temperature every 30 s, with a connection for each reading.
func temperatures(of thermometer: BluetoothAddress, with manager: BluetoothManager) -> Observable<Double> {
    Observable<Int>.timer(.seconds(0), period: .seconds(30), scheduler: MainScheduler.instance)
        .flatMapFirst { _ in
            manager.connect(to: thermometer, kind: .random)
                .flatMap { $0.read(Temperature.self) }
                .take(1)
                .catch { _ in .empty() }  // the next attempt follows after 30 s
        }
        .compactMap(\.celsius)
}

/// A type of your own: the characteristic is found by its UUID.
struct StrapSetting: CharacteristicValue {
    static let uuid: AttributeUUID = 0x2A39

    var number: UInt8

    init(_ number: UInt8) { self.number = number }

    init(decoding bytes: [UInt8]) throws(ValueDecodingError) {
        guard let first = bytes.first else {
            throw ValueDecodingError("Strap setting", .tooShort(needed: 1), bytes: bytes)
        }
        number = first
    }

    func encoded() throws(ValueEncodingError) -> [UInt8] { [number] }
}

func writeSetting(_ number: UInt8, to strap: Peripheral) async throws -> StrapSetting {
    try await strap.write(StrapSetting(number), in: "180D").value
    return try await strap.read(StrapSetting.self).value
}

/// Values that cannot be decoded are errors of the stream; this stream skips them.
func validValues<Value: CharacteristicValue>(_ type: Value.Type, of peripheral: Peripheral) -> Observable<Value> {
    peripheral.characteristic(BluetoothUUID(attribute: Value.uuid)).asObservable()
        .flatMap { $0.observeValueUpdates() }
        .compactMap { try? Value(decoding: $0) }
}

func validHeartRates(of strap: Peripheral) -> Observable<HeartRateMeasurement> {
    validValues(HeartRateMeasurement.self, of: strap)
}

/// The battery level every 10 s, across lost links.
func batteryLevels(
    of address: BluetoothAddress, with manager: BluetoothManager, on scheduler: any SchedulerType
) -> Observable<Double> {
    manager.connect(to: address, kind: .random, options: .reconnect())
        .flatMap { peripheral in
            Observable<Int>.timer(.seconds(0), period: .seconds(10), scheduler: scheduler)
                .flatMapFirst { _ in
                    peripheral.read(BatteryLevel.self).asObservable().catch { _ in .empty() }
                }
        }
        .map(\.percent)
}

struct ReadingAndWritingExampleTests {
    private func withStrap(_ work: @escaping @Sendable (Peripheral) async throws -> Void) async throws -> [String] {
        let stage = ExampleStage()
        let strap = try stage.find()
        try stage.run { try await strap.withConnection { try await work($0) } }
        return stage.lines
    }

    @Test func `A value is read every 10 s, except during an outage`() {
        let stage = ExampleStage()
        let levels = stage.scheduler.createObserver(Double.self)
        let subscription = batteryLevels(of: ExampleStage.strap, with: stage.manager, on: stage.scheduler)
            .subscribe(levels)
        stage.advance(25_000)
        #expect(levels.events.map(\.value.element) == [87, 87, 87])
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:01")
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        stage.advance(60_000)
        stage.simulation.bluez.setInRange(true, "C0:FF:EE:00:00:01")
        stage.advance(60_000)
        #expect((4...9).contains(levels.events.count))
        #expect(stage.simulation.recorder.count("GattCharacteristic1.ReadValue") <= 9)
        subscription.dispose()
    }

    @Test func `The tree of a peripheral is printed`() async throws {
        let lines = try await withStrap { try await printTree(of: $0) }
        #expect(lines.contains { $0.hasPrefix("service 180D") })
        #expect(lines.contains { $0.hasPrefix("    descriptor 2902") })
    }

    @Test func `Values are written, streamed and read back`() async throws {
        let lines = try await withStrap { strap in
            let control = try await strap.characteristic("2A39").value
            try await send([1], to: control).value
            try await send([UInt8](repeating: 2, count: 600), to: control).value
            for try await percent in writeFirmware([UInt8](repeating: 3, count: 256), to: control).values {
                print(percent)
            }
            try await stream(.from([[4], [5]]), to: control).value
            print(try await readNow(control).value, try await ask([6], of: strap))
            print(try await writeSetting(9, to: strap).number)
            let measurement = try await strap.characteristic("2A37").value
            for try await value in fastValues(of: measurement).take(1).values { print(value) }
            for try await heart in validHeartRates(of: strap).take(1).values { print(heart.beatsPerMinute) }
        }
        #expect(lines.first == "50" && lines.contains("9"))
    }
}
