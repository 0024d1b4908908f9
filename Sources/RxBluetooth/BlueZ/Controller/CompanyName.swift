internal import CBluetooth

/// The names of companies, from libbluetooth.
public enum CompanyName {
    /// The company that the Bluetooth SIG gave a number to, for example “Apple, Inc.”; nil for one that this libbluetooth
    /// does not know.
    public static func of(_ number: UInt16) -> String? {
        // libbluetooth answers numbers that it does not know by one of two texts, never by null.
        guard let text = unsafe bt_compidtostr(Int32(number)) else { return nil }
        let name = unsafe String(cString: text)
        return name == "not assigned" || name == "internal use" ? nil : name
    }
}
