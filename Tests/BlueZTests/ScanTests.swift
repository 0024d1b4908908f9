import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    @Suite struct ScanTests {
        @Test(.proves(.S2)) func `The manager emits the powered-on state and the adapter of the lab`() async throws {
            try await Lab.withManager { manager in
                #expect(try await manager.state.firstValue() == .poweredOn)
                let adapters = try await manager.adapters.firstValue()
                #expect(adapters.map(\.name) == ["hci0"])
                #expect(adapters.first?.address == "00:AA:01:00:00:01")
                #expect(adapters.first?.isSelected == true)
            }
        }

        @Test func `A scan emits all peripherals with the data that they advertise`() async throws {
            try await Lab.withManager { manager in
                // Forgets this peripheral: bluetoothd lists its services from a connection of another test, not as
                // advertised (Q58).
                try await manager.peripheral(named: "HRM-1").forget().value
                let heard = try await manager.scanForPeripherals()
                    .scan(into: [BluetoothAddress: ScannedPeripheral]()) { $0[$1.peripheral.address] = $1 }
                    .filter { heard in
                        heard.count == Lab.peripheralCount
                            && heard.values.allSatisfy { $0.advertisementData.localName != nil }
                    }
                    .firstValue()
                let names = Set(heard.values.compactMap(\.peripheral.name))
                let plain: Set = [
                    "HRM-0", "HRM-1", "HRM-2", "TWINS", "SECURE", "FLAKY", "LOUD", "REFUSING", "MUTE",
                    "FORGETFUL",
                ]
                #expect(names.isSuperset(of: plain))
                #expect(names.subtracting(plain).first?.contains("EVIL") == true)

                let strap = try #require(heard["F0:F1:F2:F3:F4:01"])
                #expect(strap.peripheral.addressKind == .random)
                #expect(strap.advertisementData.serviceUUIDs == [0x180D])
                #expect(strap.advertisementData.manufacturerData == [0x4C: [1, 2, 3, 4, 5]])
                #expect(strap.rssi.map { (-127...20).contains($0) } == true)
                #expect(!strap.isCached)
            }
        }

        @Test(.proves(.S17)) func `A service filter omits peripherals without the service`() async throws {
            try await Lab.withManager { manager in
                let heard = try await manager.scanForPeripherals(withServices: [0x180D])
                    .take(4).allValues()
                #expect(Set(heard.compactMap(\.peripheral.name)) == ["HRM-0", "HRM-1", "HRM-2", "FLAKY"])
            }
        }

        /// bluetoothd does not report other devices to the first scan, except 5.87, which gets no services (Q127).
        @Test(.proves(.S11)) func `A wider scan shares the session of another one, and changes its filter`()
            async throws
        {
            try await Lab.withManager { manager in
                let begun = StreamProgress(
                    manager.events.filter { if case .scanBegan = $0.kind { true } else { false } })
                let narrow = StreamProgress(
                    manager.scanForPeripherals(
                        withServices: [0xFFD0], options: ScanOptions(allowsDuplicates: true, listedServicesOnly: true)
                    ).addresses)
                let twins: Set<BluetoothAddress> = ["F0:F1:F2:F3:F4:10"]
                #expect(try await narrow.wait { $0.count > 2 }.last == twins)
                let started = try await manager.diagnose().value.scans
                #expect(started.map(\.subscribers) == [1] && started.first?.step == .active)

                let wide = StreamProgress(
                    manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)).addresses)
                try await wide.wait(atMost: 300) { ($0.last?.count ?? 0) > 5 && $0.count > 20 }
                let shared = try await manager.diagnose().value.scans
                #expect(shared.map(\.subscribers) == [2] && shared.first?.step == .active)
                let count = narrow.now.count
                #expect(try await narrow.wait { $0.count > count + 2 }.last == twins)

                // bluetoothd restarts its discovery for a changed filter, but not at the end of the narrower scan.
                let switches = StreamProgress(
                    manager.adapters.compactMap { $0.first?.isDiscovering }.distinctUntilChanged())
                narrow.dispose()
                let before = wide.now.count
                try await wide.wait { $0.count > before + 20 }
                let rest = try await manager.diagnose().value.scans
                #expect(rest.map(\.subscribers) == [1])
                #expect(switches.now.count == 1 && switches.now.last == true)
                #expect(begun.now.count == 1 && narrow.now.error == nil && wide.now.error == nil)
                begun.dispose()
                wide.dispose()
                switches.dispose()
            }
        }

        @Test(.proves(.Q125)) func `A program that ends after its scan does not stop another program's scan`()
            async throws
        {
            try await Lab.withManager { manager in
                let scan = StreamProgress(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
                try await scan.wait { $0.count > 0 }
                #expect(try Command.bleCLI("scan", "--timeout", "2").status == 0)
                try await Lab.pass(.seconds(1))
                let count = scan.now.count
                // The wait is below 10 s: if bluetoothd had stopped the session, the library would restart it only
                // after 10 s.
                try await scan.wait(atMost: 8) { $0.count > count + 5 }
                scan.dispose()
            }
        }

        @Test(.proves(.S22, .Q48)) func `A scan that allows duplicates emits repeated packets`() async throws {
            try await Lab.withManager { manager in
                let sightings = try await manager.scanForPeripherals(
                    withServices: [0xFFD0], options: ScanOptions(allowsDuplicates: true)
                ).take(10).allValues()
                #expect(Set(sightings.map(\.peripheral)).count == 1)
            }
        }

        @Test(.proves(.S18, .S19)) func `Scan filters match names and masked manufacturer data`() async throws {
            try await Lab.withManager { manager in
                let data = try DataPattern([0x01, 0xF2], mask: [0xFF, 0x0F])
                let fitting = ScanFilter(name: .prefix("HRM-"), manufacturerData: [0x4C: data])
                let heard = try await manager.scanForPeripherals(options: ScanOptions(filters: [fitting]))
                    .take(3).allValues()
                #expect(Set(heard.compactMap(\.peripheral.name)) == ["HRM-0", "HRM-1", "HRM-2"])
                let other = try DataPattern([0x01, 0xF2])
                let filters = [ScanFilter(manufacturerData: [0x4C: other]), ScanFilter(name: .exact("TWINS"))]
                let second = try await manager.scanForPeripherals(options: ScanOptions(filters: filters))
                    .take(1).allValues()
                #expect(second.map(\.peripheral.name) == ["TWINS"])
            }
        }

        @Test(.proves(.S21, .S24)) func `Presence reports a device as lost when it is connected and stops advertising`()
            async throws
        {
            try await Lab.withManager { manager in
                let options = ScanOptions(filters: [ScanFilter(name: .exact("HRM-2"))])
                let peripheral = try await manager.peripheral(named: "HRM-2")
                let presence = PresenceOptions(silence: .seconds(5), includesConnected: false)
                let changes = try await manager.observePresence(options: options, presence: presence)
                    .map { change in
                        switch change {
                        case .found: "found"
                        case .lost: "lost"
                        }
                    }
                    .alongside(peripheral.connect())
                    .take(2).allValues()
                #expect(changes == ["found", "lost"])
            }
        }
    }
}

extension Observable<ScannedPeripheral> {
    /// The addresses of all results so far, at each result.
    fileprivate var addresses: Observable<Set<BluetoothAddress>> {
        scan(into: Set<BluetoothAddress>()) { _ = $0.insert($1.peripheral.address) }
    }
}
