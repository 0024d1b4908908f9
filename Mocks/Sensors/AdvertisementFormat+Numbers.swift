import BluetoothValues

extension AdvertisementFormat {
    /// Returns the value as the device with an address sends it: with its address and the number of the packet.
    ///
    /// `sample` is nil if the device repeats one packet. Formats without numbers or addresses return the value itself.
    func numbered(_ sample: Int?, address: SenderAddress, isEncrypted: Bool) -> any AdvertisementFormat {
        let number = sample ?? 0
        switch self {
        case var value as RuuviTag:
            // 0xFF, 0xFFFF and 0xFFFFFF stand for no number.
            value.sequence = number % (value.version == .v6 ? 0xFF : 0xFFFF)
            value.address = address
            return value
        case var value as BTHome:
            if isEncrypted {
                value.counter = UInt32(truncatingIfNeeded: number + 1)
            } else if sample != nil {
                value.objects.insert(.packet(UInt8(truncatingIfNeeded: number)), at: 0)
            }
            return value
        case var value as MiBeacon:
            value.frameCounter = UInt8(truncatingIfNeeded: number)
            value.address = address
            if isEncrypted { value.encryptionCounter = UInt32(number >> 8 & 0xFF_FFFF) }
            return value
        case var value as ATC1441:
            value.counter = number & 0xFF
            value.isEncrypted = isEncrypted
            return value
        case var value as PVVX:
            value.counter = number & 0xFF
            value.isEncrypted = isEncrypted
            return value
        case var value as BParasite:
            value.counter = number & 0x0F
            value.address = address
            return value
        case var value as Aranet:
            value.counter = number & 0xFF
            return value
        case var value as Victron:
            value.counter = UInt16(truncatingIfNeeded: number)
            return value
        case var value as Qingping:
            value.address = address
            return value
        default: return self
        }
    }
}
