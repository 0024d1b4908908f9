import Metrics
import RxBluetooth
import RxBluetoothMetrics
import RxBluetoothMocks
import Testing

/// Prints the events that usually explain a complaint about a gateway.
func printTrouble(of manager: BluetoothManager) -> any Disposable {
    manager.events.subscribe(onNext: { event in
        switch event.kind {
        case .reconnection(let peripheral, let error, let failures, let again):
            print(peripheral.address, error.code, "failures:", failures, "next attempt in", again)
        case .operationOverdue(let operation, let duration, _):
            print(operation.operation, "of", operation.target, "runs for", duration)
        case .valueDropped(let characteristic, let total): print(characteristic.uuid, "lost", total)
        default: print(event.number, event)  // the text of an event has no data of devices
        }
    })
}

/// Why does it not work? Bluetooth need not work for this.
func explain(_ manager: BluetoothManager) async throws {
    let diagnosis = try await manager.diagnose().value
    for finding in diagnosis.findings {
        print(finding.cause.rawValue, finding.text, finding.advice ?? "")
    }
    if diagnosis.cause.isObstacle { print("Bluetooth cannot be used") }
    for connection in diagnosis.connections {
        print(connection.peripheral.address, connection.step, connection.duration, connection.waiting)
    }
    for scan in diagnosis.scans { print(scan.adapter, scan.subscribers, scan.sinceAdvertisement ?? .zero) }
}

/// Prints the version of bluetoothd, also when another version replaces it.
func printVersions(of manager: BluetoothManager) -> any Disposable {
    manager.daemonVersion.compactMap { $0 }.subscribe(onNext: { print("BlueZ", $0) })
}

/// Sends the metrics of the manager to the backend of swift-metrics.
func record(_ manager: BluetoothManager, to backend: any MetricsFactory) -> any Disposable {
    let recording = manager.recordMetrics(to: backend)
    let results = manager.scanForPeripherals().countingScanResults(to: backend)
    return CompositeDisposable(recording, results.subscribe())
}

struct MonitoringExampleTests {
    @Test func `Events and a diagnosis describe a lost link`() async throws {
        let stage = ExampleStage()
        let events = printTrouble(of: stage.manager)
        let strap = try stage.find()
        let connection = strap.connect(options: .reconnect()).subscribe()
        stage.advance(1_000)
        stage.simulation.bluez.setInRange(false, "C0:FF:EE:00:00:01")
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        stage.advance(8_000)
        try stage.run { [manager = stage.manager] in try await explain(manager) }
        #expect(stage.lines.contains { $0.hasPrefix("C0:FF:EE:00:00:01 disconnected failures: 1") })
        #expect(stage.lines.contains { $0.hasPrefix("connecting ") })
        record(stage.manager, to: NOOPMetricsHandler.instance).dispose()
        events.dispose()
        connection.dispose()
    }
}
