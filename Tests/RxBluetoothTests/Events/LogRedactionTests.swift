import FoundationEssentials
import Logging
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// Log lines and events must not contain names, addresses and values of devices.
struct LogRedactionTests {
    private static let address = "C0:FF:EE:DE:AD:01"
    /// The names, addresses and values of the devices, in every notation that a log line could use.
    private static let secrets = [
        "Zaphod", "C0:FF:EE", "C0_FF_EE", "c0:ff:ee", "C0FFEE", "00:1A:7D", "beef", "BEEF", "190, 239", "190,239",
        "BE EF", "be ef", "FEED", "feed", "123456", "1e240", "1E240",
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
        // Error names with an address do not exist in bluetoothd now, but a later release may send some.
        Fault("AgentManager1.RegisterAgent", calls: .only(1), .error("org.bluez.Error.dev_C0_FF_EE_00_00_01"))
        Fault("GattCharacteristic1.StartNotify", calls: .only(1), .error("com.example.C0FFEEDEAD01"))
    }

    /// A device with the same name and address. It displays a passkey, and reads require pairing.
    private static let lock = SimulatedPeripheral("Zaphod", address: address) {
        SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Zaphod", firstAfter: .zero)
        SimulatedPairing(.passkeyShown(123_456))
        SimulatedService("feed") { SimulatedCharacteristic("fee1", .read([0xBE, 0xEF]), protection: .encryption) }
    }

    /// Uses every part of a manager. Returns the log lines of a level, and the events as text.
    private func lines(_ level: Logger.Level, _ contents: LogContents) -> (log: [String], events: [String]) {
        let stage = Stage(Self.scenario)
        let lines = KeptLog.Lines()
        let configuration = BluetoothManager.Configuration(
            scheduler: stage.scheduler, logger: KeptLog.logger(lines, level: level), logContents: contents)
        let manager = BluetoothManager(configuration: configuration, bus: stage.simulation.connect())
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
        let unheard = stage.record(characteristics.elements[0].observeValueUpdates())
        stage.advance(100)
        #expect(unheard.error?.dbusName == "com.example.C0FFEEDEAD01")
        let values = stage.record(characteristics.elements[0].observeValueUpdates())
        stage.advance(100)
        let written = stage.record(characteristics.elements[0].writeValue([0xBE, 0xEF]))
        let advertising = stage.record(
            manager.advertise(
                Advertisement(localName: "Zaphod", services: [0xFEED], manufacturerData: [0xBEEF: [0xBE, 0xEF]])))
        let done = [
            stage.record(characteristics.elements[0].readValue()),
            stage.record(characteristics.elements[1].readValue()),
        ]
        stage.simulation.bluez.notify([0xBE, 0xEF], from: Self.address, "fee1")
        stage.advance(1_000)
        #expect(done[0].elements == [[0xBE, 0xEF]] && done[1].kind == .attError && !values.elements.isEmpty)
        #expect(written.isCompleted && advertising.elements.count == 1)
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.advance(2_000)
        stage.simulation.bluez.crash()
        stage.advance(2_000)
        link.dispose()
        stage.advance(1_000)
        let paired = Pairing.allCases.flatMap { pair($0, KeptLog.logger(lines, level: level), contents) }
        return (lines.all, (events.elements + paired).map(\.description))
    }

    /// The ways in which a pairing can proceed.
    private enum Pairing: CaseIterable {
        case refused, unanswered, answered, answeredByPolicy

        var policy: PairingPolicy {
            switch self {
            case .refused: PairingPolicy(.refuse)
            case .unanswered, .answered: PairingPolicy(.ask)
            case .answeredByPolicy: PairingPolicy(.passkey(123_456))
            }
        }
    }

    /// Runs one pairing in this way, and returns the events.
    private func pair(_ pairing: Pairing, _ logger: Logger, _ contents: LogContents) -> [BluetoothEvent] {
        let stage = Stage(with: [Self.lock])
        let configuration = BluetoothManager.Configuration(
            scheduler: stage.scheduler, pairing: pairing.policy, logger: logger, logContents: contents)
        let manager = BluetoothManager(configuration: configuration, bus: stage.simulation.connect())
        let events = stage.record(manager.events)
        let found = stage.record(manager.peripheral("C0:FF:EE:DE:AD:01"))
        stage.advance(2_000)
        guard let peripheral = found.elements.first else {
            Issue.record("It is not there.")
            return []
        }
        let requests = pairing == .answered ? stage.record(manager.pairingRequests) : nil
        let done =
            pairing == .refused
            ? stage.record(
                peripheral.connect().flatMap { $0.discoverServices(["FEED"]) }.flatMap { $0.discoverCharacteristics() }
                    .flatMap { $0.readValue() }.ignoreElements().asCompletable())
            : stage.record(peripheral.pair())
        stage.advance(1_000)
        _ = try? requests?.elements.first?.answer(.passkey(123_456))
        stage.advance(4_000)
        let told = events.elements.map(\.kind)
        switch pairing {
        case .refused:
            #expect(done.error?.kind == .needsPairing)
            #expect(told.contains(.pairingAnswered(peripheral, isAccepted: false)))
        case .unanswered: #expect(told.contains(.pairingUnanswered(peripheral)) && done.error != nil)
        case .answered: #expect(told.contains(.paired(peripheral)) && requests?.elements.count == 1)
        case .answeredByPolicy: #expect(told.contains(.pairingAnswered(peripheral, isAccepted: true)))
        }
        return events.elements
    }

    @Test(.proves(.S84), arguments: Logger.Level.allCases)
    func `By default, no log line or event contains a device or a value`(level: Logger.Level) {
        let (log, events) = lines(level, .redacted)
        for line in log + events {
            for word in Self.secrets { #expect(!line.contains(word), "\(line)") }
        }
        #expect(events.count > 20)
        switch level {
        case .trace:
            #expect(log.count > 20 && log.contains { $0.contains("device=1") && $0.contains("operation=read") })
            #expect(log.contains { $0.contains("operation=write") })
            #expect(log.contains { $0.contains("operation=notify") && $0.contains("name=withheld") })
        case .debug: #expect(log.count > 10)
        case .info: #expect(log.count > 2)
        case .notice, .warning, .error, .critical: #expect(log.isEmpty)
        }
    }

    @Test(.proves(.S84)) func `With full log contents, lines name devices`() {
        let log = lines(.trace, .full).log
        #expect(log.contains { $0.contains("address=C0:FF:EE:DE:AD:01 “Zaphod”") })
        #expect(log.contains { $0.contains("target=FEE1 of C0:FF:EE:DE:AD:01") })
        #expect(log.contains { $0.contains("name=com.example.C0FFEEDEAD01") })
    }

    @Test(
        .proves(.S84),
        arguments: [
            ("org.bluez.Error.InProgress", true), ("org.freedesktop.DBus.Error.NoReply", true),
            ("org.freedesktop.DBus.Error.Spawn.ExecFailed", true), ("org.bluez.Error.dev_C0_FF_EE_DE_AD_01", false),
            ("org.bluez.Error.C0FFEEDEAD01", false), ("org.bluez.Error.At.Zaphod", false), ("org.bluez.Error.", false),
            ("com.example.Error.Zaphod", false), ("Zaphod", false), ("", false),
        ])
    func `Error names outside the known names of BlueZ and D-Bus are withheld`(
        name: String, isTold: Bool
    ) {
        let event = BluetoothEvent(
            number: 1, time: .distantPast, kind: .scanEnded(adapter: "hci0", BluetoothError(.bluez, dbusName: name)))
        #expect(event.description.hasSuffix(isTold ? "name=\(name)" : "name=withheld"))
    }
}
