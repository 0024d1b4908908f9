import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of how advertisements change devices.
struct AdvertisementTests {
    private static let path = "/org/bluez/hci0/dev_C0_00_00_00_00_01"

    private func stage(_ advertisement: SimulatedAdvertisement) -> Stage {
        Stage(
            Scenario(peripherals: [SimulatedPeripheral("One", address: "C0:00:00:00:00:01") { advertisement }]))
    }

    private func lines(_ stage: Stage) -> [String] {
        stage.seen().filter { $0.hasPrefix("hci0/dev") }.map { $0.replacing("hci0/dev_C0_00_00_00_00_01 ", with: "") }
    }

    @Test(.proves(.Q47)) func `Without a filter, RSSI changes by 8 dB or more only`() {
        let stage = stage(SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, jitter: 7, name: "One"))
        stage.scan(nil)
        stage.run(.seconds(2))
        let told = lines(stage)
        #expect(told.count < 10)
        #expect(told.allSatisfy { $0.hasPrefix("{RSSI: -") })
    }

    @Test(.proves(.Q47)) func `With a filter, every packet reports its RSSI, even an equal one`() {
        let stage = stage(SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, firstAfter: .milliseconds(50)))
        stage.scan(["Transport": .string("le")])
        stage.run(.milliseconds(1000))
        #expect(lines(stage) == Array(repeating: "{RSSI: -60}", count: 9))
    }

    @Test(
        "An advertisement takes any interval",
        arguments: [.seconds(Int64.max) * 2, .seconds(Int64.max), .seconds(1 << 40), .zero, .seconds(Int64.min) * 2]
            as [Duration])
    func intervals(_ interval: Duration) {
        let stage = stage(SimulatedAdvertisement(every: interval, rssi: -60, firstAfter: .milliseconds(50)))
        stage.scan(["Transport": .string("le")])
        stage.run(.milliseconds(100))
        #expect(stage.seen().contains { $0.contains("C0_00_00_00_00_01") })
        let unheard = self.stage(SimulatedAdvertisement(every: .seconds(1), rssi: -60, firstAfter: interval))
        unheard.scan(["Transport": .string("le")])
        unheard.run(.milliseconds(100))
        #expect(unheard.seen().contains { $0.contains("C0_00_00_00_00_01") } == (interval <= .zero))
    }

    @Test(.proves(.Q48)) func `Manufacturer data of earlier packets remains without DuplicateData only`() {
        let first = SimulatedAdvertisement(
            every: .milliseconds(100), rssi: -60, manufacturerData: [1: [1]], firstAfter: .milliseconds(10))
        var second = first
        second.manufacturerData = [2: [2]]
        for (isAlone, expected) in [(false, "{1: <1>, 2: <2>}"), (true, "{2: <2>}")] {
            let stage = stage(first)
            stage.scan(["DuplicateData": .bool(isAlone)])
            stage.run(.milliseconds(250))
            stage.simulation.bluez.advertise(second, from: "C0:00:00:00:00:01")
            stage.run(.milliseconds(250))
            #expect(stage.property(Self.path, "Device1", "ManufacturerData") == expected)
        }
    }

    @Test(.proves(.Q48)) func `With DuplicateData, each packet causes a signal, even with equal data`() {
        let stage = stage(
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -60, manufacturerData: [76: [1, 2]], serviceData: ["180f": [9]],
                firstAfter: .milliseconds(50)))
        stage.scan()
        stage.run(.milliseconds(300))
        let line = "{RSSI: -60, ManufacturerData: {76: <1 2>}, ServiceData: {0000180f: <9>}}"
        #expect(lines(stage) == [line, line])
    }

    @Test(.proves(.Q50)) func `Without a filter, an unchanged beacon causes one signal`() {
        let stage = stage(SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, manufacturerData: [76: [1]]))
        stage.scan(nil)
        stage.run(.seconds(5))
        #expect(lines(stage).isEmpty)
        #expect(stage.objects().count == 2)
    }

    @Test(.proves(.Q54, .Q55)) func `At the end of the last scan, RSSI and TxPower are invalidated`() {
        let stage = stage(SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, txPower: 4))
        stage.scan()
        stage.run(.seconds(1))
        _ = stage.seen()
        stage.adapter("StopDiscovery")
        stage.run(.milliseconds(1))
        let device = "hci0/dev_C0_00_00_00_00_01 {} invalid [RSSI, TxPower]"
        let expected = ["StopDiscovery -> ok", device, "hci0 {Discovering: false}"]
        #expect(stage.seen().suffix(3) == expected)
        #expect(stage.property(Self.path, "Device1", "RSSI") == "InvalidArgs: No such property 'RSSI'")
    }

    @Test(.proves(.Q56)) func `A device without a name has no Name, and its address with dashes as Alias`() {
        let stage = stage(SimulatedAdvertisement(every: .milliseconds(100), rssi: -60))
        stage.scan()
        stage.run(.milliseconds(300))
        #expect(stage.property(Self.path, "Device1", "Name") == "InvalidArgs: No such property 'Name'")
        #expect(stage.property(Self.path, "Device1", "Alias") == "C0-00-00-00-00-01")
        stage.set(Self.path, "Device1", "Alias", .string("Mine"))
        #expect(stage.property(Self.path, "Device1", "Alias") == "Mine")
    }

    private static let noName = "InvalidArgs: No such property 'Name'"

    /// The bytes of a name, its text before 5.87, and its text in 5.87.
    struct ConvertedName: Sendable {
        let bytes: [UInt8]
        let replaced: String
        let cut: String
    }

    private static let names = [
        ConvertedName(bytes: Array("  spaces\t".utf8), replaced: "  spaces\t", cut: "spaces"),
        ConvertedName(bytes: [0x41, 0xFF, 0x42], replaced: "A B", cut: "A"),
        ConvertedName(bytes: Array("Zürich".utf8), replaced: "Zürich", cut: "Zürich"),
        ConvertedName(bytes: [0x41, 0x00, 0x42], replaced: "A", cut: "A"),
        ConvertedName(bytes: [], replaced: noName, cut: noName),
        // The beginnings of a character of two bytes, and of one of three.
        ConvertedName(bytes: [0x20, 0x41, 0xC3, 0x28, 0x20], replaced: "A (", cut: "A"),
        ConvertedName(bytes: Array("Zü".utf8) + [0xE2, 0x80], replaced: "Z", cut: "Zü"),
        ConvertedName(bytes: [0x20, 0xFF, 0x41], replaced: "A", cut: noName),
        ConvertedName(bytes: [0xFF], replaced: noName, cut: noName),
        ConvertedName(bytes: [0x00], replaced: noName, cut: noName),
    ]

    @Test(arguments: names, SimulatedBlueZ.Version.allCases)
    func `Names are converted to text as in bluetoothd`(name: ConvertedName, version: SimulatedBlueZ.Version) {
        var advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
        advertisement.name = name.bytes
        let peripheral = SimulatedPeripheral("One", address: "C0:00:00:00:00:01") {
            advertisement
            SimulatedService("1800") { SimulatedCharacteristic("2a00", .read(name.bytes)) }
        }
        let stage = Stage(Scenario(peripherals: [peripheral]), bluez: version)
        let expected = version == .v5_87 ? name.cut : name.replaced
        stage.scan()
        stage.run(.milliseconds(300))
        #expect(stage.property(Self.path, "Device1", "Name") == expected)
        // The name in the GAP service replaces another advertised name, also by an empty text.
        stage.simulation.bluez.advertise(
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: "Other"), from: "C0:00:00:00:00:01")
        stage.run(.milliseconds(300))
        #expect(stage.property(Self.path, "Device1", "Name") == "Other")
        stage.device(Self.path, "Connect")
        stage.run(.milliseconds(500))
        let last = name.bytes.isEmpty ? "Other" : expected
        #expect(stage.property(Self.path, "Device1", "Name") == last)
        #expect(stage.property(Self.path, "Device1", "Alias") == (last == Self.noName ? "C0-00-00-00-00-01" : last))
    }

    @Test(arguments: [[], [0xFF]] as [[UInt8]])
    func `A name whose bytes convert to nothing removes the name, no bytes do not`(bytes: [UInt8]) {
        let stage = stage(SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, name: "One"))
        stage.scan()
        stage.run(.milliseconds(300))
        #expect(stage.property(Self.path, "Device1", "Name") == "One")
        var unnamed = SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
        unnamed.name = bytes
        stage.simulation.bluez.advertise(unnamed, from: "C0:00:00:00:00:01")
        stage.run(.milliseconds(300))
        // An advertisement without bytes of a name has no name field, and changes nothing.
        #expect(stage.property(Self.path, "Device1", "Name") == (bytes.isEmpty ? "One" : Self.noName))
        let alias = bytes.isEmpty ? "One" : "C0-00-00-00-00-01"
        #expect(stage.property(Self.path, "Device1", "Alias") == alias)
    }

    @Test func `All fields have the right types`() {
        let stage = stage(
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -60, name: "One", txPower: -4, services: ["180d"],
                manufacturerData: [0x4C: [1]], serviceData: ["feaa": [2]], appearance: 0x03C1))
        stage.scan()
        stage.run(.milliseconds(300))
        let all = stage.client.call(
            Self.path, "org.freedesktop.DBus.Properties.GetAll", [.string("org.bluez.Device1")])
        stage.wait(for: all)
        let expected =
            "ok {Address: C0:00:00:00:00:01, AddressType: random, Name: One, Alias: One, Appearance: 961, "
            + "Icon: input-keyboard, Paired: false, Bonded: false, Trusted: false, Blocked: false, "
            + "LegacyPairing: false, RSSI: -60, Connected: false, UUIDs: [0000180d], Adapter: hci0, "
            + "ManufacturerData: {76: <1>}, ServiceData: {0000feaa: <2>}, TxPower: -4, ServicesResolved: false, "
            + "AdvertisingFlags: <6>}"
        #expect(all.line == expected)
    }

    @Test(.proves(.Q59)) func `Non-connectable devices go with the scan, others 30 s after the last packet`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        _ = stage.seen()
        stage.adapter("StopDiscovery")
        stage.run(.milliseconds(5))
        #expect(stage.seen().filter { $0.hasPrefix("removed") } == ["removed hci0/dev_C0_FF_EE_00_00_03"])
        stage.run(.seconds(29))
        #expect(stage.objects().count == 5)
        stage.run(.milliseconds(2500))
        #expect(stage.objects() == ["hci0"])
        #expect(stage.device(Stage.strap, "Connect").hasPrefix("UnknownObject: Method \"Connect\""))
    }

    @Test(.proves(.Q60)) func `A device that returns is added again`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(500))
        stage.adapter("RemoveDevice", .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_02"))
        #expect(stage.seen().suffix(2) == ["removed hci0/dev_C0_FF_EE_00_00_02", "RemoveDevice -> ok"])
        stage.run(.milliseconds(500))
        #expect(stage.seen().contains("added hci0/dev_C0_FF_EE_00_00_02"))
    }

    @Test func `Nothing is sent without a scan`() {
        let stage = Stage()
        stage.run(.seconds(100))
        #expect(stage.seen().isEmpty)
    }
}
