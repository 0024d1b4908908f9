import DBus
import TestTraits
import Testing

@testable import RxBluetooth

struct PropertyTableTests {
    private func read(
        _ properties: Value, into old: DeviceRecord? = nil
    ) throws -> (record: DeviceRecord, rejected: Int) {
        let message = try Message.signal(path: "/", interface: "a.b", member: "C") { (body) throws(DBusError) in
            try body.value(properties)
        }
        var record = old ?? DeviceRecord(key: DeviceKey(adapter: 0, address: "F0:F1:F2:F3:F4:10"))
        var rejected = 0
        try message.read { (body) throws(DBusError) in
            _ = try DeviceRecord.table.read(&body, into: &record, rejected: &rejected)
        }
        return (record, rejected)
    }

    private func manufacturerData(_ data: [Value.Entry]) -> Value { .dictionary(key: "q", value: "v", data) }

    @Test func `Every advertised property is read into its field`() throws {
        let (record, rejected) = try read(
            .properties([
                "Name": .string("Strap"), "RSSI": .int16(-58), "TxPower": .int16(4), "AddressType": .string("random"),
                "UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb", "nonsense"]),
                "ManufacturerData": manufacturerData([.init(.uint16(0x4C), .variant(.bytes([1, 2])))]),
                "ServiceData": .properties(["0000feaa-0000-1000-8000-00805f9b34fb": .bytes([3])]),
                "Appearance": .uint16(832), "AdvertisingFlags": .bytes([6]), "Connected": .bool(false),
                "SomethingNew": .array(of: "(ii)", []),
            ]))
        #expect(rejected == 0)
        #expect(record.rssi == -58)
        #expect(record.addressKind == .random)
        #expect(record.advertisement.localName == "Strap")
        #expect(record.advertisement.txPowerLevel == 4)
        #expect(record.advertisement.serviceUUIDs == [0x180D])
        #expect(record.advertisement.manufacturerData == [0x4C: [1, 2]])
        #expect(record.advertisement.serviceData == [0xFEAA: [3]])
        #expect(record.advertisement.appearance == 832)
        #expect(record.advertisement.flags == [6])
        #expect(record.advertisement.isConnectable == nil)
    }

    // A thermometer that sends its value in the place of the company identifier, of which bluetoothd collects entries.
    @Test(
        arguments: [
            [0xF0, 0xF1, 0xF5, 0xF7], [0xF7, 0xF3, 0xF1], [0xF5, 0xF7, 0xF2, 0xF6], [0xF0], [0xF1, 0xF0, 0xF1],
        ] as [[UInt16]], [false, true])
    func `The newest of several collected values counts`(tenths: [UInt16], isSorted: Bool) throws {
        var record: DeviceRecord?
        var collected: [(key: UInt16, bytes: [UInt8])] = []
        for (number, value) in tenths.enumerated() {
            let company = value << 8 | 0xC2
            let bytes: [UInt8] = [0x00, UInt8(40 + number), 0x02, 0x2C]
            if let place = collected.firstIndex(where: { $0.key == company }) {
                collected[place].bytes = bytes
            } else {
                collected.append((company, bytes))
            }
            let entries = (isSorted ? collected.sorted { $0.key < $1.key } : collected)
                .map { Value.Entry(.uint16($0.key), .variant(.bytes($0.bytes))) }
            let properties = Value.properties([
                "Name": .string("TP357 (0A01)"), "ManufacturerData": manufacturerData(entries),
            ])
            record = try read(properties, into: record).record
            let data = try #require(record?.advertisement)
            #expect(data.manufacturerData.count == collected.count)
            #expect(data.sections == [.manufacturer(company, bytes)])
            // A signal without a change keeps the order.
            record = try read(properties, into: record).record
            #expect(record?.advertisement.sections == [.manufacturer(company, bytes)])
        }
    }

    @Test func `At a start with several collected values, none counts until one changes`() throws {
        var collected: [(key: UInt16, bytes: [UInt8])] = [
            (0xF0C2, [0, 40, 2, 0x2C]), (0x004C, [1]), (0xF7C2, [0, 41, 2, 0x2C]),
        ]
        var record: DeviceRecord?
        func sections() throws -> [AdvertisedSection] {
            let entries = collected.map { Value.Entry(.uint16($0.key), .variant(.bytes($0.bytes))) }
            let properties = Value.properties([
                "Name": .string("TP357 (0A01)"), "ManufacturerData": manufacturerData(entries),
            ])
            let next = try read(properties, into: record).record
            record = next
            return next.advertisement.sections
        }
        #expect(try sections() == [.manufacturer(0x004C, [1])])
        #expect(try sections() == [.manufacturer(0x004C, [1])])
        // Data of another company does not prove which value is the newest.
        collected[1].bytes = [2]
        #expect(try sections() == [.manufacturer(0x004C, [2])])
        collected[0].bytes = [0, 42, 2, 0x2C]
        let old = AdvertisedSection.manufacturer(0xF0C2, [0, 42, 2, 0x2C])
        #expect(try sections() == [old, .manufacturer(0x004C, [2])])
        collected.append((0xF3C2, [0, 42, 2, 0x2C]))
        let new = AdvertisedSection.manufacturer(0xF3C2, [0, 42, 2, 0x2C])
        #expect(try sections() == [new, .manufacturer(0x004C, [2])])
        // Of several values that change in one signal, the newest is not known.
        (collected[2].bytes, collected[3].bytes) = ([0, 43, 2, 0x2C], [0, 43, 2, 0x2C])
        #expect(try sections() == [.manufacturer(0x004C, [2])])
        // The data of another company may change in the same signal.
        (collected[0].bytes, collected[1].bytes) = ([0, 44, 2, 0x2C], [3])
        let newest = AdvertisedSection.manufacturer(0xF0C2, [0, 44, 2, 0x2C])
        #expect(Set(try sections()) == [newest, .manufacturer(0x004C, [3])])
        (collected[0].bytes, collected[1].bytes) = ([0, 42, 2, 0x2C], [2])
        #expect(Set(try sections()) == [old, .manufacturer(0x004C, [2])])
        record = nil
        collected.removeSubrange(2...)
        #expect(Set(try sections()) == [old, .manufacturer(0x004C, [2])])
    }

    @Test func `Data of several companies stays, and the one that has changed is the first`() throws {
        func entry(_ company: UInt16, _ bytes: [UInt8]) -> Value.Entry {
            .init(.uint16(company), .variant(.bytes(bytes)))
        }
        let first = try read(.properties(["ManufacturerData": manufacturerData([entry(0x4C, [1]), entry(0x59, [2])])]))
        #expect(first.record.advertisement == AdvertisementData(manufacturerData: [0x4C: [1], 0x59: [2]]))
        let changed = try read(
            .properties(["ManufacturerData": manufacturerData([entry(0x4C, [9]), entry(0x59, [2])])]),
            into: first.record)
        #expect(changed.record.advertisement.sections == [.manufacturer(0x4C, [9]), .manufacturer(0x59, [2])])
        let gone = try read(
            .properties(["ManufacturerData": manufacturerData([entry(0x59, [2])])]), into: changed.record)
        #expect(gone.record.advertisement.sections == [.manufacturer(0x59, [2])])
    }

    @Test func `A property of a wrong type is rejected and the others are read`() throws {
        let wrong: [String: Value] = [
            "Name": .int16(1), "TxPower": .string("x"), "UUIDs": .string("x"), "ManufacturerData": .bytes([1]),
            "ServiceData": .array(of: "s", []), "Connected": .byte(1), "AddressType": .bool(true),
            "Appearance": .variant(.uint16(1)), "AdvertisingFlags": .strings(["x"]),
        ]
        for (name, value) in wrong {
            let (record, rejected) = try read(
                .properties([name: value, "RSSI": .int16(-40), "Address": .string("F0:F1:F2:F3:F4:11")]))
            #expect(rejected == 1, "\(name)")
            #expect(record.rssi == -40)
            #expect(record.address == "F0:F1:F2:F3:F4:11")
            #expect(record.advertisement == AdvertisementData())
        }
    }

    @Test(.proves(.Q55)) func `An RSSI of 0 means no RSSI`() throws {
        #expect(try read(.properties(["RSSI": .int16(0)])).record.rssi == nil)
    }

    @Test(
        .proves(.Q57),
        arguments: [
            ("Strap\0\0", "Strap"), ("Strap\0 \0", "Strap"), ("\0x", "\0x"), ("\0", nil), (" \0 ", nil), ("x", "x"),
        ])
    func `NULs at the end of a name are trimmed`(name: String, expected: String?) {
        // A D-Bus string cannot contain a NUL, so the test calls the function directly.
        #expect(DeviceRecord.trimmed(name) == expected)
    }

    @Test(.proves(.Q57), arguments: [("Strap  ", "Strap"), (" x", " x"), ("", nil), ("  ", nil)])
    func `Trailing spaces of a name are trimmed, and a blank name is none`(name: String, expected: String?) throws {
        #expect(try read(.properties(["Name": .string(name)])).record.advertisement.localName == expected)
    }

    /// The soak test found this defect: a scan for a service did not emit such a device again.
    @Test(.proves(.Q58)) func `A scan by service finds a device first seen through its connection`() {
        let (stage, daemon, _) = Stage.scripted(.oneDevice)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.deviceChanges(["UUIDs": .strings(["0000180d-0000-1000-8000-00805f9b34fb"])])
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        daemon.deviceChanges(["ServicesResolved": .bool(false), "Connected": .bool(false)])
        let found = stage.record(stage.manager.scanForPeripherals(withServices: [0x180D]))
        stage.advance(10)
        daemon.take("SetDiscoveryFilter").reply()
        daemon.take("StartDiscovery").reply()
        daemon.deviceChanges(["RSSI": .int16(-50)])
        stage.advance(10)
        #expect(found.elements.count == 1)
    }

    @Test(.proves(.Q58)) func `Services of a connection do not replace advertised services`() throws {
        let message = try Message.signal(path: "/", interface: "a.b", member: "C") { (body) throws(DBusError) in
            try body.properties(["UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb"])])
        }
        var record = DeviceRecord(key: DeviceKey(adapter: 0, address: "F0:F1:F2:F3:F4:10"))
        record.advertisement.values.serviceUUIDs = [0x180D]
        record.isConnectedOverAny = true
        var rejected = 0
        try message.read { (body) throws(DBusError) in
            _ = try DeviceRecord.table.read(&body, into: &record, rejected: &rejected)
        }
        #expect(record.advertisement.serviceUUIDs == [0x180D])
    }

    @Test(.proves(.Q58, .Q109)) func `The first list of a device does not prove a hidden battery service`() throws {
        let list = Value.properties(["UUIDs": .strings(["0000180f-0000-1000-8000-00805f9b34fb"])])
        let known = DeviceRecord(key: DeviceKey(adapter: 0, address: "F0:F1:F2:F3:F4:10"))
        known.isListed = true
        known.isConnectedOverAny = true
        let connected = try read(list, into: known).record
        #expect(connected.hidesBattery(BlueZVersion(5, 82)) && connected.hidesBattery(nil))
        let first = try read(list).record
        #expect(!first.hidesBattery(BlueZVersion(5, 82)) && !first.hidesBattery(nil))
        #expect(first.hidesBattery(BlueZVersion(5, 66)))
        first.battery.percentage = 80
        #expect(first.hidesBattery(BlueZVersion(5, 82)))
    }

    @Test(.proves(.Q21)) func `Invalidated properties are cleared`() throws {
        let message = try Message.signal(path: "/", interface: "a.b", member: "C") { (body) throws(DBusError) in
            try body.value(.strings(["RSSI", "TxPower", "Unknown", "Name"]))
        }
        var record = try read(
            .properties(["RSSI": .int16(-1), "TxPower": .int16(1), "Name": .string("n"), "Bonded": .bool(true)])
        ).record
        try message.read { (body) throws(DBusError) in _ = try DeviceRecord.table.clear(&body, in: &record) }
        #expect(record.rssi == nil)
        #expect(record.advertisement.txPowerLevel == nil)
        #expect(record.advertisement.localName == nil)
        #expect(record.bonded == true)
    }
}
