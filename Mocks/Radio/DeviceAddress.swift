import RxBluetoothSupport

/// A Bluetooth address, as a number and as text.
struct DeviceAddress: Hashable {
    let number: UInt64
    let isRandom: Bool
    let text: String

    init?(_ text: String, isRandom: Bool) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var number: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, let byte = UInt8(part, radix: 16) else { return nil }
            number = number << 8 | UInt64(byte)
        }
        self.number = number
        self.isRandom = isRandom
        self.text = text
    }

    static func == (one: DeviceAddress, other: DeviceAddress) -> Bool {
        one.number == other.number && one.isRandom == other.isRandom
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The last element of the device's path, for example `dev_C0_FF_EE_00_00_01`.
    var pathElement: String { "dev_" + text.split(separator: ":").joined(separator: "_") }

    /// Whether the address is private.
    ///
    /// bluetoothd never stores a device with a private address (src/device.c).
    var isPrivate: Bool { isRandom && number >> 46 < 2 }
}

extension DeviceAddress {
    /// Returns a random resolvable private address. The two highest bits of such an address are 01.
    static func randomPrivate(_ generator: inout SplitMix64) -> String {
        let number = generator.next() & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000
        return stride(from: 40, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
            .hexadecimal(separator: ":", uppercase: true)
    }
}
