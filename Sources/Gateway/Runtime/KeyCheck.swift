import BluetoothValues
import RxBluetooth

/// Finds wrong and missing keys of the devices of the configuration. Each device is reported once.
struct KeyCheck {
    /// Anyone may send a packet with the address of a device, so a single one is not reported.
    private static let requiredFailures = 3

    /// The numbers of failures in a row, of the devices that were not reported.
    private var failures: [BluetoothAddress: Int]

    /// Creates a check of the devices of a configuration.
    init(_ devices: [BluetoothAddress]) {
        failures = Dictionary(devices.map { ($0, 0) }) { first, _ in first }
    }

    /// Counts an advertisement that was not decoded. Returns what to report.
    mutating func failed(_ reason: ValueDecodingError.Reason, _ address: BluetoothAddress) -> String? {
        guard let count = failures[address], let text = Self.text(reason) else { return nil }
        failures[address] = count + 1
        guard count + 1 >= Self.requiredFailures else { return nil }
        failures[address] = nil
        return text
    }

    /// Counts an advertisement that was decrypted.
    mutating func succeeded(_ address: BluetoothAddress) {
        if failures[address] != nil { failures[address] = 0 }
    }

    /// What to report; nil if the key is not the cause.
    private static func text(_ reason: ValueDecodingError.Reason) -> String? {
        switch reason {
        case .wrongKey: "the key does not decrypt its advertisements; check its “key”"
        case .unsuitableKey: "the key has the wrong length for its advertisements; check its “key”"
        case .missingKey: "its advertisements are encrypted; add its “key” to the configuration"
        case .downgraded:
            "its advertisements are not encrypted, so they are ignored; remove its “key”, or turn encryption on"
        default: nil
        }
    }
}
