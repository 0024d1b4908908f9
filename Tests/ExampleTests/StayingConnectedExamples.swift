import RxBluetooth
import RxBluetoothMocks
import Testing

/// The temperatures of a sensor, across lost links, restarts of bluetoothd and adapters that are plugged in again.
func temperatures(of sensor: Peripheral) -> Observable<Double> {
    sensor.connect(options: .reconnect())
        .flatMap { $0.observe(Temperature.self) }
        .compactMap(\.celsius)
}

/// Gives up when the controller has no room, after 20 failures in a row, or after an hour without a link.
func patientReconnection() -> Reconnection {
    Reconnection(
        initialDelay: .milliseconds(500), maximumDelay: .seconds(10), jitter: 0.5, attempts: 20, limit: .seconds(3600),
        shouldGiveUp: { error in Reconnection.isFinal(error) || error.kind == .noFreeSlot })
}

/// Prints each connection and each loss with its reason.
func printConnections(of manager: BluetoothManager) -> any Disposable {
    manager.connectionChanges.subscribe(onNext: { change in
        print(change.peripheral.address, change.state)  // C0:FF:EE:00:00:01 disconnected: the link was lost
        if case .disconnected(let error?) = change.state, let advice = error.advice { print(advice) }
    })
}

/// Connects by address: the program does not scan, and the peripheral may come into range later.
func heartRates(of address: BluetoothAddress, with manager: BluetoothManager) -> Observable<HeartRateMeasurement> {
    manager.connect(to: address, kind: .random, options: .reconnect())
        .flatMap { $0.observe(HeartRateMeasurement.self) }
}

func printKnownPeripherals(of manager: BluetoothManager) async throws {
    let mine = try await manager.retrievePeripherals(withAddresses: ["C0:FF:EE:00:00:01"]).value
    let connected = try await manager.retrieveConnectedPeripherals(withServices: ["180D"]).value
    let stored = try await manager.knownPeripherals().value
    print(mine.count, connected.count, stored.count)
}

/// After a crash, for a gateway: uses the link of the previous run, and connects again after each loss.
func takeOverAndReconnect(_ strap: Peripheral) -> Observable<Peripheral> {
    strap.connect(options: ConnectOptions(existingLink: .takeOver, reconnection: Reconnection()))
}

/// After a crash, the link of the previous run may still exist: use it, and close it at the end.
func takeOver(_ strap: Peripheral) -> Observable<Peripheral> {
    strap.connect(options: ConnectOptions(existingLink: .takeOver))
}

/// Makes a fresh link, whichever program made the present one.
func replaceLink(of strap: Peripheral) -> Observable<Peripheral> {
    var options = ConnectOptions.reconnect(patientReconnection())
    options.existingLink = .replace
    return strap.connect(options: options)
}

func closeAllLinks(of manager: BluetoothManager) async throws {
    for peripheral in try await manager.retrieveConnectedPeripherals().value {
        try await peripheral.disconnect().value
    }
}

/// Ends all subscriptions, then waits until the links are closed and the scans are stopped.
func shutDown(_ manager: BluetoothManager, _ subscriptions: CompositeDisposable) async throws {
    subscriptions.dispose()
    try await manager.settled().value
    try await manager.close().value
}

struct StayingConnectedExampleTests {
    private let thermometer: BluetoothAddress = "C0:FF:EE:00:00:02"

    @Test func `Temperatures continue after a lost link`() async throws {
        let stage = ExampleStage()
        let sensor = try stage.find("181A")
        let log = printConnections(of: stage.manager)
        let values = stage.scheduler.createObserver(Double.self)
        let subscription = temperatures(of: sensor).subscribe(values)
        stage.advance(5_000)
        let before = values.events.count
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:02")
        stage.advance(10_000)
        #expect(before > 0 && values.events.count > before)
        #expect(values.events.first?.value.element == 23.5)
        let state = "C0:FF:EE:00:00:02 "
        let advice = "Connect again when the peripheral and the adapter are available."
        #expect(
            stage.lines == [
                state + "connecting", state + "connected", state + "disconnected: the link was lost", advice,
                state + "connecting", state + "connected",
            ])
        subscription.dispose()
        log.dispose()
    }

    @Test(arguments: [1, 20, 90, 300])
    func `A returned peripheral is connected within the longest delay`(absence: Int) async throws {
        let stage = ExampleStage()
        let sensor = try stage.find("181A")
        let values = stage.scheduler.createObserver(Double.self)
        let subscription = temperatures(of: sensor).subscribe(values)
        stage.advance(12_000)
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:02")
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:02")
        stage.advance(absence * 1000)
        let before = values.events.count
        stage.simulation.bluez.setInRange(true, "C0:FF:EE:00:00:02")
        stage.advance(30_000 + 2_000)  // maximumDelay, the interval of advertisements, and the link
        #expect(before > 0 && values.events.count > before)
        subscription.dispose()
    }

    @Test func `An address is connected without a scan of the program`() {
        let stage = ExampleStage()
        let beats = stage.scheduler.createObserver(HeartRateMeasurement.self)
        let subscription = heartRates(of: ExampleStage.strap, with: stage.manager).subscribe(beats)
        stage.advance(5_000)
        #expect(beats.events.count > 2)
        subscription.dispose()
    }

    @Test func `Links are listed, replaced and closed`() async throws {
        let stage = ExampleStage()
        let strap = try stage.find()
        let states = stage.scheduler.createObserver(ConnectionState.self)
        let observation = strap.connectionState.subscribe(states)
        let connection = replaceLink(of: strap).subscribe()
        stage.advance(1_000)
        try stage.run { [manager = stage.manager] in
            try await printKnownPeripherals(of: manager)
            try await closeAllLinks(of: manager)
        }
        #expect(stage.lines == ["1 1 1"])
        #expect(states.events.compactMap(\.value.element).contains(.connected))
        let error = states.events.last?.value.element
        #expect(error == .disconnected(BluetoothError(.disconnected(.requested), target: "C0:FF:EE:00:00:01")))
        let second = takeOver(strap).subscribe()
        stage.advance(1_000)
        let subscriptions = CompositeDisposable(disposables: [observation, connection, second])
        try stage.run { [manager = stage.manager] in try await shutDown(manager, subscriptions) }
        #expect(stage.simulation.recorder.count("Device1.Disconnect") == 2)
    }
}
