import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

struct BluetoothStateTests {
    @Test(.proves(.S2), .covers(.adapterState))
    func `State emits the current value, then each change, and never completes`() {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        #expect(states.elements == [.poweredOn])
        stage.simulation.bluez.setPower(false)
        stage.advance(1_000)
        stage.simulation.bluez.setPower(true)
        stage.advance(1_000)
        #expect(states.elements == [.poweredOn, .poweredOff, .poweredOn])
        #expect(states.isLive)
    }

    @Test(.proves(.S133)) func `The obstacle is the error of operations, and nil while Bluetooth can be used`() {
        let stage = Stage()
        let obstacles = stage.record(stage.manager.obstacle)
        stage.advance(10)
        stage.simulation.bluez.setPower(false)
        stage.advance(1_000)
        stage.simulation.bluez.crash()
        stage.advance(1_000)
        #expect(obstacles.elements.map { $0?.kind } == [nil, .poweredOff, .daemonUnavailable])
        #expect(obstacles.elements.last??.detail == nil && obstacles.isLive)
        let closing = stage.record(stage.manager.close())
        stage.advance(10)
        #expect(obstacles.kind == .closed && closing.isCompleted)
    }

    @Test(.proves(.S133)) func `The obstacle of a bluetoothd that does not reply has a detail`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage)
        daemon.holdSnapshot()
        let obstacles = stage.record(stage.manager.obstacle)
        stage.advance(8_001)
        #expect(obstacles.elements.map { $0?.kind } == [.daemonUnavailable])
        #expect(obstacles.elements.first??.detail == "It does not reply")
        #expect(stage.record(stage.manager.scanForPeripherals()).outcome(stage) == .daemonUnavailable)
        let power = stage.record(stage.manager.adapterPower)
        stage.advance(0)
        #expect(power.elements.last?.failure?.detail == "It does not reply")
    }

    @Test(.proves(.S2)) func `A late subscriber receives the current state immediately`() {
        let stage = Stage()
        let early = stage.record(stage.manager.state)
        stage.advance(10)
        let late = stage.record(stage.manager.state)
        stage.advance(1)
        #expect(early.elements == [.poweredOn])
        #expect(late.elements == [.poweredOn])
    }

    @Test(.proves(.S3)) func `An unchanged state is not emitted again`() {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(2_000)
        scan.dispose()
        stage.advance(2_000)
        // The scan has changed the adapter's Discovering to true and back to false, which must not emit a state.
        #expect(states.elements == [.poweredOn])
    }

    @Test(.proves(.S3)) func `A change that a stronger cause hides does not emit the state again`() {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        let named = stage.record(stage.manager.using(.named("hci7")).state)
        stage.advance(10)
        let bluez = stage.simulation.bluez
        // A blocked adapter hides whether it is powered. A missing bluetoothd hides both facts, and that there is no
        // adapter.
        bluez.setBlocked(true)
        stage.advance(1_000)
        for isOn in [false, true, false] {
            bluez.setPower(isOn)
            stage.advance(1_000)
        }
        #expect(states.elements == [.poweredOn, .blocked])
        bluez.crash()
        stage.advance(1_000)
        bluez.setBlocked(false)
        stage.advance(1_000)
        bluez.removeAdapter(0)
        stage.advance(1_000)
        #expect(states.elements == [.poweredOn, .blocked, .daemonUnavailable])
        bluez.start()
        stage.advance(1_000)
        #expect(states.elements == [.poweredOn, .blocked, .daemonUnavailable, .noAdapter])
        // The adapter hci7 is missing the whole time, so changes of the other adapter must not change its state.
        #expect(named.elements == [.noAdapter, .daemonUnavailable, .noAdapter])
    }

    @Test(.proves(.S3)) func `Intermediate power states and repeated daemon failures emit no duplicates`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let states = stage.record(stage.manager.state)
        stage.advance(0)
        for (isOn, state) in [
            (false, "on-disabling"), (false, "off"), (false, "off-enabling"), (false, "off-blocked"),
            (false, "off-blocked"), (false, "off"), (true, "on"), (true, "off-blocked"),
        ] {
            daemon.change(
                ScriptedDaemon.Objects.adapterPath, "org.bluez.Adapter1",
                ["Powered": .bool(isOn), "PowerState": .string(state)])
            stage.advance(0)
        }
        #expect(states.elements == [.poweredOn, .poweredOff, .blocked, .poweredOff, .poweredOn])
        daemon.crash()
        daemon.holdSnapshot()
        daemon.start()
        stage.advance(0)
        for error in ["org.bluez.Error.Failed", "org.freedesktop.DBus.Error.UnknownMethod"] {
            daemon.take("GetManagedObjects").fail(error)
            stage.advance(3_000)
        }
        #expect(states.elements.suffix(2) == [.poweredOn, .daemonUnavailable])
    }

    @Test(.proves(.S4, .Q26)) func `An adapter that is added later changes the state to powered on`() {
        let stage = Stage(Scenario(adapters: [], peripherals: []))
        let states = stage.record(stage.manager.state)
        stage.advance(100)
        #expect(states.elements == [.noAdapter])
        stage.simulation.bluez.addAdapter(as: 3)
        stage.advance(1_000)
        #expect(states.elements == [.noAdapter, .poweredOn])
    }

    @Test(.proves(.Q28)) func `An adapter that returns under another number is selected again`() {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        let adapters = stage.record(stage.manager.adapters)
        stage.advance(10)
        stage.simulation.bluez.removeAdapter(0)
        stage.advance(1_000)
        stage.simulation.bluez.addAdapter(as: 1)
        stage.advance(1_000)
        #expect(states.elements == [.poweredOn, .noAdapter, .poweredOn])
        #expect(adapters.elements.map { $0.map(\.name) }.last == ["hci1"])
        #expect(adapters.elements.last?.first?.isSelected == true)
    }

    @Test(.proves(.Q1)) func `A bluetoothd that starts later changes the state to powered on`() {
        let stage = Stage(.everyday, starting: false)
        let states = stage.record(stage.manager.state)
        stage.advance(100)
        #expect(states.elements == [.daemonUnavailable])
        stage.simulation.bluez.start()
        stage.advance(1_000)
        #expect(states.elements.last == .poweredOn)
    }

    @Test(.proves(.Q2)) func `State follows a crash and a restart of bluetoothd`() {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        stage.simulation.bluez.crash()
        stage.advance(1_000)
        #expect(states.elements == [.poweredOn, .daemonUnavailable])
        stage.simulation.bluez.start()
        stage.advance(1_000)
        #expect(states.elements.last == .poweredOn)
        #expect(states.isLive)
    }

    @Test(.proves(.Q30)) func `An adapter blocked by rfkill has its own state`() {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        stage.simulation.bluez.setBlocked(true)
        stage.advance(1_000)
        #expect(states.elements.last == .blocked)
    }

    @Test func `A lost bus is a state, and the next use opens a new bus`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let first = Ground.simulation(.everyday, scheduler: scheduler)
        let second = Ground.simulation(.everyday, scheduler: scheduler)
        let buses = BusSequence([first, second])
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) { buses.next() }
        let states = Recording(manager.state, scheduler)
        scheduler.advanceBy(10)
        first.bus.shutDown()
        scheduler.advanceBy(10)
        #expect(states.elements == [.poweredOn, .busUnavailable])
        let scan = Recording(manager.scanForPeripherals(), scheduler)
        scheduler.advanceBy(1_000)
        #expect(!scan.elements.isEmpty)
        #expect(states.elements == [.poweredOn, .busUnavailable, .poweredOn])
    }

    @Test(.proves(.S5)) func `No bus is opened before the first subscription`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let buses = BusSequence([Ground.simulation(.everyday, scheduler: scheduler)])
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) { buses.next() }
        _ = manager.state
        _ = manager.scanForPeripherals()
        scheduler.advanceBy(1_000)
        #expect(buses.count == 0)
    }

    @Test(
        .proves(.S1),
        arguments: [
            (BluetoothState.poweredOff, BluetoothError.Kind.poweredOff), (.blocked, .blocked),
            (.noAdapter, .noAdapter), (.daemonUnavailable, .daemonUnavailable),
        ])
    func `Each unusable state fails a scan with its error and sends nothing`(
        state: BluetoothState, kind: BluetoothError.Kind
    ) {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        stage.bringAbout(state)
        stage.advance(1_000)
        #expect(states.elements.last == state)
        stage.simulation.bluez.forgetCalls()
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(scan.error?.kind == kind)
        #expect(scan.error?.operation == .scan)
        #expect(scan.elements.isEmpty)
        #expect(stage.methods.isEmpty)
    }

    @Test(.covers(.adapterSelection)) func `An adapter can be selected by name or by address`() {
        let scenario = Scenario(
            adapters: [SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02")], peripherals: [])
        for selection in [AdapterSelection.named("hci1"), .address("00:1A:7D:DA:71:02")] {
            let stage = Stage(scenario, adapter: selection)
            let adapters = stage.record(stage.manager.adapters)
            stage.advance(10)
            #expect(adapters.elements.last?.filter(\.isSelected).map(\.name) == ["hci1"])
        }
        let missing = Stage(scenario, adapter: .named("hci7"))
        let states = missing.record(missing.manager.state)
        missing.advance(10)
        #expect(states.elements == [.noAdapter])
    }

    @Test(.proves(.Q28)) func `An adapter selected by name is followed by its address`() {
        let adapters = [SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02")]
        let stage = Stage(Scenario(adapters: adapters, peripherals: []), adapter: .named("hci0"))
        let seen = stage.record(stage.manager.adapters.map { $0.first(where: \.isSelected)?.address })
        stage.advance(10)
        let first = seen.elements.last ?? nil
        #expect(first != nil && first != "00:1A:7D:DA:71:02")
        stage.simulation.bluez.removeAdapter(0)
        stage.advance(10)
        #expect(seen.elements.last == .some(nil))
        stage.simulation.bluez.addAdapter(adapters[0], as: 4)
        stage.advance(10)
        #expect(seen.elements.last == first)
    }

    @Test(.proves(.Q27)) func `Automatic selection keeps a powered adapter until it is switched off`() {
        let scenario = Scenario(
            adapters: [SimulatedAdapter(powered: false), SimulatedAdapter(address: "00:1A:7D:DA:71:02")],
            peripherals: [])
        let stage = Stage(scenario)
        let adapters = stage.record(stage.manager.adapters)
        stage.advance(10)
        #expect(adapters.elements.last?.filter(\.isSelected).map(\.name) == ["hci1"])
        stage.simulation.bluez.setPower(true, adapter: 0)
        stage.advance(1_000)
        #expect(adapters.elements.last?.filter(\.isSelected).map(\.name) == ["hci1"])
        stage.simulation.bluez.setPower(false, adapter: 1)
        stage.advance(1_000)
        #expect(adapters.elements.last?.filter(\.isSelected).map(\.name) == ["hci0"])
    }
}
