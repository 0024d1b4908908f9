import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct ScanTests {
    private let everyday: Set<String?> = [
        "Heart rate strap", "Thermometer", "Door beacon", "Loose plug", "Twin sensor",
    ]

    private func beacon(
        _ address: String, name: String? = nil, every interval: Duration = .milliseconds(100),
        services: [String] = [], serviceData: [String: [UInt8]] = [:], manufacturerData: [UInt16: [UInt8]] = [:]
    ) -> SimulatedPeripheral {
        SimulatedPeripheral(name ?? "", address: address) {
            SimulatedAdvertisement(
                every: interval, rssi: -60, name: name, services: services, manufacturerData: manufacturerData,
                serviceData: serviceData)
        }
    }

    @Test(.proves(.S8)) func `A scan sends nothing before it is subscribed to`() {
        let stage = Stage()
        let scan = stage.manager.scanForPeripherals()
        stage.advance(1_000)
        #expect(stage.simulation.calls.isEmpty)
        _ = scan
    }

    @Test(.proves(.S9), .covers(.scan)) func `A scan sets its filter and then calls StartDiscovery once`() {
        let stage = Stage()
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(3_000)
        #expect(stage.methods == ["SetDiscoveryFilter", "StartDiscovery"])
        #expect(Set(scan.elements.map(\.peripheral.name)) == everyday)
        #expect(scan.isLive)
        let filter = stage.simulation.calls.first { $0.member == "SetDiscoveryFilter" }?.arguments
        #expect(
            filter == [
                .properties(["Transport": .string("le"), "DuplicateData": .bool(true), "RSSI": .int16(-127)])
            ])
    }

    @Test(.proves(.S10)) func `Disposing of the last subscription stops the scan once`() {
        let stage = Stage()
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        scan.dispose()
        let heard = scan.elements.count
        stage.advance(3_000)
        #expect(stage.count("StopDiscovery") == 1)
        #expect(scan.elements.count == heard)
        #expect(scan.isLive, "A stream that was disposed of tells nothing.")
    }

    @Test(.proves(.S10)) func `A scan disposed of at once sends nothing, and the manager settles`() {
        let stage = Stage()
        let states = stage.record(stage.manager.state)
        stage.advance(10)
        let scan = stage.record(stage.manager.scanForPeripherals())
        scan.dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(3_000)
        #expect(stage.count("StartDiscovery") == 0)
        #expect(stage.count("StopDiscovery") == 0)
        #expect(settled.isCompleted)
        #expect(states.isLive)
    }

    @Test(.proves(.S10, .S44)) func `The manager settles only after an early disposed scan has stopped`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        daemon.always("SetDiscoveryFilter")
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(10)
        scan.dispose()
        stage.advance(10)
        let settled = stage.record(stage.manager.settled())
        stage.advance(1_000)
        #expect(settled.isLive)
        daemon.take("StartDiscovery").reply()
        stage.advance(1_000)
        #expect(settled.isLive)
        daemon.take("StopDiscovery").reply()
        stage.advance(0)
        #expect(settled.isCompleted)
        #expect(scan.times.isEmpty)
        #expect(daemon.methods == ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter"])
        stage.expectNoTimers()
    }

    @Test(.proves(.S10, .S11, .Q37), .covers(.sharedScan))
    func `Two scans share one session, which the last disposal stops`() {
        let stage = Stage()
        let first = stage.record(stage.manager.scanForPeripherals())
        stage.advance(500)
        let second = stage.record(stage.manager.scanForPeripherals(withServices: [0x180D]))
        stage.advance(1_000)
        #expect(stage.count("StartDiscovery") == 1)
        #expect(Set(second.elements.map(\.peripheral.name)) == ["Heart rate strap"])
        first.dispose()
        stage.advance(1_000)
        #expect(stage.count("StopDiscovery") == 0)
        second.dispose()
        stage.advance(1_000)
        #expect(stage.count("StopDiscovery") == 1)
    }

    @Test(.proves(.S12)) func `A late subscriber receives no earlier advertisements`() {
        let quiet = beacon("C0:00:00:00:00:01", name: "Slow", every: .seconds(10))
        let stage = Stage(with: [quiet])
        let first = stage.record(stage.manager.scanForPeripherals())
        stage.advance(5_000)
        #expect(first.elements.count == 1)
        let second = stage.record(stage.manager.scanForPeripherals())
        stage.advance(3_000)
        #expect(second.elements.isEmpty)
        stage.advance(10_000)
        #expect(second.elements.count == 1)
    }

    @Test(.proves(.S13)) func `Switching the adapter off fails each scan without a StopDiscovery`() {
        let stage = Stage()
        let scans = [
            stage.record(stage.manager.scanForPeripherals()), stage.record(stage.manager.scanForPeripherals()),
        ]
        stage.advance(1_000)
        stage.simulation.bluez.setPower(false)
        stage.advance(3_000)
        for scan in scans { #expect(scan.error?.kind == .poweredOff) }
        #expect(stage.count("StopDiscovery") == 0)
    }

    @Test(.proves(.S13)) func `Loss of bluetoothd, adapter or bus fails a scan`() {
        for (kind, happens): (BluetoothError.Kind, @Sendable (Stage) -> Void) in [
            (.daemonUnavailable, { $0.simulation.bluez.crash() }),
            (.noAdapter, { $0.simulation.bluez.removeAdapter() }),
            (.busUnavailable, { $0.simulation.bus.shutDown() }),
        ] {
            let stage = Stage()
            let scan = stage.record(stage.manager.scanForPeripherals())
            stage.advance(1_000)
            happens(stage)
            stage.advance(1_000)
            #expect(scan.error?.kind == kind)
            #expect(stage.count("StopDiscovery") == 0)
        }
    }

    @Test func `Unplugging an adapter fails only the scans that use it`() {
        let scenario = Scenario(
            adapters: [SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02")],
            peripherals: Scenario.everyday.peripherals)
        let stage = Stage(scenario)
        let states = stage.record(stage.manager.state)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        stage.simulation.bluez.removeAdapter(1)
        stage.advance(1_000)
        #expect(scan.isLive)
        stage.simulation.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:02"), as: 1)
        stage.advance(1_000)
        stage.simulation.bluez.removeAdapter(0)
        stage.advance(1_000)
        #expect(scan.error?.kind == .noAdapter)
        // A new scan works, because the manager has selected the other adapter at once. Its state stays powered on.
        let again = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(!again.elements.isEmpty)
        #expect(states.elements == [.poweredOn])
    }

    @Test(.proves(.S15)) func `A scan works when it is subscribed to again after an error`() {
        let stage = Stage()
        let scan = stage.record(
            stage.manager.scanForPeripherals().catch { _ in
                stage.manager.state.filter { $0 == .poweredOn }.take(1)
                    .flatMap { _ in stage.manager.scanForPeripherals() }
            })
        stage.advance(1_000)
        let before = scan.elements.count
        stage.simulation.bluez.crash()
        stage.advance(100)
        stage.simulation.bluez.start()
        stage.advance(2_000)
        #expect(before == 5)
        #expect(scan.elements.count == 10)
        #expect(stage.count("StartDiscovery") == 2)
    }

    @Test(.proves(.S22), .covers(.eachAdvertisement))
    func `A scan emits a peripheral once, or each advertisement with duplicates allowed`() {
        let stage = Stage(with: [beacon("C0:00:00:00:00:01", name: "One")])
        let once = stage.record(stage.manager.scanForPeripherals())
        let always = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        stage.advance(3_000)
        #expect(once.elements.count == 1)
        #expect((25...31).contains(always.elements.count))
        #expect(Set(always.elements.map(\.peripheral)).count == 1)
    }

    @Test(.proves(.S22)) func `A device out of range is not emitted even if bluetoothd knows it`() {
        let (near, far) = ("C0:00:00:00:00:01", "C0:00:00:00:00:02")
        let stage = Stage(with: [beacon(near), beacon(far)])
        stage.simulation.bluez.setInRange(false, far)
        let first = stage.record(stage.manager.scanForPeripherals())
        stage.advance(2_000)
        #expect(first.elements.map(\.peripheral.address.description) == [near])
        stage.simulation.bluez.setInRange(true, far)
        stage.advance(2_000)
        #expect(first.elements.map(\.peripheral.address.description) == [near, far])
        first.dispose()
        stage.simulation.bluez.setInRange(false, near)
        stage.advance(100)
        // The scans must not emit the near device: it is out of range, although bluetoothd still knows both devices.
        let again = [false, true].map { duplicates in
            stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: duplicates)))
        }
        stage.advance(2_000)
        for scan in again {
            #expect(Set(scan.elements.map(\.peripheral.address.description)) == [far])
        }
        let known = stage.record(stage.manager.knownPeripherals())
        stage.advance(0)
        #expect(known.elements.first?.count == 2)
    }

    @Test(.proves(.S22)) func `A scan emits a peripheral again when its name arrives later`() {
        let address = "C0:00:00:00:00:01"
        let stage = Stage(with: [beacon(address)])
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(scan.elements.map(\.peripheral.name) == [nil])
        stage.simulation.bluez.advertise(
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: "Late"), from: address)
        stage.advance(1_000)
        #expect(scan.elements.map(\.advertisementData.localName) == [nil, "Late"])
        scan.dispose()
        stage.advance(1_000)
        let again = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        #expect(again.elements.map(\.advertisementData.localName) == ["Late"])
    }

    @Test(.proves(.S46)) func `All scans emit the same object for a peripheral`() {
        let stage = Stage(with: [beacon("C0:00:00:00:00:01", name: "One")])
        let first = stage.record(stage.manager.scanForPeripherals().take(1))
        stage.advance(1_000)
        let second = stage.record(stage.manager.scanForPeripherals().take(1))
        stage.advance(1_000)
        #expect(first.elements.first?.peripheral === second.elements.first?.peripheral)
        #expect(first.elements.count == 1)
    }

    @Test(.proves(.S17, .Q44), .covers(.serviceFilter))
    func `A service filter matches listed services and service data`() {
        let stage = Stage(with: [
            beacon("C0:00:00:00:00:01", name: "Lists", services: ["feaa"]),
            beacon("C0:00:00:00:00:02", name: "Sends", serviceData: ["feaa": [1, 2]]),
            beacon("C0:00:00:00:00:03", name: "Neither", services: ["180d"]),
        ])
        let scan = stage.record(stage.manager.scanForPeripherals(withServices: [0xFEAA]))
        stage.advance(2_000)
        #expect(Set(scan.elements.map(\.peripheral.name)) == ["Lists", "Sends"])
    }

    @Test(.covers(.advertisedData)) func `A scan result has all advertised data`() {
        let peripheral = SimulatedPeripheral("Full", address: "C0:00:00:00:00:01") {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -60, name: "Full", txPower: 4, services: ["180d"],
                manufacturerData: [0x004C: [1, 2, 3]], serviceData: ["180f": [9]], appearance: 0x0341)
        }
        let stage = Stage(with: [peripheral])
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        guard let heard = scan.elements.first else {
            Issue.record("Nothing was heard.")
            return
        }
        #expect(heard.advertisementData.localName == "Full")
        #expect(heard.advertisementData.txPowerLevel == 4)
        #expect(heard.advertisementData.serviceUUIDs == [0x180D])
        #expect(heard.advertisementData.manufacturerData == [0x4C: [1, 2, 3]])
        #expect(heard.advertisementData.serviceData == [0x180F: [9]])
        #expect(heard.advertisementData.appearance == 0x0341)
        #expect(heard.advertisementData.isConnectable == nil)
        #expect(heard.rssi == -60)
        #expect(!heard.isCached)
        #expect(heard.peripheral.address == "C0:00:00:00:00:01")
        #expect(heard.peripheral.addressKind == .random)
        #expect(heard.timestamp < stage.scheduler.now)
    }

    @Test(.proves(.Q53)) func `A scan emits cached peripherals only on request and marks them`() {
        let stage = Stage(with: [beacon("C0:00:00:00:00:01", name: "One")])
        let first = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        first.dispose()
        stage.advance(100)
        stage.simulation.bluez.setInRange(false, "C0:00:00:00:00:01")
        let plain = stage.record(stage.manager.scanForPeripherals())
        let known = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(includesKnown: true)))
        let list = stage.record(stage.manager.knownPeripherals())
        stage.advance(1_000)
        #expect(plain.elements.isEmpty)
        #expect(known.elements.map(\.isCached) == [true])
        #expect(known.elements.map(\.rssi) == [nil])
        #expect(list.elements.first?.map(\.peripheral.name) == ["One"])
        stage.simulation.bluez.setInRange(true, "C0:00:00:00:00:01")
        stage.advance(1_000)
        #expect(plain.elements.map(\.isCached) == [false])
    }

    @Test(.proves(.Q54)) func `The end of a scan causes no results in a scan that follows`() {
        let stage = Stage()
        let first = stage.record(stage.manager.scanForPeripherals())
        let second = stage.record(
            stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)).take(40))
        stage.advance(2_000)
        #expect(second.isCompleted)
        first.dispose()
        let third = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        stage.advance(1)
        #expect(third.elements.isEmpty)
    }

    @Test(.proves(.Q31, .Q37)) func `A scan that starts while the last one stops waits for the stop`() {
        let stage = Stage()
        let first = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        first.dispose()
        let second = stage.record(stage.manager.scanForPeripherals())
        stage.advance(2_000)
        #expect(
            stage.methods == [
                "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "StartDiscovery",
            ])
        #expect(!second.elements.isEmpty)
    }

    @Test(.proves(.S91)) func `A scan disposed of in its own callback emits nothing more`() {
        let stage = Stage()
        let bag = DisposeBag()
        let count = BehaviorRelay(value: 0)
        let subscription = SerialDisposable()
        subscription.disposable = stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true))
            .subscribe(onNext: { _ in
                count.accept(count.value + 1)
                subscription.dispose()
            })
        subscription.disposed(by: bag)
        stage.advance(2_000)
        #expect(count.value == 1)
        #expect(stage.count("StopDiscovery") == 1)
    }

    @Test func `Closing the manager fails current and later scans as closed`() {
        let stage = Stage()
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1_000)
        let closed = stage.record(stage.manager.close())
        stage.advance(1_000)
        #expect(closed.isCompleted)
        #expect(scan.error?.kind == .closed)
        #expect(stage.count("StopDiscovery") == 1)
        let late = stage.record(stage.manager.scanForPeripherals())
        stage.advance(1)
        #expect(late.error?.kind == .closed)
    }
}
