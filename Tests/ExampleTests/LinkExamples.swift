import RxBluetooth
import RxBluetoothMocks
import Testing

/// Prints the size of packets, and each change.
func printMTU(of peripheral: Peripheral) -> any Disposable {
    peripheral.observeMTU().subscribe(onNext: { mtu in
        print("MTU", mtu, "of at least", Peripheral.smallestMTU, "now", peripheral.mtu)
    })
}

/// Reads the RSSI of a link every five seconds. It needs a radio: a simulated bus has no controller.
func strengths(of peripheral: Peripheral, on scheduler: any SchedulerType) -> Observable<Int> {
    Observable<Int>.interval(.seconds(5), scheduler: scheduler)
        .flatMapLatest { _ in peripheral.readRSSI() }
}

func printFacts(of peripheral: Peripheral) async throws {
    let facts = try await peripheral.readLinkFacts().value
    print("role", facts.role, "PHY", facts.phy, "RSSI", facts.rssi.value ?? 0)
}

/// Faster packets for a transfer, and slower ones afterwards.
func transfer(_ work: Completable, over peripheral: Peripheral) -> Completable {
    peripheral.requestConnectionParameters(.fast)
        .andThen(work)
        .andThen(peripheral.requestConnectionParameters(.lowPower))
}

func printNameAndBattery(of peripheral: Peripheral) -> any Disposable {
    Observable.combineLatest(peripheral.observeName(), peripheral.observeBatteryLevel())
        .subscribe(onNext: { name, level in print(name ?? "no name", level, "%") })
}

/// After a firmware update: discovers again what the peripheral has replaced.
func services(of peripheral: Peripheral) -> Observable<[BluetoothUUID]> {
    peripheral.observeModifiedServices().map { _ in }.startWith(())
        .flatMapLatest { peripheral.discoverServices().map(\.uuid).toArray() }
}

/// If the new services do not appear: makes bluetoothd read them again at the next connection.
func readServicesAgain(of peripheral: Peripheral) -> Completable { peripheral.refreshServices() }

func describe(_ peripheral: Peripheral) -> String {
    let kind = peripheral.addressKind == .random ? "random" : "public"
    let adapter = peripheral.adapterName ?? "no adapter"
    return "\(peripheral.name ?? "no name") \(peripheral.address) (\(kind)) by \(adapter) "
        + "\(peripheral.adapterAddress?.description ?? "")"
}

struct LinkExampleTests {
    @Test func `The properties of a link are printed`() async throws {
        let stage = ExampleStage()
        let strap = try stage.find()
        let connection = strap.connect().subscribe()
        stage.advance(1_000)
        let printing = CompositeDisposable(disposables: [printMTU(of: strap), printNameAndBattery(of: strap)])
        let lists = stage.scheduler.createObserver([BluetoothUUID].self)
        let changes = services(of: strap).subscribe(lists)
        stage.advance(1_000)
        #expect(stage.lines.contains("MTU 517 of at least 23 now 517"))
        #expect(stage.lines.contains("Heart rate strap 87 %"))
        #expect(lists.events.first?.value.element?.contains("180D") == true)
        try stage.run { try await printFacts(of: strap) }
        #expect(throws: BluetoothError.self) {
            try stage.run { try await transfer(.empty(), over: strap).value }
        }
        let rssi = stage.scheduler.createObserver(Int.self)
        let reading = strengths(of: strap, on: stage.scheduler).subscribe(rssi)
        stage.advance(6_000)
        #expect((rssi.events.first?.value.error as? BluetoothError)?.kind == .unsupported)
        #expect(describe(strap) == "Heart rate strap C0:FF:EE:00:00:01 (random) by hci0 00:1A:7D:DA:71:01")
        try stage.run { try await readServicesAgain(of: strap).value }
        for subscription in [printing, changes, reading, connection] as [any Disposable] { subscription.dispose() }
    }
}
