import RxBluetooth
import RxBluetoothMocks
import Testing

/// All sensors nearby, of any known format.
func printReadings(with manager: BluetoothManager) -> any Disposable {
    manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, resumes: true))
        .subscribe(onNext: { scanned in
            guard let reading = scanned.reading, !reading.isRepeated else { return }
            for measurement in reading.measurements { print(scanned.peripheral.address, measurement) }
            for event in reading.events { print(scanned.peripheral.address, event) }
        })
}

/// Each change of a sensor's measurements, also of formats without a packet counter.
func changedMeasurements(
    of sensor: BluetoothAddress, with manager: BluetoothManager
) -> Observable<[SensorMeasurement]> {
    let options = ScanOptions(allowsDuplicates: true, resumes: true, filters: [ScanFilter(address: sensor)])
    return manager.scanForPeripherals(options: options)
        .compactMap { $0.reading?.measurements }
        .distinctUntilChanged()
}

/// One format as its own type. Advertisements that cannot be decoded are omitted.
func temperatures(with manager: BluetoothManager) -> Observable<(BluetoothAddress, Double)> {
    manager.scan(for: RuuviTag.self, options: ScanOptions(resumes: true))
        .filter { !$0.reading.isRepeated }
        .compactMap { tag in tag.value.temperature.map { (tag.peripheral.address, $0) } }
}

/// Keys of devices that encrypt. `KeyStore(file:)` reads them from a file with mode 0600.
func keys() throws -> KeyStore {
    var keys = KeyStore()
    keys["54:48:E6:8F:80:A5"] = DeviceKey("231d39c1d7cc1ab1aee224cd096db932")
    return keys
}

/// Why a sensor has no values: a missing key, for example.
func printRefusals(of manager: BluetoothManager) -> any Disposable {
    manager.events.subscribe(onNext: { event in
        guard case .readingRefused(let peripheral, let failure) = event.kind else { return }
        print(peripheral.address, failure.reason)
    })
}

func describeSensor(_ scanned: ScannedPeripheral) -> String {
    if let failure = scanned.readingFailure { return "refused: \(failure)" }
    if let tag = scanned.value(as: RuuviTag.self) { return "tag at \(tag.temperature ?? .nan) °C" }
    return "formats: \(scanned.readings.map(\.format))"
}

struct SensorExampleTests {
    private let garden = "C0:FF:EE:00:00:41"

    private func stage(_ sensor: SimulatedSensor) -> ExampleStage {
        let scenario = Scenario {
            SimulatedPeripheral("Garden", address: garden) {
                SimulatedAdvertisement(sensor, every: .milliseconds(500), rssi: -60)
            }
        }
        return ExampleStage(scenario) { $0.keys = (try? keys()) ?? KeyStore() }
    }

    @Test func `Readings are printed with their units`() {
        let stage = stage(.ruuvi(temperature: 21.5, humidity: 40))
        let printing = printReadings(with: stage.manager)
        let tags = stage.scheduler.createObserver(String.self)
        let scan = temperatures(with: stage.manager).map { "\($0) \($1)" }.subscribe(tags)
        stage.advance(3_000)
        #expect(stage.lines.contains("C0:FF:EE:00:00:41 temperature 21.5 °C"))
        #expect(tags.events.first?.value.element == "C0:FF:EE:00:00:41 21.5")
        printing.dispose()
        scan.dispose()
    }

    @Test func `A missing key is the reason of a refusal`() throws {
        let stage = stage(.bthome(temperature: 21.5, key: DeviceKey("00112233445566778899aabbccddeeff")))
        let refusals = printRefusals(of: stage.manager)
        let results = stage.scheduler.createObserver(ScannedPeripheral.self)
        let scan = stage.manager.scanForPeripherals().subscribe(results)
        stage.advance(1_000)
        let scanned = try #require(results.events.first?.value.element)
        #expect(describeSensor(scanned).hasPrefix("refused: "))
        stage.advance(10)
        #expect(stage.lines.first?.hasPrefix("C0:FF:EE:00:00:41") == true)
        refusals.dispose()
        scan.dispose()
    }
}
