import DBus
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// A scan with packets does not subscribe to the properties of devices, as long as nothing else needs them.
struct DeviceSignalsTests {
    private static let sensor: BluetoothAddress = "C0:00:00:00:00:01"

    /// A manager that scans with packets on a simulation, and the signals that it receives.
    private struct Scanning {
        let stage: Stage
        let sockets: SimulatedSockets
        let bus: SignalCountingBus
        let manager: BluetoothManager
        let scan: Recording<ScannedPeripheral>
        let peripheral: Peripheral

        /// Starts the scan. Returns after the pause without need of device signals has ended.
        init() throws {
            sockets = SimulatedSockets()
            stage = Stage(Scenario(peripherals: [DeviceSignalsTests.described]), advertisements: SimulatedSockets())
            sockets.use(stage.simulation)
            bus = SignalCountingBus(stage.simulation.connect())
            var configuration = BluetoothManager.Configuration(scheduler: stage.scheduler, deadlines: .prompt)
            configuration.advertisements = sockets
            manager = BluetoothManager(configuration: configuration, bus: bus)
            scan = stage.record(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
            stage.advance(1_000)
            let before = bus.takeCount()
            stage.advance(5_000)
            peripheral = try #require(scan.elements.first?.peripheral)
            #expect(before > 0, "Before the pause, the signals are received.")
            _ = bus.takeCount()
        }

        /// Returns the number of signals and of packets in one second.
        func rates() -> (signals: Int, packets: Int) {
            let count = scan.elements.count
            stage.advance(1_000)
            return (bus.takeCount(), scan.elements.count - count)
        }

        /// Makes a manager of another program.
        func otherProgram() -> BluetoothManager {
            BluetoothManager(
                configuration: .init(scheduler: stage.scheduler, deadlines: .prompt), bus: stage.simulation.connect())
        }
    }

    private static var described: SimulatedPeripheral {
        SimulatedPeripheral("Sensor", address: "C0:00:00:00:00:01") {
            SimulatedAdvertisement(every: .milliseconds(400), rssi: -60, name: "Sensor", firstAfter: .zero)
            SimulatedService("180F") { SimulatedCharacteristic("2A19", .read([77])) }
        }
    }

    @Test(.proves(.S130)) func `Packets are received without the signals of devices`() throws {
        let scanning = try Scanning()
        let rates = scanning.rates()
        #expect(rates.signals == 0 && rates.packets >= 2)
        #expect(scanning.stage.count("GetManagedObjects") == 1)
    }

    @Test(.proves(.S130)) func `Connections are shown that another program made meanwhile`() throws {
        let scanning = try Scanning()
        let other = scanning.otherProgram()
        let link = scanning.stage.record(
            other.retrievePeripherals(withAddresses: [Self.sensor]).asObservable()
                .flatMap { $0.first.map { $0.connect() } ?? .empty() })
        scanning.stage.advance(2_000)
        #expect(link.elements.count == 1 && scanning.bus.takeCount() == 0)
        let connected = scanning.stage.record(scanning.manager.retrieveConnectedPeripherals())
        scanning.stage.advance(100)
        #expect(connected.elements == [[scanning.peripheral]])
        link.dispose()
        scanning.stage.advance(6_000)
        let after = scanning.stage.record(scanning.manager.retrieveConnectedPeripherals())
        scanning.stage.advance(100)
        #expect(after.elements == [[]])
    }

    @Test(.proves(.S130)) func `A connection has the signals that it needs, until it has ended`() throws {
        let scanning = try Scanning()
        let value = scanning.stage.record(
            scanning.peripheral.connect()
                .flatMap { $0.characteristic("2A19", in: "180F") }
                .flatMap { $0.readValue() })
        scanning.stage.advance(5_000)
        #expect(value.elements == [[77]] && scanning.bus.takeCount() > 0)
        scanning.stage.simulation.bluez.dropLink(to: "C0:00:00:00:00:01")
        scanning.stage.advance(1_000)
        #expect(value.error?.isLossOfLink == true)
        scanning.stage.advance(6_000)
        _ = scanning.bus.takeCount()
        #expect(scanning.rates().signals == 0)
    }

    @Test func `Presence that depends on connections needs the signals`() throws {
        let scanning = try Scanning()
        let presence = scanning.stage.record(scanning.manager.observePresence())
        scanning.stage.advance(7_000)
        #expect(scanning.rates().signals > 0)
        presence.dispose()
        let packets = scanning.stage.record(
            scanning.manager.observePresence(presence: PresenceOptions(includesConnected: false)))
        scanning.stage.advance(7_000)
        _ = scanning.bus.takeCount()
        #expect(scanning.rates().signals == 0 && packets.elements.count == 1)
    }

    @Test func `Bonds are shown as they are now`() throws {
        let scanning = try Scanning()
        let other = scanning.otherProgram()
        let pairing = scanning.stage.record(
            other.retrievePeripherals(withAddresses: [Self.sensor]).asObservable()
                .flatMap { $0.first.map { $0.pair().asObservable() } ?? .empty() })
        scanning.stage.advance(5_000)
        #expect(pairing.isCompleted && scanning.bus.takeCount() == 0)
        let bonded = scanning.stage.record(scanning.peripheral.isBonded)
        scanning.stage.advance(100)
        #expect(bonded.elements == [true])
    }

    @Test func `The name of a peripheral follows its packets`() throws {
        let scanning = try Scanning()
        #expect(scanning.peripheral.name == "Sensor")
        scanning.stage.simulation.bluez.advertise(
            SimulatedAdvertisement(every: .milliseconds(400), rssi: -60, name: "New", firstAfter: .zero),
            from: "C0:00:00:00:00:01")
        scanning.stage.advance(1_000)
        #expect(scanning.peripheral.name == "New" && scanning.bus.takeCount() == 0)
    }

    @Test func `A scan fails when its adapter is switched off`() throws {
        let scanning = try Scanning()
        scanning.stage.simulation.bluez.setPower(false)
        scanning.stage.advance(1_000)
        #expect(scanning.scan.error?.kind == .poweredOff)
    }

    @Test func `If the socket is closed, the signals are received again`() throws {
        let scanning = try Scanning()
        scanning.stage.simulation.bluez.closeManagementSockets()
        scanning.stage.advance(1_000)
        let rates = scanning.rates()
        #expect(rates.signals >= 2 && rates.packets >= 2)
    }

    @Test func `A scan over D-Bus begins with devices as they are now`() throws {
        let scanning = try Scanning()
        scanning.stage.simulation.bluez.advertise(
            SimulatedAdvertisement(every: .seconds(30), rssi: -60, manufacturerData: [1: [2]], firstAfter: .zero),
            from: "C0:00:00:00:00:01")
        scanning.stage.advance(1_000)
        var options = ScanOptions(allowsDuplicates: true, includesKnown: true)
        options.source = .dbus
        let known = scanning.stage.record(scanning.manager.scanForPeripherals(options: options))
        scanning.stage.advance(100)
        #expect(known.elements.map(\.advertisementData.manufacturerData) == [[1: [2]]])
    }

    @Test func `bluetoothd that restarts is followed again`() throws {
        let scanning = try Scanning()
        scanning.stage.simulation.bluez.crash()
        scanning.stage.advance(1_000)
        #expect(scanning.scan.error?.kind == .daemonUnavailable)
        scanning.stage.simulation.bluez.start()
        scanning.stage.advance(1_000)
        var options = ScanOptions(allowsDuplicates: true)
        options.source = .dbus
        let again = scanning.stage.record(scanning.manager.scanForPeripherals(options: options))
        scanning.stage.advance(1_000)
        #expect(again.elements.count >= 2 && scanning.bus.takeCount() >= 2)
    }

    @Test(.proves(.S130)) func `The loss of bluetoothd without the signals of devices does not start it again`() throws
    {
        let scanning = try Scanning()
        _ = scanning.bus.takeCalls()
        scanning.stage.simulation.bluez.crash()
        scanning.stage.advance(1_000)
        #expect(scanning.scan.error?.kind == .daemonUnavailable)
        #expect(scanning.bus.takeCalls() == [])
    }

    @Test func `An operation that waits for the devices fails if bluetoothd exits`() throws {
        let scanning = try Scanning()
        scanning.stage.simulation.bluez.add(Fault("GetManagedObjects", .never))
        let connection = scanning.stage.record(scanning.peripheral.connect())
        scanning.stage.advance(100)
        #expect(connection.isLive)
        scanning.stage.simulation.bluez.crash()
        scanning.stage.advance(1_000)
        #expect(connection.error?.kind == .daemonUnavailable)
    }

    @Test func `If the devices cannot be read, operations run, and reading is repeated`() throws {
        let scanning = try Scanning()
        scanning.stage.simulation.bluez.add(Fault("GetManagedObjects", .error("org.freedesktop.DBus.Error.Failed")))
        let connection = scanning.stage.record(scanning.peripheral.connect())
        scanning.stage.advance(4_000)
        #expect(connection.elements.count == 1 && connection.isLive)
        // The snapshot at the start, and attempts at once, after 1 s and after 3 s.
        #expect(scanning.stage.count("GetManagedObjects") == 4)
        scanning.stage.simulation.bluez.removeFaults()
        scanning.stage.advance(4_000)
        #expect(scanning.stage.count("GetManagedObjects") == 5)
        scanning.stage.advance(4_000)
        #expect(scanning.stage.count("GetManagedObjects") == 5)
    }

    @Test func `Closing the manager ends the wait for the devices`() throws {
        let scanning = try Scanning()
        scanning.stage.simulation.bluez.add(Fault("GetManagedObjects", .never))
        let connection = scanning.stage.record(scanning.peripheral.connect())
        scanning.stage.advance(100)
        let closed = scanning.stage.record(scanning.manager.close())
        scanning.stage.advance(5_000)
        #expect(connection.error?.kind == .closed && closed.isCompleted)
    }
}
