import Logging
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

struct LogTests {
    /// A session in which nearly everything happens, with a logger of this level; what was logged.
    private func log(at level: Logger.Level) -> [String] {
        let notebook = Notebook()
        var logger = Logger(label: "test") { _ in Memory(notebook: notebook) }
        logger.logLevel = level
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Ground.simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: scheduler)
        let manager = BluetoothManager(bus: simulation.connect(), scheduler: scheduler, logger: logger)
        let refusal = Fault(
            "Device1.Connect", at: "*", calls: .first(1), .error("org.bluez.Error.Failed", "le-connection-refused"))
        simulation.bluez.add(refusal)
        let values = Recording(
            manager.scanForPeripherals().take(1)
                .flatMap { $0.peripheral.connect() }.retry(2)
                .flatMap { $0.discoverServices([Sensor.service]) }
                .flatMap { $0.discoverCharacteristics([Sensor.value, Sensor.notifying]) }
                .flatMap { characteristic in
                    characteristic.properties.contains(.notify)
                        ? characteristic.observeValueUpdates() : characteristic.readValue().asObservable()
                }, scheduler)
        scheduler.advanceBy(3_000)
        simulation.bluez.notify([0xC0, 0xDE], from: Sensor.text, "fff2")
        scheduler.advanceBy(10)
        #expect(values.elements.contains([0xC0, 0xDE]))
        simulation.bluez.setPower(false)
        scheduler.advanceBy(1_000)
        #expect(values.kind == .disconnected(.adapter))
        simulation.bluez.crash()
        scheduler.advanceBy(1_000)
        if Ground.isPrivateBus { simulation.bus.shutDown() }
        return notebook.lines
    }

    @Test func `S84 No address, name or value comes into the log, at any level`() {
        let lines = log(at: .trace)
        #expect(lines.count > 5)
        let secrets = [
            "C0:FF:EE", "C0_FF_EE", "c0:ff:ee", "c0ffee", "00:00:21", "Sensor", "c0de", "C0DE", "192, 222", "fff2",
            "FFF2",
        ]
        for line in lines {
            for secret in secrets where line.contains(secret) { Issue.record("\(secret) stands in the log: \(line)") }
        }
    }

    @Test func `S84 A level that is off is not even asked`() {
        #expect(log(at: .warning).isEmpty)
        let everything = log(at: .trace)
        let some = log(at: .info)
        #expect(!some.isEmpty && some.count < everything.count)
        #expect(some.allSatisfy { $0.hasPrefix("info") })
    }
}

/// Keeps what is logged.
private struct Memory: LogHandler {
    let notebook: Notebook
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(notebook: Notebook) { self.notebook = notebook }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        notebook.note("\(event.level) \(event.message) \(event.metadata ?? [:])")
    }
}
