import BluetoothValues
import RxBluetooth

/// Finds wrong and missing keys of the devices of the configuration, and packets that imitate these devices.
///
/// Each kind of problem of a device is reported once.
struct KeyCheck {
    /// The failures of a device that were not reported. Nil after a report.
    private struct Failures {
        /// In a row. Anyone may send a packet with the address of a device, so a single one is not reported.
        var ofKey: Int? = 0
        /// In total, because the encrypted packets of the device arrive between those of an imitation.
        var ofEncryption: Int? = 0
        /// In a row. A device that counts again needs several packets until it is accepted.
        var ofCounter: Int? = 0
        var hasDecrypted = false
    }

    private static let requiredFailures = 3
    private static let requiredOldPackets = 20

    private var devices: [BluetoothAddress: Failures]

    /// Creates a check of the devices of a configuration.
    init(_ devices: [BluetoothAddress]) {
        self.devices = Dictionary(devices.map { ($0, Failures()) }) { first, _ in first }
    }

    /// Counts an advertisement that was not decoded. Returns what to report.
    mutating func failed(_ reason: ValueDecodingError.Reason, _ address: BluetoothAddress) -> String? {
        guard let text = text(reason, address) else { return nil }
        let (counter, required) = Self.counter(of: reason)
        guard let count = devices[address]?[keyPath: counter] else { return nil }
        let isReported = count + 1 >= required
        devices[address]?[keyPath: counter] = isReported ? nil : count + 1
        return isReported ? text : nil
    }

    /// Counts an advertisement that was decrypted.
    mutating func succeeded(_ address: BluetoothAddress) {
        guard var failures = devices[address] else { return }
        failures.hasDecrypted = true
        if failures.ofKey != nil { failures.ofKey = 0 }
        if failures.ofCounter != nil { failures.ofCounter = 0 }
        devices[address] = failures
    }

    private static func counter(
        of reason: ValueDecodingError.Reason
    ) -> (WritableKeyPath<Failures, Int?>, required: Int) {
        switch reason {
        case .downgraded: (\.ofEncryption, requiredFailures)
        case .replayed: (\.ofCounter, requiredOldPackets)
        default: (\.ofKey, requiredFailures)
        }
    }

    /// What to report; nil if the key is not the cause.
    private func text(_ reason: ValueDecodingError.Reason, _ address: BluetoothAddress) -> String? {
        switch reason {
        case .wrongKey: "the key does not decrypt its advertisements; check its “key”"
        case .unsuitableKey: "the key has the wrong length for its advertisements; check its “key”"
        case .missingKey: "its advertisements are encrypted; add its “key” to the configuration"
        case .downgraded where devices[address]?.hasDecrypted == true:
            "plain values with its address are ignored, because it encrypts; another device may imitate it"
        case .downgraded:
            "its advertisements are not encrypted, so they are ignored; remove its “key”, or turn encryption on"
        case .replayed(let counter, let last):
            "its packets are ignored, because they are older than packet \(last), for example \(counter); "
                + "if it counts again after a change of the battery, several packets in a row prove it"
        default: nil
        }
    }
}
