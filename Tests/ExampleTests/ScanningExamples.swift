import RxBluetooth
import RxBluetoothMocks
import Testing

/// Near sensors of one manufacturer, or with one of two names. All conditions of a filter have to match.
func nearSensors() throws -> ScanOptions {
    let ours = ScanFilter(manufacturerData: [0x0499: try DataPattern([0x05], mask: [0x0F])], minimumRSSI: -70)
    let named = ScanFilter(name: .exact("Thermometer"), services: ["181A"])
    let door = ScanFilter(name: .prefix("Door"), serviceData: [:])
    return ScanOptions(filters: [ours, named, door])
}

/// A scan for a service that runs for weeks: it continues after interruptions, and restarts a silent controller.
func longScan(with manager: BluetoothManager) -> Observable<ScannedPeripheral> {
    let options = ScanOptions(
        allowsDuplicates: true, resumes: true, restartsAfterSilence: .seconds(60), buffer: .dropOldest(1_000))
    return manager.scanForPeripherals(withServices: ["181A"], options: options)
}

/// Starts with the devices that bluetoothd remembers; a cached device may be out of range.
func namesOfAll(with manager: BluetoothManager) -> Observable<String> {
    manager.scanForPeripherals(options: ScanOptions(includesKnown: true)).map { scanned in
        let name = scanned.advertisementData.localName ?? scanned.peripheral.name ?? "unknown"
        return scanned.isCached ? "\(name), cached" : "\(name), \(scanned.rssi ?? 0) dBm at \(scanned.timestamp)"
    }
}

func printAdvertisement(_ scanned: ScannedPeripheral) {
    let data = scanned.advertisementData
    print("name", data.localName ?? "", "services", data.serviceUUIDs)
    print("data of Ruuvi", data.manufacturerData(of: 0x0499) ?? [], "all", data.manufacturerData)
    print("data of 181A", data.serviceData(of: "181A") ?? [], "all", data.serviceData)
    print("power", data.txPowerLevel ?? 0, "appearance", data.appearance ?? 0, "flags", data.flags ?? [])
    print("connectable", data.isConnectable as Any, "packet", data.rawData ?? [], data.structures.map(\.type))
}

/// Listens without requests. bluetoothd needs `-E`; without it, the scan is an active one.
func passiveScan(with manager: BluetoothManager) -> Observable<ScannedPeripheral> {
    let patterns: [AdvertisementPattern] = [
        .manufacturerData(of: 0x0499, startingWith: [0x05]), .serviceData(of: "181A"),
        AdvertisementPattern(type: 0x09, bytes: Array("Door".utf8)),
    ]
    return manager.scanForPeripherals(options: ScanOptions(mode: .passive(patterns: patterns))).catch { error in
        guard (error as? BluetoothError)?.kind == .unsupported else { throw error }
        return manager.scanForPeripherals()
    }
}

/// Whether this manager scans, for an indicator in a user interface.
func printScanning(of manager: BluetoothManager) -> any Disposable {
    manager.isScanning.subscribe(onNext: { print($0 ? "scanning" : "not scanning") })
}

struct ScanningExampleTests {
    @Test func `Scans emit what their options select`() throws {
        let stage = ExampleStage()
        let near = stage.scheduler.createObserver(ScannedPeripheral.self)
        let all = stage.scheduler.createObserver(String.self)
        let long = stage.scheduler.createObserver(ScannedPeripheral.self)
        let passive = stage.scheduler.createObserver(ScannedPeripheral.self)
        let indicator = printScanning(of: stage.manager)
        let subscriptions = CompositeDisposable(
            disposables: [
                stage.manager.scanForPeripherals(options: try nearSensors()).subscribe(near),
                namesOfAll(with: stage.manager).subscribe(all), longScan(with: stage.manager).subscribe(long),
                passiveScan(with: stage.manager).subscribe(passive),
            ])
        stage.advance(2_000)
        let names = Set(near.events.compactMap { $0.value.element?.advertisementData.localName })
        #expect(names == ["Thermometer", "Door beacon"])
        #expect(all.events.count >= 5 && passive.events.count >= 1)
        #expect(long.events.count > 4)
        try printAdvertisement(#require(near.events.first?.value.element))
        subscriptions.dispose()
        stage.advance(2_000)
        indicator.dispose()
        #expect(stage.lines.filter { $0.hasSuffix("scanning") } == ["not scanning", "scanning", "not scanning"])
    }
}
