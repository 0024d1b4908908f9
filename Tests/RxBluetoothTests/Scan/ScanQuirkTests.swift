import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Scans during which bluetoothd, other programs or the controller behave unusually.
struct ScanQuirkTests {
    private let address = "C0:00:00:00:00:01"
    private let duplicates = ScanOptions(allowsDuplicates: true)

    private func stage(_ quirks: Quirk...) -> Stage {
        var scenario = Scenario(peripherals: [.beacon(address, name: "One")])
        scenario.quirks = Set(quirks)
        return Stage(scenario)
    }

    @Test(.proves(.Q29)) func `NotReady means an adapter that is off, and ends a stop without an error`() {
        let stage = stage()
        stage.simulation.bluez.add(
            Fault("StartDiscovery", calls: .only(1), .error("org.bluez.Error.NotReady", "Resource Not Ready")))
        stage.simulation.bluez.add(Fault("StopDiscovery", .error("org.bluez.Error.NotReady", "Resource Not Ready")))
        let refused = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(refused.error?.kind == .poweredOff)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(scan.elements.count == 1)
        scan.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(1_000)
        #expect(settled.isCompleted)
    }

    @Test(.proves(.Q33)) func `A scan with a controller that hangs fails as busy and settles`() {
        let stage = stage(.Q33)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(15_000)
        #expect(scan.error?.kind == .busy)
        #expect(scan.error?.advice != nil)
        stage.expectSettled()
    }

    @Test(.proves(.Q39), arguments: ["Failed", "NotReady", "NotAuthorized"])
    func `A session that bluetoothd has already ended counts as stopped`(name: String) {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        for member in ["SetDiscoveryFilter", "StartDiscovery"] { daemon.always(member) }
        daemon.always("StopDiscovery") {
            $0.fail(DBusError(name: "org.bluez.Error.\(name)", message: "No discovery started"))
        }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        scan.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(1_000)
        #expect(settled.isCompleted)
        let again = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        daemon.change(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["RSSI": .int16(-50)])
        stage.advance(1)
        #expect(again.elements.map(\.rssi) == [-50])
        #expect(daemon.count("StartDiscovery") == 2)
    }

    @Test(.proves(.Q40)) func `A scan ends and can start again while other programs scan`() {
        let stage = stage(.Q40)
        stage.advance(100)
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        scan.dispose()
        let count = scan.elements.count
        #expect(count > 5)
        let settled = stage.record(stage.manager.settled())
        stage.advance(5_000)
        #expect(settled.isCompleted)
        #expect(scan.elements.count == count)
        #expect(stage.count("StopDiscovery") == 1)
        let again = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        #expect(again.elements.count > 5)
    }

    @Test(.proves(.Q41)) func `A scan continues while Discovering flickers`() {
        let stage = stage(.Q41)
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(9_000)
        let before = scan.elements.count
        stage.advance(11_000)
        #expect(scan.isLive)
        #expect(scan.elements.count > before + 90)
        #expect(stage.methods == ["SetDiscoveryFilter", "StartDiscovery"])
    }

    @Test(.proves(.Q43)) func `Devices that other programs scan for do not pass our filters`() {
        var scenario = Scenario(peripherals: [
            .beacon("C0:00:00:00:00:01", name: "Ours", services: ["180d"]),
            .beacon("C0:00:00:00:00:02", name: "Theirs", services: ["180f"]),
            .beacon("C0:00:00:00:00:03", name: "Weak", rssi: -90, services: ["180d"]),
        ])
        // The filter of the other program must not crash bluetoothd.
        scenario.disabledQuirks = [.Q127]
        let stage = Stage(scenario)
        let rival = stage.simulation.bluez.competingClient()
        rival.startDiscovery(["UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb"])])
        stage.advance(100)
        let scan = stage.record(
            stage.manager.scanForPeripherals(
                withServices: [0x180D], options: ScanOptions(filters: [ScanFilter(minimumRSSI: -80)])))
        stage.advance(2_000)
        #expect(scan.elements.map(\.peripheral.name) == ["Ours"])
        rival.leave()
    }

    @Test(.proves(.Q44, .Q45, .Q46, .Q47, .Q48, .Q50, .Q68, .Q69))
    func `Each session sets the same filter, which hides no advertisement`() {
        let stage = stage()
        for services in [[], [0x180D] as [BluetoothUUID]] {
            let scan = stage.record(stage.manager.scanForPeripherals(withServices: services))
            stage.advance(1_000)
            scan.dispose()
            stage.advance(1_000)
        }
        #expect(
            stage.methods
                == Array(
                    repeating: ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter"], count: 2
                ).flatMap(\.self))
        // Each session sets a filter, and the library clears the filter after the session.
        let filter = Value.properties([
            "Transport": .string("le"), "DuplicateData": .bool(true), "RSSI": .int16(-127),
        ])
        let filters = stage.simulation.calls.filter { $0.member == "SetDiscoveryFilter" }.map(\.arguments)
        #expect(filters == [[filter], [.properties([:])], [filter], [.properties([:])]])
    }

    @Test(.proves(.Q125)) func `The end of our scan leaves another program's scan running`() {
        let stage = stage()
        let other = stage.simulation.bluez.competingClient()
        other.startDiscovery()
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        scan.dispose()
        stage.advance(1_000)
        let closed = stage.record(stage.manager.close())
        stage.advance(1_000)
        #expect(closed.isCompleted)
        #expect(stage.isDiscovering())
        other.leave()
    }

    @Test(.proves(.Q125)) func `A scan stopped by another program's exit is started again`() {
        let stage = stage()
        let other = stage.simulation.bluez.competingClient()
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        other.call("/org/bluez/hci0", "Adapter1.SetDiscoveryFilter", .properties(["Transport": .string("le")]))
        stage.advance(100)
        other.leave()
        stage.advance(5_000)
        let count = scan.elements.count
        stage.advance(15_000)
        #expect(scan.isLive)
        #expect(scan.elements.count > count + 50)
    }

    @Test(.proves(.Q125)) func `The filter is cleared after a refused start, before the next scan sets its own`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        daemon.always("SetDiscoveryFilter")
        daemon.always("StartDiscovery") { $0.fail(DBusError(name: "org.bluez.Error.Failed", message: "")) }
        let bag = DisposeBag()
        let manager = stage.manager
        manager.scanForPeripherals()
            .catch { _ in manager.scanForPeripherals() }
            .subscribe().disposed(by: bag)
        stage.advance(1_000)
        #expect(
            daemon.methods
                == Array(repeating: ["SetDiscoveryFilter", "StartDiscovery", "SetDiscoveryFilter"], count: 2)
                .flatMap(\.self))
    }

    @Test(.proves(.Q125)) func `A lost bluetoothd or adapter gets no call that clears the filter`() {
        typealias Objects = ScriptedDaemon.Objects
        for happens: (ScriptedDaemon) -> Void in [
            { $0.crash() }, { $0.remove(Objects.adapterPath, "org.bluez.Adapter1") },
            { $0.change(Objects.adapterPath, "org.bluez.Adapter1", ["Powered": .bool(false)]) },
        ] {
            let (stage, daemon, scan) = Self.scan()
            scan.dispose()
            stage.advance(0)
            let stop = daemon.take("StopDiscovery")
            happens(daemon)
            stage.advance(0)
            stop.fail("org.bluez.Error.InProgress")
            let settled = stage.record(stage.manager.settled())
            stage.advance(1_000)
            #expect(daemon.count("SetDiscoveryFilter") == 1)
            #expect(settled.isCompleted)
        }
    }

    @Test(.proves(.Q125), arguments: ["NoReply", "ServiceUnknown", "UnknownObject"])
    func `No call clears the filter if the stop has no reply`(name: String) {
        let (stage, daemon, _) = Self.scan()
        let closed = stage.record(stage.manager.close())
        stage.advance(0)
        daemon.take("StopDiscovery").fail("org.freedesktop.DBus.Error.\(name)")
        stage.advance(0)
        #expect(daemon.count("SetDiscoveryFilter") == 1)
        #expect(closed.isCompleted)
    }

    /// Starts a scan with a scripted bluetoothd that answers all calls but `StopDiscovery`.
    private static func scan() -> (Stage, ScriptedDaemon, Recording<ScannedPeripheral>) {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        for member in ["SetDiscoveryFilter", "StartDiscovery"] { daemon.always(member) }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        return (stage, daemon, scan)
    }

    @Test(.proves(.S44, .Q125)) func `The manager settles after the filter is cleared or clearing it fails`() {
        for answer: @Sendable (ScriptedDaemon.Pending) -> Void in [
            { $0.reply() }, { $0.fail("org.bluez.Error.Failed") },
        ] {
            let stage = Stage(starting: false)
            let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
            daemon.always("StartDiscovery")
            daemon.always("StopDiscovery")
            let scan = stage.record(stage.manager.scanForPeripherals())
            stage.advance(0)
            daemon.take("SetDiscoveryFilter").reply()
            stage.advance(0)
            scan.dispose()
            let settled = stage.record(stage.manager.settled())
            stage.advance(1_000)
            #expect(settled.isLive)
            answer(daemon.take("SetDiscoveryFilter"))
            stage.advance(0)
            #expect(settled.isCompleted)
            stage.expectNoTimers()
        }
    }

    @Test(.proves(.Q69)) func `A restarted bluetoothd gets the filter again`() {
        let stage = stage()
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(resumes: true)))
        stage.advance(1_000)
        stage.simulation.bluez.crash()
        stage.advance(100)
        stage.simulation.bluez.start()
        stage.advance(2_000)
        #expect(scan.isLive)
        #expect(
            stage.methods == ["SetDiscoveryFilter", "StartDiscovery", "SetDiscoveryFilter", "StartDiscovery"])
    }

    @Test(.proves(.Q47, .Q50)) func `Each packet of an unchanging beacon is emitted with its RSSI`() {
        let stage = stage()
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(5_050)
        #expect((50...51).contains(scan.elements.count))
        #expect(scan.elements.allSatisfy { $0.rssi == -60 })
        stage.simulation.bluez.setStrength(-61, of: address)
        stage.advance(200)
        #expect(scan.elements.last?.rssi == -61)
    }

    @Test(.proves(.Q48)) func `The data of one packet does not persist in the next`() {
        let stage = Stage(with: [.beacon(address, manufacturerData: [0x4C: [1]], serviceData: ["feaa": [1]])])
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        #expect(scan.elements.last?.advertisementData.manufacturerData == [0x4C: [1]])
        stage.simulation.bluez.advertise(
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -60, manufacturerData: [0x59: [2]], serviceData: ["feab": [2]]),
            from: address)
        stage.advance(1_000)
        #expect(scan.elements.last?.advertisementData.manufacturerData == [0x59: [2]])
        #expect(scan.elements.last?.advertisementData.serviceData == [0xFEAB: [2]])
    }

    @Test(.proves(.Q49)) func `A packet that matches no scan schedules no work`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Ground.simulation(Scenario(peripherals: [.beacon(address, name: "One")]), scheduler: scheduler)
        let queue = CountingScheduler(scheduler)
        let manager = BluetoothManager(configuration: .init(scheduler: queue), bus: simulation.connect())
        let bag = DisposeBag()
        for _ in 0..<50 { manager.scanForPeripherals(withServices: [0x180D]).subscribe().disposed(by: bag) }
        let all = Recording(manager.scanForPeripherals(options: duplicates), scheduler)
        scheduler.advanceBy(1_000)
        let (turns, packets) = (queue.count, all.elements.count)
        scheduler.advanceBy(10_000)
        #expect(all.elements.count == packets + 100)
        #expect(queue.count == turns + 100)
        all.dispose()
        if Ground.isPrivateBus { simulation.bus.shutDown() }
    }

    @Test(.proves(.Q52)) func `One signal is one scan result with all its data`() {
        let stage = Stage(starting: false)
        let path = ScriptedDaemon.Objects.devicePath
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(10)
        // This signal combines the data of two packets, as bluetoothd does.
        daemon.change(
            path, "org.bluez.Device1",
            [
                "RSSI": .int16(-50), "TxPower": .int16(4),
                "ServiceData": .properties(["0000feaa-0000-1000-8000-00805f9b34fb": .bytes([1])]),
            ])
        stage.advance(1)
        #expect(scan.elements.map(\.rssi) == [-50])
        #expect(scan.elements.last?.advertisementData.txPowerLevel == 4)
        #expect(scan.elements.last?.advertisementData.serviceData == [0xFEAA: [1]])
    }

    @Test(.proves(.Q56)) func `A device without a name has none, despite the alias of bluetoothd`() {
        let stage = Stage(with: [.beacon(address)])
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(scan.elements.map(\.peripheral.name) == [nil])
        #expect(scan.elements.map(\.advertisementData.localName) == [nil])
    }

    @Test(.proves(.Q65, .Q66), arguments: [Quirk.Q65, .Q66])
    func `Lost packets leave a gap, and the device is still found`(quirk: Quirk) {
        let stage = stage(quirk)
        let once = stage.record(stage.manager.scanForPeripherals())
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(20_000)
        #expect(once.elements.count == 1)
        #expect((50...180).contains(scan.elements.count))
        #expect(scan.isLive)
    }

    @Test(.proves(.Q35)) func `A whole session writes no D-Bus property`() {
        let stage = Stage()
        let session = stage.record(
            stage.manager.scanForPeripherals(withServices: [0x180D]).take(1)
                .flatMap { $0.peripheral.connect() }
                .flatMap { $0.discoverServices([0x180D]) }
                .flatMap { $0.discoverCharacteristics([0x2A37]) }
                .flatMap { $0.observeValueUpdates() }
                .take(2))
        stage.advance(10_000)
        #expect(session.isCompleted)
        #expect(stage.count("Disconnect") == 1)
        #expect(stage.count("Set") == 0)
    }
}

/// A scheduler that counts immediate work, and passes all work on to another scheduler.
private final class CountingScheduler: SchedulerType {
    private let scheduler: TestScheduler
    private let turns = Guarded(0)

    init(_ scheduler: TestScheduler) { self.scheduler = scheduler }

    var count: Int { turns.withLock { $0 } }
    var now: RxTime { scheduler.now }

    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        turns.withLock { $0 += 1 }
        return scheduler.schedule(state, action: action)
    }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduler.scheduleRelative(state, dueTime: dueTime, action: action)
    }
}
