import Dispatch
import Glibc
import RxBluetooth
import RxBluetoothMocks
import Testing

/// Reports what tags advertise, the temperature of a connected thermometer, and which devices are present.
struct SensorGateway: Sendable {
    let manager: BluetoothManager
    let thermometer: BluetoothAddress
    var scheduler: any SchedulerType = MainScheduler.instance
    let report: @Sendable (String) -> Void

    /// Each part continues by itself after lost links, restarts of bluetoothd and adapters that are plugged in again.
    func start() -> any Disposable {
        let parts = [
            repeated("readings", readings), repeated("thermometer", temperatures), repeated("presence", presence),
            state,
        ]
        return CompositeDisposable(disposables: parts.map { $0.subscribe(onNext: report) })
    }

    /// Reports the error that ends a part, and starts the part again after a minute.
    private func repeated(_ name: String, _ lines: Observable<String>) -> Observable<String> {
        lines.do(onError: { report("\(name): \($0)") })
            .retry { (errors: Observable<any Error>) in
                errors.flatMap { _ in Observable<Int>.timer(.seconds(60), scheduler: scheduler) }
            }
    }

    private var readings: Observable<String> {
        manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, resumes: true))
            .compactMap { scanned in
                // Formats without a packet counter are never repeated: such a sensor is reported with each packet.
                guard let reading = scanned.reading, !reading.isRepeated, !reading.measurements.isEmpty else {
                    return nil
                }
                let values = reading.measurements.map { "\($0)" }.joined(separator: ", ")
                return "\(scanned.peripheral.address): \(values)"
            }
    }

    /// Connects again after each loss, and uses a link of an earlier run that has crashed.
    ///
    /// A connection stays with its adapter. After the limit, `repeated` connects with the adapter that is present then.
    private var options: ConnectOptions {
        ConnectOptions(existingLink: .takeOver, reconnection: Reconnection(limit: .seconds(600)))
    }

    private var temperatures: Observable<String> {
        manager.connect(to: thermometer, kind: .random, options: options)
            .flatMap { $0.observe(Temperature.self) }
            .map { "thermometer: \($0.celsius ?? .nan) °C" }
    }

    private var presence: Observable<String> {
        manager.observePresence(options: ScanOptions(resumes: true), silence: .seconds(30)).map { change in
            switch change {
            case .found(let scanned): "\(scanned.peripheral.address) is here"
            case .lost(let peripheral): "\(peripheral.address) is gone"
            }
        }
    }

    /// The state of Bluetooth. If Bluetooth cannot be used, the causes follow, the most likely one first.
    private var state: Observable<String> {
        manager.state.flatMapLatest { state in
            let line = Observable.just("Bluetooth: \(state.rawValue)")
            return state == .poweredOn ? line : line.concat(causes)
        }
    }

    private var causes: Observable<String> {
        manager.diagnose().asObservable()
            .flatMap { diagnosis in Observable.from(diagnosis.findings) }
            .map { finding in "\(finding.text) \(finding.advice ?? "")" }
            .catch { _ in .empty() }  // the manager was closed
    }
}

/// Returns when the program receives SIGINT (Ctrl-C) or SIGTERM (`systemctl stop`).
func waitForSignal() async {
    let (signals, received) = AsyncStream<Void>.makeStream()
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler { received.yield() }
        source.resume()
        return source
    }
    for await _ in signals { break }
    for source in sources { source.cancel() }
}

/// The main function of the gateway. At the end, all links are closed and all scans are stopped.
func runGateway() async throws {
    let manager = BluetoothManager()
    let gateway = SensorGateway(manager: manager, thermometer: "C0:FF:EE:00:00:02") { line in
        print(line)
        fflush(nil)  // standard output is buffered in a pipe and under systemd
    }
    let running = gateway.start()
    await waitForSignal()
    running.dispose()
    try await manager.settled().value
}

struct GatewayExampleTests {
    @Test func `The gateway reports three kinds of lines, and ends cleanly`() async throws {
        var scenario = Scenario.everyday
        scenario.peripherals.append(
            SimulatedPeripheral("Garden", address: "C0:FF:EE:00:00:41") {
                SimulatedAdvertisement(.ruuvi(temperature: 21.5), every: .seconds(1), rssi: -70)
            })
        let stage = ExampleStage(scenario)
        let running = SensorGateway(
            manager: stage.manager, thermometer: "C0:FF:EE:00:00:02", scheduler: stage.scheduler
        ) { print($0) }.start()
        stage.advance(5_000)
        stage.simulation.bluez.crash()
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:41")
        stage.advance(3_000)
        stage.simulation.bluez.start()
        stage.advance(40_000)
        #expect(stage.lines.contains("C0:FF:EE:00:00:41: temperature 21.5 °C"))
        #expect(stage.lines.contains("C0:FF:EE:00:00:41 is gone"))
        #expect(stage.lines.filter { $0 == "Bluetooth: powered-on" }.count == 2)
        #expect(stage.lines.last { $0.hasPrefix("thermometer: 23.5") } != nil)
        #expect(stage.lines.contains("bluetoothd is not running. Start it: sudo systemctl start bluetooth."))
        running.dispose()
        try stage.run { [manager = stage.manager] in try await manager.settled().value }
        #expect(stage.simulation.recorder.count("StopDiscovery") >= 1)
    }

    @Test func `A part that fails is reported, and begins again after a minute`() {
        let stage = ExampleStage()
        stage.simulation.bluez.add(
            Fault("StartDiscovery", calls: .only(1), .error("org.freedesktop.DBus.Error.AccessDenied", "Rejected")))
        let running = SensorGateway(
            manager: stage.manager, thermometer: "C0:FF:EE:00:00:02", scheduler: stage.scheduler
        ) { print($0) }.start()
        stage.advance(30_000)
        #expect(stage.lines.filter { $0.hasPrefix("readings: Scanning: this process is not allowed") }.count == 1)
        #expect(stage.lines.filter { $0.hasPrefix("presence: Scanning: this process is not allowed") }.count == 1)
        #expect(stage.lines.contains { $0.hasPrefix("thermometer: 23.5") })
        #expect(!stage.lines.contains { $0.hasSuffix("is here") })
        stage.advance(60_000)
        #expect(stage.lines.contains { $0.hasSuffix("is here") })
        running.dispose()
    }
}
