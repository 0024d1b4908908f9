import DBus
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// Scans that receive packets from the management socket.
struct ManagementScanTests {
    private let duplicates = ScanOptions(allowsDuplicates: true)
    private let crowd = Scenario(peripherals: [
        .beacon("C0:00:00:00:00:01", name: "One", rssi: -40, services: ["180d", "0001abcd"]),
        .beacon(
            "C0:00:00:00:00:02", name: "Two", rssi: -50, manufacturerData: [0x59: [1, 2, 3], 0x4C: [2]],
            firstAfter: .milliseconds(10)),
        .beacon(
            "C0:00:00:00:00:03", rssi: -60,
            serviceData: ["181a": [4], "6e400001-b5a3-f393-e0a9-e50e24dcca9e": [5, 6]], firstAfter: .milliseconds(20)),
        SimulatedPeripheral("Four", address: "C0:00:00:00:00:04") {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -70, name: "Four", connectable: false, txPower: -8,
                services: ["6e400001-b5a3-f393-e0a9-e50e24dcca9e", "180f"], appearance: 0x0341)
        },
    ])

    /// The latest result of each device, without the raw data.
    private func table(_ scan: Recording<ScannedPeripheral>) -> [BluetoothAddress: AdvertisementData] {
        var table: [BluetoothAddress: AdvertisementData] = [:]
        for scanned in scan.elements {
            var data = scanned.advertisementData
            data.values.rawData = nil
            table[scanned.peripheral.address] = data
        }
        return table
    }

    private func strengths(_ scan: Recording<ScannedPeripheral>) -> [BluetoothAddress: Int?] {
        Dictionary(scan.elements.map { ($0.peripheral.address, $0.rssi) }) { $1 }
    }

    @Test func `Both sources emit the same devices, data and RSSI`() {
        let (stage, _) = Stage.withSockets(crowd)
        var options = duplicates
        options.source = .management
        let packets = stage.record(stage.manager.scanForPeripherals(options: options))
        // Two managers, because the scans of one manager share the records of the devices.
        let other = BluetoothManager(configuration: .init(scheduler: stage.scheduler), bus: stage.simulation.connect())
        options.source = .dbus
        let signals = stage.record(other.scanForPeripherals(options: options))
        stage.advance(3_000)
        #expect(table(signals).count == 4)
        #expect(table(packets) == table(signals))
        #expect(strengths(packets) == strengths(signals))
        #expect(abs(packets.elements.count - signals.elements.count) <= 4)
        #expect(packets.elements.allSatisfy { $0.advertisementData.rawData != nil && !$0.isCached })
        #expect(signals.elements.allSatisfy { $0.advertisementData.rawData == nil })
    }

    @Test func `Scans of one manager may use different sources`() {
        let (stage, _) = Stage.withSockets(crowd)
        var options = duplicates
        let packets = stage.record(stage.manager.scanForPeripherals(options: options))
        options.source = .dbus
        let signals = stage.record(stage.manager.scanForPeripherals(options: options))
        stage.advance(3_000)
        #expect(packets.elements.allSatisfy { $0.advertisementData.rawData != nil })
        #expect(signals.elements.allSatisfy { $0.advertisementData.rawData == nil })
        #expect(Set(packets.elements.map(\.peripheral)) == Set(signals.elements.map(\.peripheral)))
        packets.dispose()
        let count = signals.elements.count
        stage.advance(1_000)
        #expect(signals.elements.count > count + 30)
    }

    @Test(.covers(.rawAdvertisement)) func `Each packet is emitted with its own bytes and RSSI`() {
        let (stage, _) = Stage.withSockets(Scenario(peripherals: [.beacon("C0:00:00:00:00:01", rssi: -40)]))
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        stage.simulation.bluez.advertise(
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -90, manufacturerData: [1: [7]], firstAfter: .zero),
            from: "C0:00:00:00:00:01")
        stage.advance(1_000)
        let first = scan.elements.first?.advertisementData
        let last = scan.elements.last
        #expect(first?.structures == [ADStructure(type: 1, bytes: [6])])
        #expect(last?.rssi == -90)
        #expect(last?.advertisementData.structures.map(\.type) == [1, 0xFF])
        #expect(last?.advertisementData.manufacturerData == [1: [7]])
    }

    @Test(.proves(.S10, .Q124)) func `The socket is open while a scan needs it`() {
        let (stage, sockets) = Stage.withSockets(crowd)
        let first = stage.record(stage.manager.scanForPeripherals())
        let second = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(sockets.count == 1 && first.elements.count == 4 && second.elements.count == 4)
        #expect(stage.methods == ["SetDiscoveryFilter", "StartDiscovery"])
        first.dispose()
        second.dispose()
        stage.advance(1_000)
        let third = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(sockets.count == 2 && third.elements.count == 4)
    }

    @Test(.proves(.S17, .S18)) func `Filters apply to packets`() throws {
        let (stage, _) = Stage.withSockets(crowd)
        let data = try DataPattern([1, 2])
        let filtered = stage.record(
            stage.manager.scanForPeripherals(
                options: ScanOptions(filters: [
                    ScanFilter(manufacturerData: [0x59: data]), ScanFilter(minimumRSSI: -45),
                ])))
        let services = stage.record(stage.manager.scanForPeripherals(withServices: [0x181A, 0x180F]))
        stage.advance(2_000)
        #expect(filtered.elements.map(\.peripheral.address) == ["C0:00:00:00:00:01", "C0:00:00:00:00:02"])
        #expect(
            Set(services.elements.map(\.peripheral.address)) == ["C0:00:00:00:00:03", "C0:00:00:00:00:04"]
                && services.elements.count == 2)
    }

    @Test(.proves(.S21)) func `Presence follows packets`() {
        let (stage, _) = Stage.withSockets(crowd)
        let presence = stage.record(
            stage.manager.observePresence(presence: PresenceOptions(silence: .seconds(2))))
        stage.advance(1_000)
        stage.simulation.bluez.advertise(nil, from: "C0:00:00:00:00:02")
        stage.advance(5_000)
        let lost = presence.elements.compactMap { change -> BluetoothAddress? in
            if case .lost(let peripheral) = change { peripheral.address } else { nil }
        }
        #expect(presence.elements.count == 5 && lost == ["C0:00:00:00:00:02"])
    }

    @Test func `A packet that precedes its device is emitted when bluetoothd shows the device`() {
        let sockets = SimulatedSockets()
        let stage = Stage(starting: false, advertisements: sockets)
        sockets.use(stage.simulation)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(100)
        stage.simulation.bluez.sendManagementEvent(Self.event([2, 0x0A, 4]))
        stage.advance(100)
        #expect(scan.elements.isEmpty)
        daemon.add(ScriptedDaemon.Objects.device)
        stage.advance(100)
        #expect(scan.elements.map(\.advertisementData.rawData) == [[2, 0x0A, 4]])
        #expect(scan.elements.first?.rssi == -60)
    }

    /// Returns a daemon with an adapter, on a stage whose manager scans with the management socket.
    private func scripted(_ objects: ScriptedDaemon.Objects) -> (Stage, ScriptedDaemon) {
        let sockets = SimulatedSockets()
        let stage = Stage(starting: false, advertisements: sockets)
        sockets.use(stage.simulation)
        let daemon = ScriptedDaemon(on: stage, objects)
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        return (stage, daemon)
    }

    @Test func `Of several packets before their device, the last is emitted with RSSI and time`() {
        let (stage, daemon) = scripted(.adapter)
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(100)
        stage.simulation.bluez.sendManagementEvent(Self.event([2, 0x0A, 4], rssi: -90))
        stage.advance(1_000)
        let time = stage.scheduler.now
        stage.simulation.bluez.sendManagementEvent(Self.event([2, 0x0A, 5], rssi: -40))
        stage.advance(100)
        daemon.add(ScriptedDaemon.Objects.device)
        stage.advance(100)
        #expect(scan.elements.map(\.advertisementData.rawData) == [[2, 0x0A, 5]])
        #expect(scan.elements.map(\.rssi) == [-40])
        #expect(scan.elements.allSatisfy { $0.timestamp >= time })
    }

    @Test func `A repeated packet is read again after bluetoothd has replaced its values`() {
        let (stage, daemon) = scripted(.oneDevice)
        var options = duplicates
        options.source = .dbus
        let signals = stage.record(stage.manager.scanForPeripherals(options: options))
        options.source = .management
        let packets = stage.record(stage.manager.scanForPeripherals(options: options))
        stage.advance(100)
        let event = Self.event([2, 0x0A, 4])
        stage.simulation.bluez.sendManagementEvent(event)
        stage.advance(100)
        daemon.deviceChanges(["TxPower": .int16(9)])
        stage.advance(100)
        stage.simulation.bluez.sendManagementEvent(event)
        stage.advance(100)
        #expect(packets.elements.map(\.advertisementData.txPowerLevel) == [4, 4])
        #expect(packets.elements.map(\.advertisementData.rawData) == [[2, 0x0A, 4], [2, 0x0A, 4]])
        #expect(signals.isLive)
    }

    @Test func `Other work runs before all packets of a flood are read`() {
        let (stage, _) = Stage.withSockets(crowd)
        let manager = stage.manager
        let received = Guarded(0)
        let packetsBeforeReply = Guarded<Int?>(nil)
        let asked = SerialDisposable()
        let bluez = stage.simulation.bluez
        let warm = stage.record(manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        for number in 0..<5_000 {
            bluez.sendManagementEvent(Self.event([2, 0x0A, UInt8(number % 100)], address: 1))
        }
        let scan = manager.scanForPeripherals(options: duplicates).subscribe(onNext: { _ in
            let count = received.withLock { count in
                count += 1
                return count
            }
            // The socket holds some hundred packets. Each one that is received is replaced by another one.
            if count < 4_000 { bluez.sendManagementEvent(Self.event([2, 0x0A, UInt8(count % 100)], address: 1)) }
            guard count == 1 else { return }
            asked.disposable = manager.knownPeripherals().subscribe(onSuccess: { _ in
                let count = received.withLock { $0 }
                packetsBeforeReply.withLock { $0 = count }
            })
        })
        stage.advance(1_000)
        // One turn reads 256 packets, which are fewer than the socket holds.
        #expect(received.withLock { $0 } > 1_000)
        #expect(packetsBeforeReply.withLock { $0 ?? .max } <= 256)
        scan.dispose()
        asked.dispose()
        withExtendedLifetime(warm) {}
    }

    @Test func `Malformed events and packets are counted, and other devices are emitted`() throws {
        let (stage, _) = Stage.withSockets(crowd)
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        let count = scan.elements.count
        let bluez = stage.simulation.bluez
        for event: [UInt8] in [[0], [0x12, 0, 0, 0, 1, 0, 9], [UInt8](repeating: 0xFF, count: 5_000)] {
            bluez.sendManagementEvent(event)
        }
        bluez.sendManagementEvent(Self.event([9, 0x09, 0x41], address: 1))
        bluez.sendManagementEvent(Self.event([0, 1, 2], address: 1))
        bluez.sendManagementEvent(Self.event([2, 0x0A, 4, 2, 0x0A, 4], address: 1))
        stage.advance(1_000)
        #expect(scan.isLive && scan.elements.count > count + 30)
        let diagnosis = stage.record(stage.manager.diagnose())
        stage.advance(100)
        let status = try #require(diagnosis.elements.first?.scans.first)
        #expect(status.malformedPackets == 2)
        #expect(status.source.source == .management)
    }

    @Test func `A flood of packets does not keep the manager from its other work`() {
        let (stage, _) = Stage.withSockets(crowd)
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        for number in 0..<5_000 {
            stage.simulation.bluez.sendManagementEvent(Self.event([2, 0x0A, UInt8(number % 100)], address: 1))
        }
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(100)
        #expect(known.isCompleted && scan.isLive)
        stage.advance(1_000)
        #expect(Set(scan.elements.suffix(20).map(\.peripheral.address)).count == 4)
    }

    @Test func `If the socket is closed, an automatic scan continues over D-Bus`() throws {
        let (stage, sockets) = Stage.withSockets(crowd)
        let events = stage.record(stage.manager.events)
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(1_000)
        stage.simulation.bluez.closeManagementSockets()
        stage.advance(100)
        let count = scan.elements.count
        stage.advance(1_000)
        #expect(scan.isLive && scan.elements.count > count + 30 && sockets.count == 1)
        #expect(scan.elements.last?.advertisementData.rawData == nil)
        #expect(stage.count("StartDiscovery") == 1)
        let lost = events.elements.compactMap { event -> BluetoothError? in
            if case .advertisementSourceLost(let error) = event.kind { error } else { nil }
        }
        #expect(lost.map(\.kind) == [.bluez])
        let asked = stage.record(stage.manager.diagnose())
        stage.advance(100)
        #expect(
            asked.elements.first?.scans.first?.source.sentence
                == "Advertisements are received from bluetoothd over D-Bus: the management socket was closed.")
    }

    @Test func `A scan that requires a closed socket fails, or resumes with a new one`() {
        let (stage, sockets) = Stage.withSockets(crowd)
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(source: .management)))
        let resuming = stage.record(
            stage.manager.scanForPeripherals(
                options: ScanOptions(allowsDuplicates: true, resumes: true, source: .management)))
        stage.advance(1_000)
        stage.simulation.bluez.closeManagementSockets()
        stage.advance(100)
        #expect(scan.error?.kind == .bluez)
        #expect(
            scan.error?.description
                == "Scanning: the kernel sends no more advertisements (The management socket was closed). "
                + "Scan again, or scan with the source .automatic.")
        stage.advance(2_000)
        #expect(resuming.isLive && resuming.elements.last?.advertisementData.rawData != nil && sockets.count == 2)
    }

    @Test func `Without permission, automatic scans use D-Bus, and others fail`() throws {
        let (stage, _) = Stage.withSockets(
            crowd, failure: BluetoothError(.unauthorized, detail: "It needs CAP_NET_ADMIN"))
        let automatic = stage.record(stage.manager.scanForPeripherals())
        let required = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(source: .management)))
        stage.advance(1_000)
        #expect(automatic.elements.count == 4 && automatic.isLive)
        #expect(required.error?.kind == .unauthorized)
        #expect(required.error?.description.contains("CAP_NET_ADMIN in the network namespace") == true)
        let asked = stage.record(stage.manager.diagnose())
        stage.advance(100)
        let diagnosis = try #require(asked.elements.first)
        #expect(
            diagnosis.description.contains(
                "Advertisements are received from bluetoothd over D-Bus: "
                    + "this process lacks CAP_NET_ADMIN, which the kernel's management socket needs."))
        #expect(diagnosis.scanSource?.source == .dbus)
        #expect(diagnosis.scans.map(\.source.source) == [.dbus])
    }

    @Test func `A manager without a source scans over D-Bus, and refuses other sources`() throws {
        let stage = Stage(crowd)
        let manager = BluetoothManager(
            configuration: .init(scheduler: stage.scheduler), bus: stage.simulation.connect())
        let scan = stage.record(manager.scanForPeripherals())
        let required = stage.record(manager.scanForPeripherals(options: ScanOptions(source: .management)))
        stage.advance(1_000)
        #expect(scan.elements.count == 4 && required.error?.kind == .unsupported)
        let asked = stage.record(manager.diagnose())
        stage.advance(100)
        #expect(asked.elements.first?.scanSource == nil)
    }

    @Test func `diagnose reports the source of the next scan, and leaves no socket open`() throws {
        let (stage, sockets) = Stage.withSockets(crowd)
        let asked = stage.record(stage.manager.diagnose())
        stage.advance(100)
        let diagnosis = try #require(asked.elements.first)
        #expect(diagnosis.scanSource?.source == .management && sockets.count == 1)
        #expect(
            diagnosis.facts.contains(
                "Advertisements are received from the kernel's management socket: "
                    + "this process has the permission to use it."))
        let scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(source: .dbus)))
        stage.advance(1_000)
        let again = stage.record(stage.manager.diagnose())
        stage.advance(100)
        #expect(
            again.elements.first?.scans.first?.source.sentence
                == "Advertisements are received from bluetoothd over D-Bus: the scan requires it.")
        #expect(scan.elements.count == 4)
    }

    @Test(.proves(.S46)) func `The packets of several adapters reach the scans of their adapters`() {
        let (stage, _) = Stage.withSockets(
            Scenario {
                SimulatedAdapter()
                SimulatedAdapter(address: "00:1A:7D:DA:71:02")
                SimulatedPeripheral.beacon("C0:00:00:00:00:01")
            })
        let first = stage.record(stage.manager.using(.named("hci0")).scanForPeripherals())
        let second = stage.record(stage.manager.using(.named("hci1")).scanForPeripherals())
        stage.advance(2_000)
        #expect(first.elements.count == 1 && second.elements.count == 1)
        #expect(first.elements.first?.peripheral != second.elements.first?.peripheral)
    }

    /// Returns the event Device Found of the device of ``ScriptedDaemon``, or of another one by its last byte.
    private static func event(_ packet: [UInt8], address: UInt8? = nil, rssi: Int8 = -60) -> [UInt8] {
        let device: [UInt8] = address.map { [$0, 0, 0, 0, 0, 0xC0] } ?? [1, 0, 0, 0xEE, 0xFF, 0xC0]
        return [0x12, 0, 0, 0, UInt8(14 + packet.count), 0] + device
            + [2, UInt8(bitPattern: rssi), 0, 0, 0, 0, UInt8(packet.count), 0]
            + packet
    }
}
