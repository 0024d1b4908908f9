import RxBluetooth

/// Which service a person means.
enum ServiceArgument {
    /// Reads a UUID of 16, 32 or 128 bits, with or without `0x` and dashes, or a name of the Bluetooth SIG.
    static func parse(_ text: String) throws(CLIError) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(person: text) ?? BluetoothUUID.service(named: text.trimmed) else {
            throw CLIError(
                .usage, "“\(text)” is not a service. Give a UUID such as 180D, or a name such as “Heart Rate”.")
        }
        return uuid
    }
}
