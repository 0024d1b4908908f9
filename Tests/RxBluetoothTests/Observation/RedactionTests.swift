import Logging
import RxBluetooth
import RxBluetoothMocks
import Testing

/// Log lines name no device.
struct RedactionTests {
    private static let address = "C0:FF:EE:DE:AD:01"
    /// What comes from the air, in all the ways in which it could be written.
    private static let secrets = [
        "Zaphod", "C0:FF:EE", "C0_FF_EE", "c0:ff:ee", "C0FFEE", "00:1A:7D", "beef", "BEEF", "190, 239", "190,239",
        "FEED", "feed",
    ]

    private static let scenario = Scenario {
        SimulatedPeripheral("Zaphod", address: address) {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -50, name: "Zaphod", services: ["feed"], firstAfter: .zero)
            SimulatedService("feed") {
                SimulatedCharacteristic("fee1", .read([0xBE, 0xEF]), .write, .notify)
                SimulatedCharacteristic("fee2", .read { _ in .error(0x81) })
            }
        }
        Fault("Device1.Connect", calls: .only(1), .error("org.bluez.Error.Failed", "Zaphod at dev_C0_FF_EE_DE_AD_01"))
        Fault("Adapter1.StartDiscovery", calls: .only(1), .error("org.bluez.Error.InProgress", "C0:FF:EE:DE:AD:01"))
    }

    /// All that a manager does in its life, at a level of the log; gives the lines, and the events as text.
    private func lines(_ level: Logger.Level, _ contents: LogContents) -> (log: [String], events: [String]) {
        let stage = Stage(Self.scenario)
        let lines = KeptLog.Lines()
        let manager = BluetoothManager(
            bus: stage.simulation.connect(), scheduler: stage.scheduler, logger: KeptLog.logger(lines, level: level),
            logContents: contents)
        let events = stage.record(manager.events)
        let found = stage.record(manager.peripheral("C0:FF:EE:DE:AD:01"))
        stage.advance(2_000)
        guard let peripheral = found.elements.first else {
            Issue.record("It is not there.")
            return ([], [])
        }
        let refused = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(refused.kind == .connectFailed("Zaphod at dev_C0_FF_EE_DE_AD_01") || refused.kind == .bluez)
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0))))
        stage.advance(1_000)
        let characteristics = stage.record(
            peripheral.discoverServices(["FEED"]).flatMap { $0.discoverCharacteristics() })
        stage.advance(100)
        #expect(characteristics.elements.count == 2)
        let values = stage.record(characteristics.elements[0].observeValueUpdates())
        stage.advance(100)
        let done = [
            stage.record(characteristics.elements[0].readValue()),
            stage.record(characteristics.elements[1].readValue()),
        ]
        stage.simulation.bluez.notify([0xBE, 0xEF], from: Self.address, "fee1")
        stage.advance(1_000)
        #expect(done[0].elements == [[0xBE, 0xEF]] && done[1].kind == .attError && !values.elements.isEmpty)
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.advance(2_000)
        stage.simulation.bluez.crash()
        stage.advance(2_000)
        link.dispose()
        stage.advance(1_000)
        return (lines.all, events.elements.map(\.description))
    }

    @Test(arguments: Logger.Level.allCases)
    func `S84 By default no line at any level names a device or a value`(level: Logger.Level) {
        let (log, events) = lines(level, .redacted)
        for line in log + events {
            for word in Self.secrets { #expect(!line.contains(word), "\(line)") }
        }
        #expect(events.count > 20)
        switch level {
        case .trace:
            #expect(log.count > 20 && log.contains { $0.contains("device=1") && $0.contains("operation=read") })
        case .debug: #expect(log.count > 10)
        case .info: #expect(log.count > 2)
        case .notice, .warning, .error, .critical: #expect(log.isEmpty)
        }
    }

    @Test func `S84 On request lines name devices`() {
        let log = lines(.trace, .full).log
        #expect(log.contains { $0.contains("address=C0:FF:EE:DE:AD:01 “Zaphod”") })
        #expect(log.contains { $0.contains("target=FEE1 of C0:FF:EE:DE:AD:01") })
    }
}
