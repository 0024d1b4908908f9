import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The results that a scan emits, and the packets that cause them.
struct ScanResultTests {
    private let duplicates = ScanOptions(allowsDuplicates: true)

    @Test(.proves(.S23)) func `A device that advertises later is emitted then, as one peripheral`() {
        let address = "C0:00:00:00:00:01"
        let stage = Stage(with: [
            .beacon(address, firstAfter: .seconds(5)), .beacon("C0:00:00:00:00:02", firstAfter: .seconds(2)),
        ])
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(4_900)
        #expect(scan.times.first ?? 0 >= 2_000)
        #expect(Set(scan.elements.map(\.peripheral.address)) == ["C0:00:00:00:00:02"])
        stage.advance(1_000)
        stage.simulation.bluez.advertise(
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: "Other", services: ["180d"]),
            from: address)
        stage.advance(1_000)
        let late = zip(scan.elements, scan.times).filter { $0.0.peripheral.address == "C0:00:00:00:00:01" }
        #expect(late.first?.1 ?? 0 >= 5_000)
        #expect(Set(late.map(\.0.advertisementData.serviceUUIDs)) == [[], [0x180D]])
        #expect(Set(late.map(\.0.peripheral)).count == 1)
    }

    @Test(.proves(.S24)) func `A scan emits a connected peripheral only while it advertises`() {
        let (stage, peripheral) = Stage.withSensor()
        let scan = stage.record(
            stage.manager.scanForPeripherals(options: duplicates).filter { $0.peripheral == peripheral })
        stage.advance(1_000)
        #expect(!scan.elements.isEmpty)
        let link = stage.connect(peripheral)
        let up = link.times.first ?? 0
        let late = stage.record(stage.manager.scanForPeripherals().filter { $0.peripheral == peripheral })
        stage.advance(5_000)
        // Connecting changes properties such as services and names. These signals must not count as advertisements
        // (Q51).
        #expect(!scan.times.contains { $0 > up })
        #expect(late.elements.isEmpty)
        link.dispose()
        stage.advance(5_000)
        #expect(scan.times.contains { $0 > up + 5_000 })
        #expect(late.elements.count == 1)
    }

    @Test(.proves(.S25)) func `UUIDs of 16, 32 and 128 bits are parsed, and malformed ones are dropped`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneKnownDevice)
        for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
        let scan = stage.record(stage.manager.scanForPeripherals(options: duplicates))
        stage.advance(10)
        let good = [
            "0000180d-0000-1000-8000-00805f9b34fb", "0001abcd-0000-1000-8000-00805f9b34fb",
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
        ]
        let bad = ["", "180", "0000180d-0000-1000-8000-00805f9b34f", "not a UUID at all, though it has 36 c", "\u{0}"]
        daemon.change(
            ScriptedDaemon.Objects.devicePath, "org.bluez.Device1",
            [
                "UUIDs": .strings(bad.filter { !$0.contains("\u{0}") } + good), "RSSI": .int16(-50),
                "ServiceData": .properties([good[2]: .bytes([1]), "xyz": .bytes([2]), good[0]: .bytes([])]),
                "AdvertisingFlags": .bytes([]),
            ])
        stage.advance(1)
        let heard = scan.elements.last?.advertisementData
        #expect(heard?.serviceUUIDs == [0x180D, "0001ABCD", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"])
        #expect(heard?.serviceData == ["6E400001-B5A3-F393-E0A9-E50E24DCCA9E": [1], 0x180D: []])
        #expect(scan.elements.last?.rssi == -50)
        #expect(scan.isLive)
    }
}
