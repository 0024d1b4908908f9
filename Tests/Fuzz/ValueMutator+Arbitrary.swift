import DBus

extension ValueMutator {
    /// Returns a random value with containers nested to this depth at most.
    mutating func arbitrary(depth: Int) -> Value {
        guard depth > 0 else { return basic() }
        let inner = arbitrary(depth: depth - 1)
        let count = dice.roll(4)
        switch dice.roll(6) {
        case 0: return .variant(inner)
        case 1: return .structure([inner, basic()])
        case 2:
            return inner.signature == "y"
                ? .bytes([7]) : .array(of: inner.signature, Array(repeating: inner, count: count))
        case 3:
            let key = basic()
            return .dictionary(
                key: key.signature, value: inner.signature, Array(repeating: Value.Entry(key, inner), count: count))
        case 4:
            return .dictionary(
                key: "s", value: "v",
                (0..<count).map { _ in Value.Entry(.string(dice.pick(Vocabulary.texts)), .variant(inner)) })
        default: return inner
        }
    }

    private mutating func basic() -> Value {
        let bits = dice.next()
        switch dice.roll(13) {
        case 0: return .bool(bits & 1 == 0)
        case 1: return .byte(UInt8(truncatingIfNeeded: bits))
        case 2: return .int16(Int16(truncatingIfNeeded: bits))
        case 3: return .uint16(UInt16(truncatingIfNeeded: bits))
        case 4: return .int32(Int32(truncatingIfNeeded: bits))
        case 5: return .uint32(UInt32(truncatingIfNeeded: bits))
        case 6: return .int64(Int64(truncatingIfNeeded: bits))
        case 7: return .uint64(bits)
        case 8: return .double(Double(bitPattern: bits))
        case 9: return .objectPath(ObjectPath(dice.pick(Vocabulary.paths)) ?? .root)
        case 10: return .signature(dice.pick(["", "y", "a{oa{sa{sv}}}", "((s)v)"]))
        default: return .string(dice.pick(Vocabulary.texts))
        }
    }
}

/// Strings that the decoders of the library recognise, and similar strings.
enum Vocabulary {
    static let texts: [String] =
        [
            "Address", "AddressType", "Alias", "Powered", "PowerState", "Discovering", "Roles", "RSSI", "TxPower",
            "ManufacturerData", "ServiceData", "UUIDs", "UUID", "AdvertisingFlags", "Appearance", "Name", "Connected",
            "ServicesResolved", "Bonded", "Primary", "Value", "Flags", "MTU",
        ] + [
            "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattService1", "org.bluez.GattCharacteristic1",
            "org.bluez.GattDescriptor1", "org.bluez.Device2", "org.bluez", ":1.1", ":1.2",
        ] + [
            "on", "off", "off-blocked", "on-disabling", "central", "read", "notify", "public", "random", "180D", "fcd2",
            "0000180d-0000-1000-8000-00805f9b34fb", "0000180d-0000-1000-8000-00805f9b34f", "0x180D", "12345678",
            "0000180d_0000_1000_8000_00805f9b34fb", "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff", "C0:FF:EE:00:00:01", "C0-FF-EE-00-00-01", "GG:FF:EE:00:00:01",
        ] + [
            "", " ", "   ", "\u{1B}[2J", "\u{202E}abc", "\u{1F600}", "e\u{301}", "\u{FFFD}", "\u{10FFFF}", "\r\n",
            "Operation failed with ATT error: 0x", "Operation failed with ATT error: 0xFFFFFFFF",
            "Operation failed with ATT error: 0x0x81", "Read not permitted", "le-connection-",
            "br-connection-key-missing",
            String(repeating: "x", count: 255), String(repeating: "ä", count: 3_000),
        ]

    static let paths: [String] = [
        "/", "/org", "/org/bluez", "/org/bluez/hci0", "/org/bluez/hci1", "/org/bluez/hci", "/org/bluez/hci65535",
        "/org/bluez/hci65536", "/org/bluez/hci00000000000000000000001", "/org/bluez/hci0x",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_01", "/org/bluez/hci0/dev_C0_FF_EE_00_00_02",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_0", "/org/bluez/hci0/dev_C0_FF_EE_00_00_011",
        "/org/bluez/hci0/dev_XX_FF_EE_00_00_01", "/org/bluez/hci0/dev_", "/org/bluez/hci0/dev_FF_FF_FF_FF_FF_FF",
        "/org/bluez/hci1/dev_C0_FF_EE_00_00_01", "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a", "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/serviceffff",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000b",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/charzzzz",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000b/desc000d",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/char000b/desc000d/more",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_09/service000a/char000b/desc000d",
        "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/player0", "/org/bluez/hci0/" + String(repeating: "a", count: 400),
    ]
}
