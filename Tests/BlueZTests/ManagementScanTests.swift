import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Advertisements from the kernel's management socket. The tests run as root, so they have CAP_NET_ADMIN.
    @Suite struct ManagementScanTests {
        @Test func `Devices, data and RSSI are equal over D-Bus and over the management socket`() async throws {
            try await Lab.withManager { manager in
                // bluetoothd lists the services of this peripheral from a connection of another test (Q58).
                try await manager.peripheral(named: "HRM-1").forget().value
                // Two managers, because the scans of one manager share the records of the devices.
                let other = Lab.manager("other")
                let packets = Self.table(manager, .management)
                let signals = Self.table(other, .dbus)
                let both = Observable.combineLatest(packets, signals) { ($0, $1) }
                let (byPacket, bySignal) = try await both.filter { packets, signals in
                    packets.count == Lab.peripheralCount && signals.count == Lab.peripheralCount
                        && packets.keys.allSatisfy { address in
                            packets[address]?.advertisementData.localName != nil
                                && signals[address]?.advertisementData.localName != nil
                        }
                }.firstValue()
                for (address, signal) in bySignal.sorted(by: { $0.key < $1.key }) {
                    let packet = try #require(byPacket[address])
                    print("D-Bus \(Self.row(signal))\npacket \(Self.row(packet))")
                    #expect(Self.row(packet) == Self.row(signal))
                    #expect(packet.advertisementData.rawData?.isEmpty == false)
                    #expect(signal.advertisementData.rawData == nil)
                }
                #expect(Set(byPacket.keys) == Set(bySignal.keys))
                let diagnosis = try await manager.diagnose().value
                #expect(diagnosis.scanSource?.source == .management)
                try await other.close().value
            }
        }

        @Test func `Without CAP_NET_ADMIN, scans use D-Bus, and diagnose reports that`() throws {
            let path = "/run/ble-cli-of-user"
            #expect(try Command.run("cp", Command.bleCLIPath, path).status == 0)
            let user = ["setpriv", "--reuid=65534", "--regid=bluetooth", "--clear-groups", "timeout", "300", path]
            let diagnosed = try Command.run(user + ["diagnose"])
            print(diagnosed.output, diagnosed.errors)
            #expect(diagnosed.status == 0)
            #expect(
                diagnosed.output.contains(
                    "Advertisements are received from bluetoothd over D-Bus: "
                        + "this process lacks CAP_NET_ADMIN, which the kernel's management socket needs."))
            let root = try Command.bleCLI("diagnose")
            #expect(root.output.contains("Advertisements are received from the kernel's management socket"))
            let scan = try Command.run(user + ["scan", "--timeout", "5"])
            #expect(scan.output.contains("HRM-0"))
        }

        /// Emits the latest result of each device over a source.
        private static func table(
            _ manager: BluetoothManager, _ source: ScanSource
        ) -> Observable<[BluetoothAddress: ScannedPeripheral]> {
            manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, source: source))
                .scan(into: [BluetoothAddress: ScannedPeripheral]()) { $0[$1.peripheral.address] = $1 }
        }

        /// The values of a result as a row of the table.
        private static func row(_ scanned: ScannedPeripheral) -> String {
            let data = scanned.advertisementData
            let companies = data.manufacturerData.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let services = data.serviceData.map { "\($0.key)=\($0.value)" }.sorted()
            // bluetoothd reports a byte 0 if a device advertises no flags.
            let flags = (data.flags ?? []) == [0] ? [] : data.flags ?? []
            return
                "\(scanned.peripheral.address) \(data.localName ?? "-") \(data.serviceUUIDs) \(companies) \(services) "
                + "\(data.txPowerLevel ?? 0) \(data.appearance ?? 0) \(flags) \(scanned.rssi ?? 0) dBm"
        }
    }
}
