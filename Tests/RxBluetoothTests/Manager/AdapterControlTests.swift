import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Switching an adapter on and off, naming it, and the streams that show its power and its scans.
struct AdapterControlTests {
    private typealias Objects = ScriptedDaemon.Objects

    /// A controller with rfkill switches, and nothing else.
    private struct Switches: HostController {
        let switches: [RadioSwitch]

        func readRSSI(
            of address: BluetoothAddress, on adapter: String, deadline: Duration,
            _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
        ) { answer(.failure(BluetoothError(.unsupported))) }

        func radioSwitches() -> [RadioSwitch] { switches }
    }

    private static let off = Objects.adapter.setting(
        Objects.adapterPath, "org.bluez.Adapter1", ["Powered": .bool(false), "PowerState": .string("off")])

    private static func stage(
        _ objects: Objects = off, controller: (any HostController)? = nil
    ) -> (Stage, ScriptedDaemon) {
        let stage = Stage(starting: false, controller: controller)
        return (stage, ScriptedDaemon(on: stage, objects))
    }

    private static func show(_ isOn: Bool, _ state: String, _ daemon: ScriptedDaemon) {
        daemon.change(
            Objects.adapterPath, "org.bluez.Adapter1", ["Powered": .bool(isOn), "PowerState": .string(state)])
    }

    @Test(.proves(.S109, .Q31), .covers(.adapterPower)) func `Switching off and on completes when the state is shown`()
    {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        let power = stage.record(stage.manager.adapterPower)
        stage.advance(10)
        let off = stage.record(stage.manager.setPowered(false))
        stage.advance(1_000)
        #expect(off.isCompleted)
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(1_000)
        #expect(on.isCompleted)
        #expect(states.elements == [.poweredOn, .poweredOff, .poweredOn])
        #expect(power.elements.map(\.state) == [.on, .onDisabling, .off, .offEnabling, .on])
        #expect(power.elements.allSatisfy { $0.failure == nil && $0.adapterName == "hci0" })
        #expect(stage.count("Set") == 2)
    }

    @Test(.proves(.S109)) func `A state that is shown already completes without a call`() {
        let stage = Stage()
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(10)
        #expect(on.isCompleted)
        #expect(stage.count("Set") == 0)
    }

    @Test(.proves(.S109, .Q31)) func `An adapter that is being switched off is switched on again by a call`() {
        let (stage, daemon) = Self.stage()
        let power = stage.record(stage.manager.adapterPower)
        stage.advance(10)
        Self.show(true, "on-disabling", daemon)
        stage.advance(10)
        #expect(power.elements.last?.state == .onDisabling)
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(10)
        #expect(on.isLive && daemon.count("Set") == 1)
    }

    @Test(.proves(.S109, .Q31)) func `A reply alone does not complete the request`() {
        let (stage, daemon) = Self.stage()
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(0)
        daemon.take("Set").reply()
        Self.show(false, "off-enabling", daemon)
        stage.advance(5_000)
        #expect(on.isLive)
        Self.show(true, "on", daemon)
        stage.advance(0)
        #expect(on.isCompleted)
        stage.expectNoTimers()
    }

    @Test(.proves(.S109)) func `A state that is never shown times out, and the failure stays visible`() {
        let (stage, daemon) = Self.stage()
        let power = stage.record(stage.manager.adapterPower)
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(0)
        daemon.take("Set").reply()
        stage.advance(9_999)
        #expect(on.isLive)
        stage.advance(1)
        #expect(on.kind == .timedOut)
        #expect(on.error?.operation == .setPower)
        #expect(on.error?.target == "hci0")
        #expect(power.elements.last?.failure?.kind == .timedOut)
        // The adapter is switched on after all, so the failure is not true any more.
        Self.show(true, "on", daemon)
        stage.advance(0)
        #expect(power.elements.last == AdapterPower(adapterName: "hci0", state: .on, failure: nil))
    }

    @Test(.proves(.S109, .Q30), arguments: [true, false])
    func `An adapter that rfkill blocks fails at once, with the kind of the switch`(isHard: Bool) {
        let switches = Switches(switches: [RadioSwitch(name: "hci0", isSoftBlocked: !isHard, isHardBlocked: isHard)])
        let stage = Stage(
            Scenario(adapters: [SimulatedAdapter(blocked: true)], peripherals: []), controller: switches)
        let power = stage.record(stage.manager.adapterPower)
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(10)
        #expect(on.kind == .blocked)
        #expect(on.error?.isHardwareBlocked == isHard)
        #expect(on.error?.advice?.contains(isHard ? "hardware switch" : "rfkill unblock") == true)
        #expect(stage.count("Set") == 0)
        #expect(power.elements.last?.state == .offBlocked)
        #expect(power.elements.last?.failure?.kind == .blocked)
        // Unblocking removes the failure.
        stage.simulation.bluez.setBlocked(false)
        stage.advance(1_000)
        #expect(power.elements.last == AdapterPower(adapterName: "hci0", state: .on, failure: nil))
    }

    @Test(.proves(.S109, .Q22, .Q30)) func `An unspecific failure is named blocked if the rfkill switch is on`() {
        let blocked = Switches(switches: [RadioSwitch(name: "hci0", isSoftBlocked: true, isHardBlocked: false)])
        for (controller, kind) in [(blocked, BluetoothError.Kind.blocked), (Switches(switches: []), .bluez)] {
            let (stage, daemon) = Self.stage(controller: controller)
            let on = stage.record(stage.manager.setPowered(true))
            stage.advance(0)
            daemon.take("Set").fail("org.bluez.Error.Failed", "Failed")
            stage.advance(0)
            #expect(on.kind == kind)
            #expect(on.error?.dbusName == "org.bluez.Error.Failed")
        }
    }

    @Test(.proves(.S109, .Q15)) func `A missing permission is a typed error, which adapterPower shows`() {
        let (stage, daemon) = Self.stage()
        let power = stage.record(stage.manager.adapterPower)
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(0)
        daemon.take("Set").fail("org.freedesktop.DBus.Error.AccessDenied", "Rejected send message")
        stage.advance(0)
        #expect(on.kind == .unauthorized)
        #expect(power.elements.last?.failure?.kind == .unauthorized)
        #expect(power.elements.last?.state == .off)
        // The next request removes the failure of the previous one when it starts.
        let again = stage.record(stage.manager.setPowered(true))
        stage.advance(0)
        #expect(power.elements.last?.failure == nil)
        withExtendedLifetime(again) {}
    }

    @Test(.proves(.S109)) func `A request is repeated while another program switches the adapter`() {
        let (stage, daemon) = Self.stage()
        let on = stage.record(stage.manager.setPowered(true))
        stage.advance(0)
        for _ in 1...3 {
            daemon.take("Set").fail("org.bluez.Error.Busy", "")
            stage.advance(250)
        }
        daemon.take("Set").reply()
        Self.show(true, "on", daemon)
        stage.advance(0)
        #expect(on.isCompleted)
        #expect(daemon.count("Set") == 4)
        stage.expectNoTimers()
    }

    @Test(.proves(.S109)) func `Requests of one manager are executed in order`() {
        let stage = Stage()
        let requests = [false, true, false].map { stage.record(stage.manager.setPowered($0)) }
        stage.advance(2_000)
        #expect(requests.map(\.isCompleted) == [true, true, true])
        #expect(requests[0].times[0] < requests[1].times[0] && requests[1].times[0] < requests[2].times[0])
        let state = stage.record(stage.manager.state)
        stage.advance(0)
        #expect(state.elements == [.poweredOff])
    }

    @Test(.proves(.S109)) func `A request that waits is removed when it is disposed of`() {
        let (stage, daemon) = Self.stage()
        let first = stage.record(stage.manager.setPowered(true))
        let second = stage.record(stage.manager.setPowered(false))
        stage.advance(0)
        second.dispose()
        stage.advance(0)
        daemon.take("Set").reply()
        Self.show(true, "on", daemon)
        stage.advance(0)
        #expect(first.isCompleted)
        #expect(daemon.count("Set") == 1)
    }

    @Test(.proves(.S1, .S109), arguments: [BluetoothState.noAdapter, .daemonUnavailable])
    func `Without an adapter or bluetoothd, nothing is sent`(state: BluetoothState) {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        let power = stage.record(stage.manager.adapterPower)
        stage.advance(10)
        stage.bringAbout(state)
        stage.advance(100)
        #expect(states.elements.last == state)
        let on = stage.record(stage.manager.setPowered(true))
        let alias = stage.record(stage.manager.setAlias("kitchen"))
        stage.advance(10)
        #expect(on.error?.kind == power.elements.last?.failure?.kind)
        #expect(alias.kind == on.kind && on.kind != nil)
        #expect(power.elements.last?.state == nil)
        #expect(stage.count("Set") == 0)
    }

    @Test(.proves(.S109, .Q2)) func `Losing the adapter, bluetoothd or the manager fails a pending request`() {
        for (loss, kind): ((Stage, ScriptedDaemon) -> Void, BluetoothError.Kind) in [
            ({ $1.remove(Objects.adapterPath, "org.bluez.Adapter1") }, .noAdapter),
            ({ $1.crash() }, .daemonUnavailable), ({ stage, _ in _ = stage.record(stage.manager.close()) }, .closed),
        ] {
            let (stage, daemon) = Self.stage()
            let first = stage.record(stage.manager.setPowered(true))
            let second = stage.record(stage.manager.setPowered(false))
            stage.advance(0)
            loss(stage, daemon)
            stage.advance(10)
            #expect(first.kind == kind)
            #expect(second.kind == kind)
            #expect(daemon.count("Set") == 1)
        }
    }

    @Test(.proves(.S109), arguments: [Duration.zero, .seconds(-1)])
    func `A deadline of zero or less has passed at once`(deadline: Duration) {
        var deadlines = Deadlines()
        deadlines.power = deadline
        let stage = Stage(deadlines: deadlines)
        let off = stage.record(stage.manager.setPowered(false))
        stage.advance(10)
        #expect(off.kind == .timedOut)
        stage.advance(1_000)
        #expect(off.times.count == 1)
    }

    // MARK: Name

    @Test(.proves(.S110), .covers(.adapterName))
    func `A name is set while the adapter is off, and an empty one restores the default`() {
        let stage = Stage(Scenario(adapters: [SimulatedAdapter(powered: false)], peripherals: []))
        let adapters = stage.record(stage.manager.adapters)
        stage.advance(10)
        let named = stage.record(stage.manager.setAlias("Küche"))
        stage.advance(10)
        #expect(named.isCompleted)
        let restored = stage.record(stage.manager.setAlias(nil))
        stage.advance(10)
        #expect(restored.isCompleted)
        #expect(adapters.elements.compactMap(\.first?.alias) == ["simulation", "Küche", "simulation"])
    }

    @Test(.proves(.S110), arguments: [String(repeating: "ü", count: 124), "a\0b"])
    func `An invalid name is refused before anything is sent`(name: String) {
        let stage = Stage()
        let named = stage.record(stage.manager.setAlias(name))
        stage.advance(10)
        #expect(named.kind == .invalidArgument)
        #expect(named.error?.operation == .setAlias)
        #expect(stage.count("Set") == 0)
        let (adapters, longest) = (stage.record(stage.manager.adapters), String(repeating: "ü", count: 123) + "a")
        let accepted = stage.record(stage.manager.setAlias(longest))
        stage.advance(10)
        #expect(accepted.isCompleted && adapters.elements.last?.first?.alias == longest)
    }

    @Test(.proves(.S110, .Q15)) func `A refused name is a typed error`() {
        let (stage, daemon) = Self.stage()
        let named = stage.record(stage.manager.setAlias("kitchen"))
        stage.advance(0)
        daemon.take("Set").fail("org.freedesktop.DBus.Error.AccessDenied")
        stage.advance(0)
        #expect(named.kind == .unauthorized)
        #expect(named.error?.description.hasPrefix("Changing the name of hci0: ") == true)
    }

    // MARK: Scanning

    @Test(.proves(.S111)) func `Scanning is true while this manager has a discovery session`() {
        let stage = Stage()
        let isScanning = stage.record(stage.manager.isScanning)
        let other = stage.record(stage.manager.using(.named("hci7")).isScanning)
        stage.advance(10)
        let first = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        let second = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        first.dispose()
        stage.advance(1_000)
        #expect(isScanning.elements == [false, true])
        second.dispose()
        stage.advance(1_000)
        #expect(isScanning.elements == [false, true, false])
        #expect(other.elements == [false])
    }

    @Test(.proves(.S111)) func `Scanning is true while a passive scan has an active monitor`() {
        let scenario = Scenario(peripherals: [
            .beacon("C0:00:00:00:00:02", name: "Two", rssi: -50, manufacturerData: [0x59: [1, 2]])
        ])
        let stage = Stage.withSockets(scenario).0
        let isScanning = stage.record(stage.manager.isScanning)
        stage.advance(10)
        let passive = { (company: UInt16) in
            stage.record(
                stage.manager.scanForPeripherals(
                    options: ScanOptions(mode: .passive(patterns: [.manufacturerData(of: company)]))))
        }
        let first = passive(0x59)
        stage.advance(1_000)
        #expect(isScanning.elements == [false, true])
        // A second pattern replaces the monitor, and an active scan uses another session.
        let others = [passive(0x4C), stage.record(stage.manager.scanForPeripherals())]
        stage.advance(1_000)
        first.dispose()
        others[1].dispose()
        stage.advance(1_000)
        #expect(isScanning.elements == [false, true])
        others[0].dispose()
        stage.advance(1_000)
        #expect(isScanning.elements == [false, true, false])
    }

    @Test(.proves(.S111, .Q40)) func `Scans of other programs do not count`() {
        let stage = Stage()
        let isScanning = stage.record(stage.manager.isScanning)
        let adapters = stage.record(stage.manager.adapters)
        stage.advance(10)
        stage.simulation.bluez.competingClient().startDiscovery()
        stage.advance(1_000)
        #expect(adapters.elements.last?.first?.isDiscovering == true)
        #expect(isScanning.elements == [false])
    }

    @Test(.proves(.S111), arguments: [BluetoothState.poweredOff, .noAdapter, .daemonUnavailable])
    func `A lost session ends scanning, and a resumed one begins it again`(state: BluetoothState) {
        let stage = Stage()
        let isScanning = stage.record(stage.manager.isScanning)
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(resumes: true)))
        stage.advance(1_000)
        stage.bringAbout(state)
        stage.advance(1_000)
        #expect(isScanning.elements == [false, true, false])
        switch state {
        case .poweredOff: stage.simulation.bluez.setPower(true)
        case .noAdapter: stage.simulation.bluez.addAdapter()
        default: stage.simulation.bluez.start()
        }
        stage.advance(20_000)
        #expect(isScanning.elements == [false, true, false, true])
        #expect(scan.isLive)
    }

    @Test(.proves(.S111)) func `A restart after silence does not end scanning, unless it is refused`() {
        let (stage, daemon) = Self.stage(.oneDevice)
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let isScanning = stage.record(stage.manager.isScanning)
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(restartsAfterSilence: .seconds(1))))
        stage.advance(5_000)
        #expect(daemon.count("StartDiscovery") > 1)
        #expect(isScanning.elements == [false, true])
        daemon.always("StartDiscovery") { $0.fail(DBusError(name: "org.bluez.Error.InProgress", message: "")) }
        stage.advance(40_000)
        #expect(isScanning.elements == [false, true, false])
        withExtendedLifetime(scan) {}
    }

    @Test(.proves(.S109, .S111)) func `Closing the manager fails the streams of the adapter`() {
        let stage = Stage()
        let isScanning = stage.record(stage.manager.isScanning)
        let power = stage.record(stage.manager.adapterPower)
        stage.advance(10)
        let closed = stage.record(stage.manager.close())
        stage.advance(10)
        #expect(closed.isCompleted)
        #expect(isScanning.kind == .closed && power.kind == .closed)
    }
}
