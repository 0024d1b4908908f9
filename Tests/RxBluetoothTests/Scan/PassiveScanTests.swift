import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Passive scans of a simulated bluetoothd, from both sources.
struct PassiveScanTests {
    private static let company = AdvertisementPattern.manufacturerData(of: 0x59)
    private static let climate = AdvertisementPattern.serviceData(of: 0x181A)
    private static let sources = [ScanSource.dbus, .management]

    private static let one: BluetoothAddress = "C0:00:00:00:00:01"
    private static let two: BluetoothAddress = "C0:00:00:00:00:02"
    private static let three: BluetoothAddress = "C0:00:00:00:00:03"

    private let crowd = Scenario(peripherals: [
        .beacon("C0:00:00:00:00:01", name: "One", rssi: -40),
        .beacon(
            "C0:00:00:00:00:02", name: "Two", rssi: -50, manufacturerData: [0x59: [1, 2]],
            firstAfter: .milliseconds(10)),
        .beacon("C0:00:00:00:00:03", rssi: -60, serviceData: ["181a": [4]], firstAfter: .milliseconds(20)),
    ])

    private func stage() -> Stage { Stage.withSockets(crowd).0 }

    private func passive(
        _ patterns: AdvertisementPattern..., source: ScanSource = .dbus, resumes: Bool = false
    ) -> ScanOptions {
        ScanOptions(allowsDuplicates: true, resumes: resumes, source: source, mode: .passive(patterns: patterns))
    }

    private func addresses(_ scan: Recording<ScannedPeripheral>, since count: Int = 0) -> Set<BluetoothAddress> {
        Set(scan.elements.dropFirst(count).map(\.peripheral.address))
    }

    @Test(.proves(.Q67), .covers(.passiveScan), arguments: sources)
    func `A passive scan emits each advertisement that matches, without discovery`(_ source: ScanSource) {
        let stage = stage()
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: passive(Self.company, source: source)))
        stage.advance(2_000)
        #expect(addresses(scan) == [Self.two])
        #expect(scan.elements.count > 15)
        #expect(scan.elements.allSatisfy { $0.rssi == -50 && !$0.isCached })
        #expect(scan.elements.allSatisfy { $0.advertisementData.manufacturerData == [0x59: [1, 2]] })
        #expect(scan.elements.allSatisfy { ($0.advertisementData.rawData != nil) == (source == .management) })
        #expect(stage.methods == ["RegisterMonitor"])
        scan.dispose()
        stage.advance(100)
        #expect(stage.methods == ["RegisterMonitor", "UnregisterMonitor"])
        stage.expectSettled()
    }

    @Test(arguments: sources) func `A passive scan receives no names`(_ source: ScanSource) {
        let stage = stage()
        let scan = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company, source: source)))
        stage.advance(1_000)
        #expect(scan.elements.count > 7 && scan.elements.allSatisfy { $0.advertisementData.localName == nil })
        if source == .management {
            #expect(scan.elements.first?.advertisementData.structures.map(\.type) == [0x01, 0xFF])
        }
        let active = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(source: source)))
        stage.advance(1_000)
        #expect(active.elements.contains { $0.advertisementData.localName == "Two" })
    }

    @Test(arguments: sources)
    func `Without duplicates, a device is emitted once`(_ source: ScanSource) {
        let stage = stage()
        let options = ScanOptions(source: source, mode: .passive(patterns: AdvertisementPattern.almostAll))
        let scan = stage.record(stage.manager.scanForPeripherals(options: options))
        let listed = stage.record(stage.manager.scanForPeripherals(withServices: [0x181A], options: options))
        stage.advance(3_000)
        #expect(scan.elements.map(\.peripheral.address).sorted() == [Self.one, Self.two, Self.three])
        #expect(listed.elements.map(\.peripheral.address) == [Self.three])
    }

    @Test(arguments: sources)
    func `A device that is removed and found again is emitted again`(_ source: ScanSource) throws {
        let stage = stage()
        let options = ScanOptions(source: source, mode: .passive(patterns: [Self.company]))
        let scan = stage.record(stage.manager.scanForPeripherals(options: options))
        stage.advance(1_000)
        let forgotten = stage.record(try #require(scan.elements.first).peripheral.forget())
        stage.advance(1_000)
        #expect(forgotten.isCompleted)
        #expect(scan.elements.map(\.peripheral.address) == [Self.two, Self.two])
    }

    @Test(arguments: sources)
    func `Scans with different patterns share a monitor, which is replaced`(_ source: ScanSource) {
        let stage = stage()
        let first = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company, source: source)))
        stage.advance(1_000)
        let second = stage.record(stage.manager.scanForPeripherals(options: passive(Self.climate, source: source)))
        let start = first.elements.count
        stage.advance(2_000)
        #expect(first.elements.count > start + 15)
        #expect(second.elements.count > 15)
        // bluetoothd does not report which pattern a packet matches.
        let both: Set = [Self.two, Self.three]
        #expect(addresses(first) == (source == .dbus ? both : [Self.two]))
        #expect(addresses(second) == (source == .dbus ? both : [Self.three]))
        second.dispose()
        stage.advance(100)
        let count = first.elements.count
        stage.advance(2_000)
        #expect(addresses(first, since: count) == [Self.two])
        #expect(first.elements.count > count + 15)
        #expect(stage.methods == ["RegisterMonitor"])
        first.dispose()
        stage.advance(100)
        #expect(stage.count("UnregisterMonitor") == 1)
        stage.expectSettled()
    }

    @Test(arguments: sources)
    func `An active scan works at the same time`(_ source: ScanSource) {
        let stage = stage()
        let passive = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company, source: source)))
        stage.advance(1_000)
        let active = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, source: source)))
        stage.advance(2_000)
        #expect(addresses(active) == [Self.one, Self.two, Self.three])
        #expect(addresses(passive) == [Self.two])
        #expect(abs(passive.elements.count - 30) <= 2)
        #expect(abs(active.elements.count - 60) <= 6)
        active.dispose()
        stage.advance(100)
        let count = passive.elements.count
        stage.advance(1_000)
        #expect(passive.elements.count > count + 7 && active.elements.count < 70)
        #expect(stage.count("StopDiscovery") == 1 && stage.count("UnregisterMonitor") == 0)
    }

    @Test func `A device that only a passive scan has received is cached for active scans`() {
        let stage = stage()
        stage.simulation.bluez.advertise(nil, from: "C0:00:00:00:00:02")
        let active = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        active.dispose()
        stage.simulation.bluez.advertise(
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, manufacturerData: [0x59: [1, 2]]),
            from: "C0:00:00:00:00:02")
        let passive = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company)))
        stage.advance(1_000)
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(10)
        #expect(passive.elements.last?.isCached == false)
        let device = known.elements.first?.first { $0.peripheral.address == Self.two }
        #expect(device?.isCached == true)
    }

    @Test(.proves(.S21), arguments: sources)
    func `Presence follows a passive scan`(_ source: ScanSource) {
        let stage = stage()
        let presence = stage.record(
            stage.manager.observePresence(
                options: passive(Self.company, source: source), presence: PresenceOptions(silence: .seconds(2))))
        stage.advance(5_000)
        #expect(presence.elements.count == 1)
        stage.simulation.bluez.advertise(nil, from: "C0:00:00:00:00:02")
        stage.advance(5_000)
        #expect(presence.elements.count == 2)
    }

    @Test(arguments: sources)
    func `A silent passive scan is restarted`(_ source: ScanSource) {
        let stage = stage()
        let events = stage.record(stage.manager.events)
        var options = passive(AdvertisementPattern(type: 0xFF, bytes: [9]), source: source)
        options.restartsAfterSilence = .seconds(1)
        let scan = stage.record(stage.manager.scanForPeripherals(options: options))
        stage.advance(3_500)
        #expect(scan.isLive && stage.methods == ["RegisterMonitor"])
        #expect(events.elements.contains { $0.kind == .scanRestarted(adapter: "hci0") })
    }

    // MARK: Outages

    @Test(.proves(.S13, .Q2), arguments: sources)
    func `A passive scan fails when bluetoothd crashes, and resumes on request`(_ source: ScanSource) {
        let stage = stage()
        let plain = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company, source: source)))
        let resuming = stage.record(
            stage.manager.scanForPeripherals(options: passive(Self.company, source: source, resumes: true)))
        stage.advance(1_000)
        stage.simulation.bluez.crash()
        stage.advance(1_000)
        #expect(plain.kind == .daemonUnavailable && resuming.isLive)
        #expect(stage.count("UnregisterMonitor") == 0)
        let count = resuming.elements.count
        stage.simulation.bluez.start()
        stage.advance(5_000)
        #expect(resuming.elements.count > count + 15 && resuming.elements.last?.isCached == false)
        #expect(stage.count("RegisterMonitor") == 2)
        resuming.dispose()
        stage.advance(100)
        #expect(stage.count("UnregisterMonitor") == 1)
        stage.expectSettled()
    }

    @Test(.proves(.S13)) func `Switched off, the adapter ends a passive scan, which resumes on request`() {
        let stage = stage()
        let plain = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company)))
        let resuming = stage.record(
            stage.manager.scanForPeripherals(options: passive(Self.company, resumes: true)))
        stage.advance(1_000)
        stage.simulation.bluez.setPower(false)
        stage.advance(1_000)
        #expect(plain.kind == .poweredOff && resuming.isLive)
        // Without this, bluetoothd would use the monitor again when the adapter is switched on.
        #expect(stage.methods == ["RegisterMonitor", "UnregisterMonitor"])
        let count = resuming.elements.count
        stage.simulation.bluez.setPower(true)
        stage.advance(5_000)
        #expect(resuming.elements.count > count + 15)
        #expect(stage.count("RegisterMonitor") == 2)
    }

    @Test(.proves(.S13)) func `A removed adapter ends a passive scan without a call`() {
        let stage = stage()
        let scan = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company)))
        stage.advance(1_000)
        stage.simulation.bluez.removeAdapter()
        stage.advance(1_000)
        #expect(scan.kind == .noAdapter && scan.error?.operation == .scan)
        #expect(stage.methods == ["RegisterMonitor"])
        stage.expectSettled()
    }

    @Test(.proves(.S44)) func `Closing the manager unregisters the monitor`() {
        let stage = stage()
        let scan = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company)))
        stage.advance(1_000)
        let closed = stage.record(stage.manager.close())
        stage.advance(100)
        #expect(scan.kind == .closed && closed.isCompleted)
        #expect(stage.methods == ["RegisterMonitor", "UnregisterMonitor"])
    }

    @Test func `A scan that follows a disposed one at once uses another application`() {
        let stage = stage()
        let first = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company)))
        stage.advance(1_000)
        first.dispose()
        let second = stage.record(stage.manager.scanForPeripherals(options: passive(Self.climate)))
        stage.advance(1_000)
        #expect(addresses(second) == [Self.three])
        #expect(stage.methods == ["RegisterMonitor", "UnregisterMonitor", "RegisterMonitor"])
    }

    // MARK: Without experimental mode

    @Test(.proves(.Q67), arguments: ["UnknownMethod", "UnknownInterface"])
    func `Without the experimental mode, a passive scan fails and sends no requests`(_ name: String) {
        let stage = stage()
        stage.simulation.bluez.add(
            Fault(
                "RegisterMonitor",
                .error(
                    "org.freedesktop.DBus.Error.\(name)",
                    "Method \"RegisterMonitor\" with signature \"o\" on interface "
                        + "\"org.bluez.AdvertisementMonitorManager1\" doesn't exist\n")))
        let events = stage.record(stage.manager.events)
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: passive(Self.company, resumes: true)))
        stage.advance(1_000)
        #expect(scan.kind == .unsupported)
        #expect(
            scan.error?.description
                == "Scanning: it is not supported (bluetoothd has no advertisement monitors, which need its experimental "
                + "mode). Start bluetoothd with its experimental mode (-E), use a newer kernel, or scan with the mode "
                + ".active.")
        #expect(stage.methods == ["RegisterMonitor"])
        #expect(
            events.elements.contains {
                if case .scanRefused(adapter: "hci0", let error, again: nil) = $0.kind {
                    error.kind == .unsupported
                } else {
                    false
                }
            })
        stage.expectSettled()
    }

    @Test func `A program can continue with an active scan`() {
        let stage = stage()
        stage.simulation.bluez.add(Fault("RegisterMonitor", .error("org.freedesktop.DBus.Error.UnknownMethod", "")))
        let scan = stage.record(Self.scanPassivelyIfPossible(stage.manager))
        stage.advance(1_000)
        #expect(addresses(scan) == [Self.one, Self.two, Self.three])
    }

    /// The example in the documentation of ``ScanMode/passive(patterns:)``.
    private static func scanPassivelyIfPossible(_ manager: BluetoothManager) -> Observable<ScannedPeripheral> {
        let passive = ScanOptions(mode: .passive(patterns: AdvertisementPattern.almostAll))
        return manager.scanForPeripherals(options: passive)
            .catch { error in
                guard (error as? BluetoothError)?.kind == .unsupported else { throw error }
                return manager.scanForPeripherals()
            }
    }

    // MARK: Sources and diagnosis

    @Test func `If the socket is closed, an automatic passive scan continues over D-Bus`() {
        let stage = stage()
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: passive(Self.company, source: .automatic)))
        stage.advance(1_000)
        #expect(scan.elements.last?.advertisementData.rawData != nil)
        stage.simulation.bluez.closeManagementSockets()
        stage.advance(100)
        let count = scan.elements.count
        stage.advance(1_000)
        #expect(scan.elements.count > count + 7 && scan.elements.last?.advertisementData.rawData == nil)
        #expect(stage.methods == ["RegisterMonitor"])
    }

    @Test func `diagnose reports a passive scan and its source`() throws {
        let stage = stage()
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: passive(Self.company, source: .automatic)))
        stage.advance(2_500)
        let asked = stage.record(stage.manager.diagnose())
        stage.advance(100)
        let diagnosis = try #require(asked.elements.first)
        let status = try #require(diagnosis.scans.first)
        #expect(status.isPassive && status.step == .active && status.source.source == .management)
        #expect(diagnosis.description.contains("This program has been scanning passively with hci0 for 2 s (1 scan)"))
        #expect(diagnosis.foreignScans.isEmpty && scan.isLive)
    }

    @Test func `Events report the start and the end of a passive scan`() {
        let stage = stage()
        let events = stage.record(stage.manager.events)
        let scan = stage.record(stage.manager.scanForPeripherals(options: passive(Self.company)))
        stage.advance(1_000)
        scan.dispose()
        stage.advance(100)
        let kinds = events.elements.map(\.kind)
        #expect(kinds.contains(.scanBegan(adapter: "hci0")))
        #expect(kinds.contains(.scanEnded(adapter: "hci0", nil)))
    }
}
