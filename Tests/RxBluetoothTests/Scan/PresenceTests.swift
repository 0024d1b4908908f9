import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct PresenceTests {
    private let first = "C0:00:00:00:00:01"
    private let second = "C0:00:00:00:00:02"

    private func stage() -> Stage { Stage(with: [.beacon(first), .beacon(second)]) }

    /// Returns the changes as `+1` or `-1` with the last digit of the address, and their times in seconds.
    private func told(_ recording: Recording<PresenceChange>) -> [String] {
        zip(recording.elements, recording.times).map { change, time in
            switch change {
            case .found(let scanned): "+\(scanned.peripheral.address.description.suffix(1)) \(time / 1_000)"
            case .lost(let peripheral): "-\(peripheral.address.description.suffix(1)) \(time / 1_000)"
            }
        }
    }

    @Test(.proves(.S21), .covers(.presence))
    func `A device is found once, lost after 10 s of silence, and found again`() {
        let stage = stage()
        let presence = stage.record(stage.manager.observePresence())
        stage.advance(20_500)
        #expect(told(presence) == ["+1 0", "+2 0"])
        stage.simulation.bluez.setInRange(false, first)
        stage.advance(9_000)
        #expect(presence.elements.count == 2)
        stage.advance(2_000)
        #expect(told(presence) == ["+1 0", "+2 0", "-1 30"])
        stage.simulation.bluez.setInRange(true, first)
        stage.advance(1_000)
        #expect(told(presence).last == "+1 31")
        #expect(presence.isLive)
    }

    @Test(.proves(.S21), arguments: ["adapter", "power", "crash", "stop", "bus"])
    func `The obstacle is emitted before the devices that are lost by it`(cause: String) {
        let stage = stage()
        let order = stage.record(
            Observable.merge(
                stage.manager.observePresence(options: ScanOptions(resumes: true)).map { change in
                    if case .lost = change { "lost" } else { "found" }
                },
                stage.manager.obstacle.map { $0 == nil ? "none" : "obstacle" }))
        stage.advance(1_000)
        let bluez = stage.simulation.bluez
        switch cause {
        case "adapter": bluez.removeAdapter()
        case "power": bluez.setPower(false)
        case "crash": bluez.crash()
        case "bus": bluez.loseBus()
        default: bluez.stop()
        }
        stage.advance(2_000)
        let lost = order.elements.firstIndex(of: "lost")
        #expect(order.elements.count { $0 == "lost" } == 2)
        #expect(order.elements.prefix(lost ?? 0).last == "obstacle", "\(order.elements)")
    }

    @Test(.proves(.S21)) func `A connected device is found when its services are read`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneDevice)
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        daemon.deviceChanges(["Connected": .bool(true)])
        let presence = stage.record(stage.manager.observePresence(withServices: [0x180D]))
        stage.advance(100)
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(1_000)
        #expect(presence.elements.isEmpty)
        daemon.deviceChanges([
            "UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"]), "ServicesResolved": .bool(true),
        ])
        stage.advance(100)
        #expect(told(presence) == ["+1 1"])
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        stage.advance(11_000)
        #expect(told(presence) == ["+1 1", "-1 11"])
    }

    @Test(.proves(.S21)) func `A silence shorter than the option loses no device`() {
        let stage = stage()
        let presence = stage.record(stage.manager.observePresence(silence: .seconds(3)))
        stage.advance(1_000)
        for _ in 0..<3 {
            stage.simulation.bluez.setInRange(false, first)
            stage.advance(2_800)
            stage.simulation.bluez.setInRange(true, first)
            stage.advance(1_000)
        }
        #expect(told(presence) == ["+1 0", "+2 0"])
        stage.simulation.bluez.setInRange(false, first)
        stage.advance(3_100)
        #expect(presence.elements.count == 3)
    }

    @Test(.proves(.S21)) func `Presence applies filters and shares the discovery session`() {
        let stage = stage()
        let scan = stage.record(stage.manager.scanForPeripherals())
        let presence = stage.record(
            stage.manager.observePresence(
                options: ScanOptions(filters: [ScanFilter(address: "C0:00:00:00:00:02")])))
        stage.advance(1_000)
        #expect(told(presence) == ["+2 0"])
        #expect(stage.count("StartDiscovery") == 1)
        presence.dispose()
        stage.advance(20_000)
        #expect(presence.elements.count == 1)
        #expect(scan.isLive)
        #expect(stage.count("StopDiscovery") == 0)
        scan.dispose()
        stage.advance(1_000)
        #expect(stage.count("StopDiscovery") == 1)
    }

    @Test(.proves(.S21)) func `All devices are lost before an interrupted scan fails or waits`() {
        for resumes in [false, true] {
            let stage = stage()
            let presence = stage.record(stage.manager.observePresence(options: ScanOptions(resumes: resumes)))
            stage.advance(1_500)
            stage.simulation.bluez.crash()
            stage.advance(1_000)
            #expect(Array(told(presence).prefix(4)) == ["+1 0", "+2 0", "-1 1", "-2 1"])
            #expect(presence.error?.kind == (resumes ? nil : .daemonUnavailable))
            stage.simulation.bluez.start()
            stage.advance(5_000)
            #expect(presence.elements.count == (resumes ? 6 : 4))
        }
    }

    // MARK: Connected peripherals

    /// Makes a stage (a manager and a simulation) on which the sensor is found, and connected after 1 s.
    private func connected(
        _ options: PresenceOptions = PresenceOptions(), byOther: Bool = false
    ) -> (Stage, Recording<PresenceChange>, Peripheral, Recording<Peripheral>?, Any?) {
        let (stage, peripheral) = Stage.withSensor()
        let presence = stage.record(
            stage.manager.observePresence(
                options: ScanOptions(filters: [ScanFilter(address: Sensor.address)]), presence: options))
        stage.advance(1_000)
        #expect(told(presence) == ["+1 0"])
        let link = byOther ? nil : stage.record(peripheral.connect())
        let other: Any? = byOther ? stage.otherProgram("Connect") : nil
        stage.advance(1_000)
        return (stage, presence, peripheral, link, other)
    }

    @Test(.proves(.S21), arguments: [false, true])
    func `A connected peripheral is present; its silence starts when the link ends`(byOther: Bool) {
        let (stage, presence, _, link, other) = connected(byOther: byOther)
        stage.advance(60_000)
        #expect(presence.elements.count == 1)
        stage.simulation.bluez.setInRange(false, Sensor.text)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(9_900)
        #expect(presence.elements.count == 1)
        stage.advance(200)
        #expect(told(presence).last == "-1 72")
        #expect(presence.isLive)
        withExtendedLifetime((link, other)) {}
    }

    @Test func `Presence retries a failing scan slowly while a peripheral is connected`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        stage.advance(1_000)
        stage.simulation.bluez.add(Fault("Adapter1.StartDiscovery", .error("org.bluez.Error.Failed", "Failed")))
        let before = stage.count("StartDiscovery")
        let presence = stage.record(stage.manager.observePresence(options: ScanOptions(resumes: true)))
        stage.advance(120_000)
        #expect((2..<20).contains(stage.count("StartDiscovery") - before))
        #expect(presence.isLive)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S21)) func `A peripheral in range is not lost when its link ends`() {
        let (stage, presence, _, link, _) = connected()
        stage.advance(30_000)
        link?.dispose()
        stage.advance(30_000)
        #expect(told(presence) == ["+1 0"])
    }

    @Test(.proves(.S21)) func `Presence ignores connections if the options exclude them`() {
        let (stage, presence, _, link, _) = connected(PresenceOptions(includesConnected: false))
        stage.advance(8_000)
        #expect(presence.elements.count == 1)
        stage.advance(2_000)
        #expect(told(presence).last == "-1 11")
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S21)) func `A connected peripheral that passes the filters is found at once`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let manager = stage.manager
        let all = stage.record(
            manager.observePresence(options: ScanOptions(filters: [ScanFilter(address: Sensor.address)])))
        let listed = stage.record(manager.observePresence(withServices: [Sensor.service, 0x1234]))
        let others = stage.record(manager.observePresence(withServices: [0x1234]))
        let heard = stage.record(manager.observePresence(presence: PresenceOptions(includesConnected: false)))
        stage.advance(0)
        for presence in [all, listed] {
            guard case .found(let scanned)? = presence.elements.first else {
                Issue.record("It was not found.")
                continue
            }
            #expect(scanned.peripheral === peripheral && scanned.isCached)
        }
        stage.advance(60_000)
        #expect(all.elements.count == 1)
        #expect(others.elements.isEmpty)
        #expect(
            heard.elements.allSatisfy {
                if case .found(let scanned) = $0 { scanned.peripheral !== peripheral } else { true }
            })
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S21)) func `A silent device is found when it connects, and lost after its removal`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneDevice)
        for member in ["SetDiscoveryFilter", "StartDiscovery"] { daemon.always(member) }
        let presence = stage.record(stage.manager.observePresence())
        stage.advance(0)
        #expect(presence.elements.isEmpty)
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(60_000)
        #expect(told(presence) == ["+1 0"])
        daemon.remove(ScriptedDaemon.Objects.devicePath, "org.bluez.Device1")
        stage.advance(9_999)
        #expect(presence.elements.count == 1)
        stage.advance(1)
        #expect(told(presence) == ["+1 0", "-1 70"])
        // A device that bluetoothd adds while it is connected is also present.
        daemon.add(
            ScriptedDaemon.Objects.device.setting(
                ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Connected": .bool(true)]))
        stage.advance(60_000)
        #expect(told(presence).last == "+1 70")
    }

    @Test(.proves(.S21)) func `Devices are lost with the adapter, and disposal leaves no timer`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneDevice)
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let presence = stage.record(stage.manager.observePresence())
        let given = stage.record(stage.manager.observePresence())
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        given.dispose()
        daemon.change(ScriptedDaemon.Objects.adapterPath, "org.bluez.Adapter1", ["Powered": .bool(false)])
        stage.advance(0)
        #expect(told(presence) == ["+1 0", "-1 0"])
        #expect(presence.kind == .poweredOff)
        #expect(given.elements.count == 1)
        stage.expectNoTimers()
    }

    @Test(arguments: [Duration.seconds(Int64.min), .seconds(-1), .zero])
    func `A presence silence of zero or less is invalid and sends nothing`(silence: Duration) {
        for resumes in [false, true] {
            let stage = stage()
            let options = ScanOptions(resumes: resumes)
            let presence = stage.record(stage.manager.observePresence(options: options, silence: silence))
            stage.advance(1_000)
            #expect(presence.kind == .invalidArgument)
            #expect(presence.error?.operation == .scan)
            #expect(presence.error?.description.contains("PresenceOptions.silence") == true)
            #expect(stage.methods.isEmpty)
        }
    }

    @Test func `An unlimited silence loses no device`() {
        let stage = stage()
        let presence = stage.record(stage.manager.observePresence(silence: .seconds(Int64.max)))
        stage.advance(1_000)
        stage.simulation.bluez.setInRange(false, first)
        stage.advance(600_000)
        #expect(told(presence) == ["+1 0", "+2 0"])
    }
}
