import RxBluetooth
import RxBluetoothMocks
import Testing

func printAdapters(of manager: BluetoothManager) -> any Disposable {
    manager.adapters.subscribe(onNext: { adapters in
        for adapter in adapters {
            print(adapter.name, adapter.address?.description ?? "", adapter.alias, adapter.isPowered ? "on" : "off")
            if !adapter.isCentral { print("  cannot scan and connect") }
            if adapter.isDiscovering { print("  a program scans with it") }
            if adapter.isSelected { print("  this manager uses it:", adapter.number) }
        }
    })
}

/// Scans with one adapter, and connects with another. Both share the bus, the deadlines and the log.
func scanAndConnect(with manager: BluetoothManager) -> Observable<HeartRateMeasurement> {
    let scanner = manager.using(.number(1))
    let connector = manager.using(.address("00:1A:7D:DA:71:01"))
    return scanner.scanForPeripherals(withServices: ["180D"])
        .take(1)
        .flatMap { found in
            connector.connect(to: found.peripheral.address, kind: found.peripheral.addressKind ?? .random)
        }
        .flatMap { $0.observe(HeartRateMeasurement.self) }
}

/// Switches the adapter on and names it.
func prepareAdapter(of manager: BluetoothManager) async throws {
    try await manager.setPowered(true).value
    try await manager.setAlias("kitchen").value
}

func printPower(of manager: BluetoothManager) -> any Disposable {
    manager.adapterPower.subscribe(onNext: { power in
        print(power.adapterName ?? "no adapter", power.state?.rawValue ?? "unknown", power.failure?.summary ?? "")
    })
}

struct SeveralAdapterExampleTests {
    @Test func `One adapter scans and the other one connects`() async throws {
        var scenario = Scenario.everyday
        scenario.adapters = [
            SimulatedAdapter(address: "00:1A:7D:DA:71:01", powered: false),
            SimulatedAdapter(address: "00:1A:7D:DA:71:02"),
        ]
        let stage = ExampleStage(scenario) { $0.adapter = .named("hci0") }
        let printing = CompositeDisposable(
            disposables: [printAdapters(of: stage.manager), printPower(of: stage.manager)])
        try stage.run { [manager = stage.manager] in try await prepareAdapter(of: manager) }
        let beats = stage.scheduler.createObserver(HeartRateMeasurement.self)
        let subscription = scanAndConnect(with: stage.manager).subscribe(beats)
        stage.advance(5_000)
        #expect(beats.events.count > 2)
        #expect(stage.lines.contains("hci0 00:1A:7D:DA:71:01 kitchen on"))
        #expect(stage.lines.contains("hci0 off "))
        printing.dispose()
        subscription.dispose()
    }
}
