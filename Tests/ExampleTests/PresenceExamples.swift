import RxBluetooth
import RxBluetoothMocks
import Testing

/// Prints which peripherals come and go. A peripheral is lost after 10 s of silence.
func printPresence(with manager: BluetoothManager) -> any Disposable {
    manager.observePresence(options: ScanOptions(resumes: true)).subscribe(onNext: { change in
        switch change {
        case .found(let scanned): print("found", scanned.peripheral.address, scanned.rssi ?? 0)
        case .lost(let peripheral): print("lost", peripheral.address)
        }
    })
}

/// The addresses of the tags that are present, after each change.
func presentTags(with manager: BluetoothManager) -> Observable<Set<BluetoothAddress>> {
    let presence = PresenceOptions(silence: .seconds(30), includesConnected: true)
    return manager.observePresence(withServices: ["181A"], presence: presence)
        .scan(into: []) { tags, change in
            switch change {
            case .found(let scanned): tags.insert(scanned.peripheral.address)
            case .lost(let peripheral): tags.remove(peripheral.address)
            }
        }
}

/// Emits once when a known person's tag is back, after it was away.
func arrivals(of tag: BluetoothAddress, with manager: BluetoothManager) -> Observable<ScannedPeripheral> {
    let options = ScanOptions(resumes: true, filters: [ScanFilter(address: tag)])
    return manager.observePresence(options: options, silence: .seconds(60)).compactMap { change in
        if case .found(let scanned) = change { scanned } else { nil }
    }
}

/// Emits the address of each device that is silent for a minute. A failure of Bluetooth is no silence of a device.
func absences(with manager: BluetoothManager) -> Observable<BluetoothAddress> {
    manager.observePresence(options: ScanOptions(resumes: true), silence: .seconds(60))
        .withLatestFrom(manager.obstacle) { change, obstacle in
            guard case .lost(let peripheral) = change, obstacle == nil else { return nil }
            return peripheral.address
        }
        .compactMap { (address: BluetoothAddress?) in address }
}

struct PresenceExampleTests {
    @Test(arguments: [true, false])
    func `An absence is a silent peripheral, and not a failure of Bluetooth`(isFailure: Bool) {
        let stage = ExampleStage()
        let absent = stage.scheduler.createObserver(BluetoothAddress.self)
        let subscription = absences(with: stage.manager).subscribe(absent)
        stage.advance(2_000)
        if isFailure {
            stage.simulation.bluez.removeAdapter()
        } else {
            stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:02")
        }
        stage.advance(70_000)
        #expect(absent.events.compactMap(\.value.element) == (isFailure ? [] : ["C0:FF:EE:00:00:02"]))
        subscription.dispose()
    }

    @Test func `A peripheral that leaves is lost, and found again`() {
        let stage = ExampleStage()
        let tags = stage.scheduler.createObserver(Set<BluetoothAddress>.self)
        let back = stage.scheduler.createObserver(ScannedPeripheral.self)
        let subscriptions = CompositeDisposable(
            disposables: [
                printPresence(with: stage.manager), presentTags(with: stage.manager).subscribe(tags),
                arrivals(of: "C0:FF:EE:00:00:02", with: stage.manager).subscribe(back),
            ])
        stage.advance(2_000)
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:02")
        stage.advance(70_000)
        stage.simulation.bluez.setInRange(true, "C0:FF:EE:00:00:02")
        stage.advance(2_000)
        #expect(stage.lines.contains { $0.hasPrefix("found C0:FF:EE:00:00:02") })
        #expect(stage.lines.contains("lost C0:FF:EE:00:00:02"))
        #expect(tags.events.compactMap(\.value.element?.count) == [1, 0, 1])
        #expect(back.events.count == 2)
        subscriptions.dispose()
    }
}
