import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Scans and connections on several adapters at the same time.
struct SeveralAdaptersTests {
    @Test(.proves(.Q37), .covers(.severalAdapters))
    func `Each adapter has its own discovery session, which ends independently`() {
        let stage = Stage.withTwoAdapters()
        let second = stage.manager.using(.number(1))
        let scans = [stage.record(stage.manager.scanForPeripherals()), stage.record(second.scanForPeripherals())]
        stage.advance(1_000)
        #expect(stage.adapters("StartDiscovery") == ["hci0", "hci1"])
        #expect(scans[0].elements.map(\.peripheral.adapterName) == ["hci0", "hci0"])
        #expect(scans[1].elements.map(\.peripheral.adapterName) == ["hci1", "hci1"])
        #expect(scans[1].elements.allSatisfy { $0.peripheral.adapterAddress == Radio.secondAddress })
        let shared = stage.record(second.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        scans[0].dispose()
        stage.advance(1_000)
        #expect(stage.adapters("StopDiscovery") == ["hci0"])
        #expect(stage.adapters("StartDiscovery") == ["hci0", "hci1"])
        let count = shared.elements.count
        stage.advance(1_000)
        #expect(shared.elements.count > count && shared.isLive && scans[1].isLive)
        let known = stage.record(second.knownPeripherals())
        stage.advance(10)
        #expect(known.elements.first?.map(\.peripheral.adapterName) == ["hci1", "hci1"])
    }

    @Test(.proves(.S46)) func `A device seen by two adapters is two peripherals with stable identity`() {
        let stage = Stage.withTwoAdapters()
        let second = stage.manager.using(.address(Radio.secondAddress))
        let (one, other) = (stage.find(Sensor.address, with: stage.manager), stage.find(Sensor.address, with: second))
        #expect(one !== other && one != other && one.address == other.address)
        #expect(stage.find(Sensor.address, with: stage.manager.using(.number(1))) === other)
        #expect(stage.find(Sensor.address, with: second.using(.number(0))) === one)
    }

    @Test(.proves(.S34, .S68)) func `Switching an adapter off ends only its own links and scans`() {
        let stage = Stage.withTwoAdapters()
        let second = stage.manager.using(.number(1))
        let (one, other) = (
            stage.find(Sensor.address, with: stage.manager), stage.find("C0:FF:EE:00:00:22", with: second)
        )
        let links = [stage.record(one.connect()), stage.record(other.connect())]
        stage.advance(1_000)
        #expect(links.map(\.elements.count) == [1, 1])
        let scans = [stage.record(stage.manager.scanForPeripherals()), stage.record(second.scanForPeripherals())]
        let states = [stage.record(stage.manager.state), stage.record(second.state)]
        stage.advance(1_000)
        stage.simulation.bluez.setPower(false, adapter: 0)
        stage.advance(1_000)
        #expect(links[0].kind == .disconnected(.adapter) && links[1].isLive)
        #expect(scans[0].kind == .poweredOff && scans[1].isLive)
        #expect(states[0].elements == [.poweredOn, .poweredOff] && states[1].elements == [.poweredOn])
        let value = stage.characteristic(Sensor.value, of: other)
        let read = stage.record(value.readValue())
        stage.advance(1_000)
        #expect(read.elements == [[1]])
    }

    @Test func `An adapter that is on works while the manager's own adapter is off`() {
        let stage = Stage.withTwoAdapters(SimulatedAdapter(powered: false))
        let second = stage.manager.using(.number(1))
        let peripheral = stage.find(Sensor.address, with: second)
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        let refused = stage.record(stage.manager.scanForPeripherals())
        stage.advance(10)
        #expect(refused.kind == .poweredOff)
        let again = stage.record(second.retrieveConnectedPeripherals())
        stage.advance(10)
        #expect(again.elements == [[peripheral]])
    }

    @Test(.proves(.Q28, .Q32)) func `A reconnecting link and a resuming scan follow their adapter to a new number`() {
        let stage = Stage.withTwoAdapters()
        let second = stage.manager.using(.address(Radio.secondAddress))
        let scan = stage.record(
            second.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, resumes: true)))
        let peripheral = stage.find("C0:FF:EE:00:00:22", with: second)
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(2_000)
        let states = stage.record(peripheral.connectionState)
        stage.simulation.bluez.removeAdapter(1)
        stage.advance(5_000)
        #expect(peripheral.adapterName == "hci1")
        stage.simulation.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:03"), as: 1)
        stage.advance(1_000)
        #expect(peripheral.adapterName == nil)
        #expect(
            states.elements.last == .disconnected(BluetoothError(.disconnected(.adapter), target: "C0:FF:EE:00:00:22")))
        let count = scan.elements.count
        stage.simulation.bluez.addAdapter(Radio.second, as: 5)
        stage.advance(10_000)
        #expect(states.elements.last == .connected && peripheral.adapterName == "hci5")
        #expect(scan.elements.count > count && scan.elements.last?.peripheral.adapterName == "hci5")
        #expect(link.isLive && scan.isLive)
        #expect(!stage.adapters("Connect").contains("hci0"))
        #expect(!stage.adapters("StartDiscovery").contains("hci0"))
    }

    @Test(.proves(.Q27)) func `Removing the automatic adapter ends a scan; a resuming scan uses the next one`() {
        let stage = Stage.withTwoAdapters(adapter: .automatic)
        let options = ScanOptions(allowsDuplicates: true, resumes: true)
        let scans = [
            stage.record(stage.manager.scanForPeripherals()),
            stage.record(stage.manager.scanForPeripherals(options: options)),
        ]
        let pinned = stage.record(stage.manager.using(.number(0)).scanForPeripherals())
        stage.advance(1_000)
        #expect(stage.adapters("StartDiscovery") == ["hci0"])
        stage.simulation.bluez.removeAdapter(0)
        stage.advance(2_000)
        #expect(scans[0].kind == .noAdapter && pinned.kind == .noAdapter)
        #expect(scans[1].isLive && scans[1].elements.last?.peripheral.adapterName == "hci1")
        #expect(stage.adapters("StartDiscovery") == ["hci0", "hci1"])
    }

    @Test func `Two managers on different adapters do not affect each other`() {
        let stage = Stage.withTwoAdapters()
        let second = BluetoothManager(
            configuration: .init(adapter: .number(1), scheduler: stage.scheduler), bus: stage.simulation.connect())
        let (one, other) = (
            stage.find(Sensor.address, with: stage.manager), stage.find("C0:FF:EE:00:00:22", with: second)
        )
        #expect(one.adapterName == "hci0" && other.adapterName == "hci1")
        let scans = [
            stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))),
            stage.record(second.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))),
        ]
        let links = [stage.record(one.connect()), stage.record(other.connect())]
        stage.advance(2_000)
        let closed = stage.record(stage.manager.close())
        stage.advance(5_000)
        #expect(closed.isCompleted && scans[0].kind == .closed && links[0].kind == .closed)
        let count = scans[1].elements.count
        stage.advance(1_000)
        #expect(scans[1].elements.count > count && scans[1].isLive && links[1].isLive)
        #expect(stage.adapters("Disconnect") == ["hci0"])
    }

    @Test(.proves(.Q35, .S86)) func `Advertising and presence use the requested adapter`() {
        let stage = Stage.withTwoAdapters()
        let second = stage.manager.using(.number(1))
        let advertising = stage.record(second.advertise(Advertisement(localName: "Gateway")))
        let presence = stage.record(second.observePresence())
        stage.advance(1_000)
        #expect(advertising.elements.count == 1)
        #expect(stage.adapters("RegisterAdvertisement") == ["hci1"])
        let found = presence.elements.compactMap { change -> String? in
            if case .found(let sighting) = change { sighting.peripheral.adapterName } else { nil }
        }
        #expect(found == ["hci1", "hci1"])
        stage.simulation.bluez.setPower(false, adapter: 0)
        stage.advance(1_000)
        #expect(advertising.isLive && presence.isLive)
        stage.simulation.bluez.setPower(false, adapter: 1)
        stage.advance(1_000)
        #expect(advertising.kind == .poweredOff && presence.kind == .poweredOff)
    }

    @Test func `Closing through one adapter closes the manager for all adapters`() {
        let stage = Stage.withTwoAdapters()
        let second = stage.manager.using(.number(1))
        let scan = stage.record(second.scanForPeripherals())
        let states = stage.record(second.state)
        stage.advance(1_000)
        let closed = stage.record(second.close())
        stage.advance(1_000)
        #expect(closed.isCompleted && scan.kind == .closed && states.error?.kind == .closed)
        #expect(stage.adapters("StopDiscovery") == ["hci1"])
        let late = stage.record(stage.manager.scanForPeripherals())
        stage.advance(10)
        #expect(late.kind == .closed)
    }

    @Test func `A diagnosis describes the requested adapter`() {
        let stage = Stage.withTwoAdapters(Radio.first, SimulatedAdapter(address: "00:1A:7D:DA:71:02", powered: false))
        let asked = [stage.record(stage.manager.diagnose()), stage.record(stage.manager.using(.number(1)).diagnose())]
        stage.advance(100)
        #expect(asked.map { $0.elements.first?.cause } == [.idle, .poweredOff])
    }
}
