import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Connections and notifications during and after an outage of Bluetooth.
struct OutageTests {
    /// Returns a peripheral that notifies a counter ten times a second.
    static func ticker() -> SimulatedPeripheral {
        SimulatedPeripheral("Ticker", address: Sensor.text) {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -50, name: "Ticker", services: ["fff0"], firstAfter: .zero)
            SimulatedService("fff0") {
                SimulatedCharacteristic(
                    "fff2", .read([7]), .notify(every: .milliseconds(100)) { [UInt8($0 & 0xFF)] })
            }
        }
    }

    enum Outage: CaseIterable {
        case crash, power, blocked, replug, suspend, link

        /// Begins the outage. Returns the reason with which streams without recovery fail.
        func begin(_ bluez: SimulatedBlueZ) -> BluetoothError.DisconnectReason {
            switch self {
            case .crash: bluez.crash()
            case .power: bluez.setPower(false)
            case .blocked: bluez.setBlocked(true)
            case .replug: bluez.removeAdapter(0)
            // Suspending removes the adapter, as on some computers (Q34).
            case .suspend:
                bluez.dropLink(to: Sensor.text, reason: .suspend)
                bluez.removeAdapter(0)
            case .link: bluez.dropLink(to: Sensor.text)
            }
            return switch self {
            case .crash: .daemon
            case .power, .blocked, .replug, .suspend: .adapter
            case .link: Ground.signalsReasons ? .remote : .unknown
            }
        }

        func end(_ bluez: SimulatedBlueZ) {
            switch self {
            case .crash: bluez.start()
            case .power: bluez.setPower(true)
            case .blocked: bluez.setBlocked(false)
            // The adapter returns with another number (Q28).
            case .replug: bluez.addAdapter(as: 2)
            case .suspend: bluez.addAdapter(as: 0)
            case .link: break
            }
        }
    }

    @Test(.proves(.S78, .S79), .covers(.resumingNotifications), arguments: Outage.allCases)
    func `Notifications continue after an outage with one StartNotify`(outage: Outage) {
        let stage = Stage(with: [Self.ticker()], deadlines: Deadlines())
        let peripheral = stage.find(Sensor.address)
        let values = stage.manager.peripheral(Sensor.address)
            .flatMap { $0.connect(options: .reconnect()) }
            .flatMap { $0.discoverServices([Sensor.service]) }
            .flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
            .flatMap { characteristic in
                Observable<[UInt8]>.merge([characteristic.observeValueUpdates(), characteristic.observeValueUpdates()])
            }
        let stream = stage.record(values)
        let states = stage.record(peripheral.connectionState)
        stage.advance(15_000)
        #expect(stream.elements.count > 200)
        stage.simulation.bluez.forgetCalls()
        let reason = outage.begin(stage.simulation.bluez)
        // Waits 260 ms, because a loss is reported after 250 ms, when a late reason can have arrived.
        stage.advance(260)
        #expect(states.elements.last == .lost(.disconnected(reason)))
        let before = stream.elements.count
        if outage != .link {
            stage.advance(60_000)
            #expect(stream.elements.count == before)
        }
        outage.end(stage.simulation.bluez)
        stage.advance(5_000)
        #expect(stream.isLive)
        #expect(stream.elements.count > before + 40)
        #expect(stage.count("StartNotify") == 1)
        #expect(stage.count("Connect") == 1)
        #expect(states.elements.last == .connected)
        stream.dispose()
        let told = stream.times.count
        stage.advance(10_000)
        #expect(stream.times.count == told)
        #expect(!stage.isLinked(outage == .replug ? "/org/bluez/hci2/dev_C0_FF_EE_00_00_21" : Sensor.path))
        stage.expectSettled()
    }

    @Test(.proves(.S59), arguments: Outage.allCases)
    func `Without reconnection, link and notifications fail with one typed reason`(outage: Outage) {
        let stage = Stage(with: [Self.ticker()], deadlines: Deadlines())
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(1_000)
        let reason = outage.begin(stage.simulation.bluez)
        stage.advance(1_000)
        outage.end(stage.simulation.bluez)
        stage.advance(20_000)
        #expect(link.kind == .disconnected(reason))
        #expect(values.kind == .disconnected(reason))
        #expect(stage.count("Connect") == 1)
    }

    @Test(arguments: Outage.allCases)
    func `A reconnecting connect waits for the end of an outage`(outage: Outage) {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(2)))
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        _ = outage.begin(stage.simulation.bluez)
        stage.advance(10_000)
        outage.end(stage.simulation.bluez)
        stage.advance(5_000)
        #expect(link.elements == [peripheral])
        #expect(link.isLive)
    }

    @Test func `Attributes stay valid after an outage, and operations fail during it`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        let characteristic = stage.characteristic(Sensor.value, of: peripheral)
        let slow = stage.characteristic(Sensor.slow, of: peripheral)
        let running = stage.record(slow.readValue())
        stage.advance(10)
        stage.simulation.bluez.crash()
        stage.advance(10)
        #expect(running.kind == .disconnected(.daemon))
        let early = stage.record(characteristic.readValue())
        stage.advance(10)
        #expect(early.kind == .daemonUnavailable)
        // Unlike the read, discovery waits for the link: repeating it has no effect on the peripheral.
        let discovery = stage.record(peripheral.discoverServices())
        stage.simulation.bluez.start()
        stage.advance(5_000)
        let late = stage.record(characteristic.readValue())
        stage.advance(100)
        #expect(late.elements == [[1]])
        #expect(Set(discovery.elements.map(\.uuid)).isSuperset(of: [Sensor.service, 0x180F]))
        #expect(discovery.isCompleted)
        #expect(link.isLive)
    }

    @Test func `Until services are read again, reads fail and notifications wait`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        let value = stage.characteristic(Sensor.value, of: peripheral)
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        stage.simulation.bluez.setConnection(SimulatedConnection(discovery: .seconds(2)), of: Sensor.text)
        stage.simulation.bluez.crash()
        stage.simulation.bluez.start()
        stage.advance(1_500)
        #expect(stage.isLinked())
        let read = stage.record(value.readValue())
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(10)
        #expect(read.kind == .notConnected)
        stage.advance(3_000)
        stage.simulation.bluez.notify([1, 2], from: Sensor.text, "fff2")
        stage.advance(100)
        #expect(values.elements == [[1, 2]])
        #expect(link.isLive)
    }

    @Test(.proves(.S53)) func `Notifications of a characteristic that does not return fail`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(100)
        stage.simulation.bluez.crash()
        stage.simulation.bluez.changeServices(
            of: Sensor.text, to: [SimulatedService("1234") { SimulatedCharacteristic("1235", .read([1])) }])
        stage.simulation.bluez.start()
        stage.advance(5_000)
        #expect(values.kind == .attributeNotFound)
        #expect(link.isLive)
    }

    @Test(.proves(.S79)) func `Notifications disposed of during an outage are not turned on again`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(100)
        stage.simulation.bluez.setPower(false)
        stage.advance(100)
        stage.simulation.bluez.forgetCalls()
        values.dispose()
        stage.advance(100)
        #expect(stage.methods.isEmpty)
        stage.simulation.bluez.setPower(true)
        stage.advance(5_000)
        #expect(stage.isLinked())
        #expect(stage.count("StartNotify") == 0)
        #expect(values.times.isEmpty)
        #expect(link.isLive)
    }

    @Test func `Waiting notifications fail with the cause when reconnection gives up`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect(within: .seconds(5))))
        stage.advance(1_000)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(100)
        stage.simulation.bluez.crash()
        stage.advance(4_000)
        #expect(values.isLive)
        stage.advance(2_000)
        #expect(link.kind == .disconnected(.daemon))
        #expect(values.kind == .disconnected(.daemon))
        #expect(values.error?.operation == .notify)
    }

    @Test func `Notifications continue on a new bus after the old one is lost`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let scenario = Scenario(peripherals: [Self.ticker()])
        let (first, second) = (Simulation(scenario, scheduler: scheduler), Simulation(scenario, scheduler: scheduler))
        let buses = BusSequence([first, second])
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) { buses.next() }
        let values = Recording(
            manager.peripheral(Sensor.address)
                .flatMap { $0.connect(options: .reconnect()) }
                .flatMap { $0.discoverServices([Sensor.service]) }
                .flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
                .flatMap { $0.observeValueUpdates() }, scheduler)
        scheduler.advanceBy(5_000)
        #expect(!values.elements.isEmpty)
        first.bus.shutDown()
        scheduler.advanceBy(100)
        let before = values.elements.count
        scheduler.advanceBy(5_000)
        #expect(values.isLive)
        #expect(values.elements.count > before + 30)
        #expect(second.calls.count { $0.member == "StartNotify" } == 1)
    }

    @Test(.proves(.Q28, .S46)) func `A peripheral is the same object after its adapter is renumbered`() {
        let adapters = [SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02")]
        let stage = Stage(
            Scenario(adapters: adapters, peripherals: [Sensor.peripheral]), adapter: .address("00:1A:7D:DA:71:02"))
        let peripheral = stage.find(Sensor.address)
        stage.simulation.bluez.removeAdapter(1)
        stage.simulation.bluez.removeAdapter(0)
        stage.advance(100)
        // The two adapters return with exchanged numbers.
        stage.simulation.bluez.addAdapter(adapters[1], as: 0)
        stage.simulation.bluez.addAdapter(adapters[0], as: 1)
        stage.advance(100)
        #expect(stage.find(Sensor.address) === peripheral)
        let link = stage.connect(peripheral)
        #expect(
            stage.simulation.calls.filter { $0.member == "Connect" }.map(\.path) == [
                "/org/bluez/hci0/dev_C0_FF_EE_00_00_21"
            ])
        #expect(link.isLive)
    }

    @Test(.proves(.Q28)) func `An adapter with a reused number does not inherit peripherals`() {
        let stage = Stage(with: [Sensor.peripheral])
        let peripheral = stage.find(Sensor.address)
        stage.simulation.bluez.removeAdapter(0)
        stage.advance(100)
        stage.simulation.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:02"), as: 0)
        stage.advance(100)
        #expect(stage.find(Sensor.address) !== peripheral)
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(link.kind == .noAdapter)
        #expect(stage.methods.isEmpty)
    }
}
