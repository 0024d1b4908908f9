internal import CBluetooth

/// The names of companies, from libbluetooth.
package enum CompanyName {
    /// Returns the name of the company with a number of the Bluetooth SIG, for example “Apple, Inc.”.
    ///
    /// Nil if this version of libbluetooth has no name for the number.
    package static func of(_ number: UInt16) -> String? {
        // libbluetooth returns one of two texts for unknown numbers, never null.
        guard let text = unsafe bt_compidtostr(Int32(number)) else { return nil }
        let name = unsafe String(cString: text)
        return name == "not assigned" || name == "internal use" ? nil : name
    }
}
