extension BlueZVersion {
    /// Reads the version from the modalias of an adapter; nil if the modalias does not identify a release of BlueZ.
    ///
    /// The device identifier contains the version of bluetoothd as two bytes: `d0552` is 5.82. `DeviceID` in
    /// `main.conf` replaces or removes it, so the modalias of another product says nothing about the version.
    /// Source: BlueZ, `src/main.c`, `btd_opts.did_version`.
    init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        let digits = modalias.utf8.dropFirst(prefix.utf8.count)
        guard modalias.hasPrefix(prefix), digits.count == 4, digits.allSatisfy(\.isHexadecimal),
            let number = UInt16(String(decoding: digits, as: UTF8.self), radix: 16), number >= 0x100
        else { return nil }
        self.init(Int(number >> 8), Int(number & 0xFF))
    }

    /// Returns the version that the adapters of one bluetoothd report; nil if none does, or if they differ.
    static func common(of adapters: some Sequence<AdapterRecord>) -> BlueZVersion? {
        let versions = Set(adapters.compactMap { $0.modalias.flatMap(BlueZVersion.init(modalias:)) })
        return versions.count == 1 ? versions.first : nil
    }
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }
}
