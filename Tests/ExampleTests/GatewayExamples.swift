import Dispatch
import Glibc
import RxBluetooth
import RxBluetoothMocks
import Testing

/// Reports what tags advertise, the temperature of a connected thermometer, and which devices are present.
struct SensorGateway: Sendable {
    let manager: BluetoothManager
    let thermometer: BluetoothAddress
    let report: @Sendable (String) -> Void

    /// Each part continues by itself after lost links, restarts of bluetoothd and adapters that are plugged in again.
    func start() -> any Disposable {
        CompositeDisposable(
            disposables: [readings, temperatures, presence, state].map { $0.subscribe(onNext: report) })
    }

    private var readings: Observable<String> {
        manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, resumes: true))
            .compactMap { scanned in
                guard let reading = scanned.reading, !reading.isRepeated, !reading.measurements.isEmpty else {
                    return nil
                }
                let values = reading.measurements.map { "\($0)" }.joined(separator: ", ")
                return "\(scanned.peripheral.address): \(values)"
            }
    }

    private var temperatures: Observable<String> {
        manager.connect(to: thermometer, kind: .random, options: .reconnect())
            .flatMap { $0.observe(Temperature.self) }
            .map { "thermometer: \($0.celsius ?? .nan) °C" }
            .catch { error in .just("thermometer: \(error)") }  // for example, its bond is lost
    }

    private var presence: Observable<String> {
        manager.observePresence(options: ScanOptions(resumes: true), silence: .seconds(30)).map { change in
            switch change {
            case .found(let scanned): "\(scanned.peripheral.address) is here"
            case .lost(let peripheral): "\(peripheral.address) is gone"
            }
        }
    }

    private var state: Observable<String> { manager.state.map { "Bluetooth: \($0.rawValue)" } }
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
        let running = SensorGateway(manager: stage.manager, thermometer: "C0:FF:EE:00:00:02") { print($0) }.start()
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
        running.dispose()
        try await stage.run { [manager = stage.manager] in try await manager.settled().value }
        #expect(stage.simulation.recorder.count("StopDiscovery") >= 1)
    }
}
