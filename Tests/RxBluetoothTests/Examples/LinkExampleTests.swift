import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

/// Accepts channels from devices, and emits the size of each packet that they send.
private func collectLogs(_ manager: BluetoothManager) -> Observable<Int> {
    manager.publishL2CAPChannel(options: L2CAPChannelOptions(receiveMTU: 512))
        .do(onNext: { listener in print("Devices can open channels on PSM \(listener.psm).") })
        .flatMap { $0.channels }
        .flatMap { channel in channel.received.map(\.count) }
}

/// Makes the link fast for a transfer, and prints what is known about it.
private func prepareTransfer(_ peripheral: Peripheral) -> Single<LinkFacts> {
    peripheral.requestConnectionParameters(.fast)
        // Without CAP_NET_ADMIN, the link keeps its timing.
        .catch { error in
            guard let error = error as? BluetoothError, error.kind == .unauthorized || error.kind == .unsupported
            else { throw error }
            return .empty()
        }
        .andThen(peripheral.readLinkFacts())
        .do(onSuccess: { facts in print("PHY: \(facts.phy); interval: \(facts.interval)") })
}

/// Reads a value over a link that stays open for the next program, and emits what bluetoothd knows about the device.
private func readAndKeep(_ peripheral: Peripheral) -> Observable<PeripheralDetails> {
    peripheral.connect(options: ConnectOptions(keepsLinkOpen: true))
        .flatMap { $0.discoverServices([0x180F]) }
        .flatMap { $0.discoverCharacteristics([0x2A19]) }
        .flatMap { $0.readValue() }
        .do(onNext: { value in print("Battery: \(value)") })
        .take(1)
        .flatMap { _ in peripheral.readDetails() }
}

/// Prints why Bluetooth cannot be used, for example because bluetoothd does not reply.
private func reportObstacles(_ manager: BluetoothManager) -> Observable<Never> {
    manager.obstacle.do(onNext: { error in print(error?.description ?? "Bluetooth can be used.") }).ignoreElements()
}

@Test func devicesSendTheirLogsOverChannels() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let sockets = SimulatedL2CAP()
    sockets.use(simulation)
    var configuration = BluetoothManager.Configuration(scheduler: scheduler)
    configuration.channels = sockets
    let manager = BluetoothManager(configuration: configuration, bus: simulation.connect())
    let sizes = scheduler.createObserver(Int.self)
    let subscription = collectLogs(manager).subscribe(sizes)
    scheduler.advanceBy(100)
    let packets = [[UInt8](repeating: 1, count: 20), [UInt8](repeating: 2, count: 300)]
    simulation.bluez.openChannel(.echo(), from: "C0:FF:EE:00:00:01", psm: 128, sending: packets)
    scheduler.advanceBy(1_000)
    #expect(sizes.events.compactMap(\.value.element) == [20, 300])
    subscription.dispose()
}

@Test func theFactsOfALinkAreReadBeforeATransfer() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let facts = scheduler.createObserver(LinkFacts.self)
    let subscription = manager.connect(to: "C0:FF:EE:00:00:01", kind: .random)
        .flatMap { prepareTransfer($0) }
        .subscribe(facts)
    scheduler.advanceBy(5_000)
    // A simulation has no kernel that could report the facts.
    #expect(facts.events.first?.value.element?.phy.value == nil && facts.events.count == 1)
    subscription.dispose()
}

@Test func theDetailsOfADeviceAreReadOverAKeptLink() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    let details = scheduler.createObserver(PeripheralDetails.self)
    let obstacles = reportObstacles(manager).subscribe()
    let subscription = manager.scanForPeripherals(withServices: [0x180F]).take(1)
        .flatMap { readAndKeep($0.peripheral) }
        .subscribe(details)
    scheduler.advanceBy(10_000)
    #expect(details.events.first?.value.element?.isConnected == true)
    #expect(!simulation.calls.contains { $0.member == "Disconnect" })
    subscription.dispose()
    obstacles.dispose()
}
