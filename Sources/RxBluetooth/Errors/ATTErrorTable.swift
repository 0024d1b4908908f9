/// The names, meanings and remedies of ATT error codes.
///
/// Source: Core Specification 5.4, Vol 3, Part F, 3.4.1.1; Core Specification Supplement, Part B, 1.2.
enum ATTErrorTable {
    /// The texts of a code.
    struct Row: Sendable {
        /// The name in the specification; nil for a code that the specification reserves.
        let name: String?
        /// The cause of an error, without a full stop.
        let cause: String
        /// What to do, in one sentence.
        let advice: String

        init(_ name: String?, _ cause: String, _ advice: String) {
            self.name = name
            self.cause = cause
            self.advice = advice
        }
    }

    /// Returns the texts of a code that the peripheral sent.
    ///
    /// - Parameters:
    ///   - code: The ATT error code.
    ///   - operation: The operation that failed; nil if it is not known.
    static func row(of code: UInt8, during operation: BluetoothError.Operation?) -> Row {
        switch code {
        case 0x02, 0x03:
            let name = code == 0x02 ? "read not permitted" : "write not permitted"
            return Row(
                name, refusal(of: operation), "Read in the documentation of the peripheral when it permits this.")
        // A server may send 0x0B for a value of at most MTU - 1 bytes, and bluetoothd requests the rest of a value of
        // exactly that length. Source: BlueZ 5.66, `src/shared/gatt-client.c`, `read_long_cb`.
        case 0x0B where operation == .read || operation == .readDescriptor:
            return Row(
                "attribute not long",
                "the value fills one packet exactly, bluetoothd requests its rest, and the peripheral refuses this "
                    + "instead of sending an empty rest",
                "Receive the value by notifications, or change its length or the MTU in the firmware of the peripheral."
            )
        // The value of the descriptor 2902 is not one of the program, so the program cannot use another one.
        case 0x07, 0x0D, 0x13, 0xFD, 0xFF:
            guard operation == .notify, let row = rows[code] else { break }
            return Row(row.name, refusalToNotify(code), howToNotify)
        case 0x80...0x9F: return Row("application error", "the peripheral refused with an error of its own", lookUp)
        default: break
        }
        return rows[code] ?? Row(nil, "the peripheral refused with an unknown error", lookUp)
    }

    /// Returns the cause if the peripheral refuses the value of the descriptor 2902.
    private static func refusalToNotify(_ code: UInt8) -> String {
        let refusal = "the peripheral refuses to turn its notifications or indications on"
        return code == 0xFD ? refusal + ", because its configuration is not right" : refusal
    }

    private static let howToNotify =
        "Read in the documentation of the peripheral what it requires before it turns them on."

    /// The codes with one meaning for all operations, without those of applications.
    private static let rows: [UInt8: Row] = [
        0x01: Row("invalid handle", "the peripheral does not have the attribute", rediscover),
        0x04: Row("invalid PDU", "the peripheral could not interpret the request", report),
        0x05: Row("insufficient authentication", "the peripheral requires pairing", pair),
        0x06: Row(
            "request not supported", "the peripheral does not support the request",
            "Read in the documentation of the peripheral what it supports."),
        0x07: Row(
            "invalid offset", "the value of the peripheral ends before the offset",
            "Use an offset within the value, or write a shorter value."),
        0x08: Row(
            "insufficient authorization", "the peripheral does not authorize it",
            "Read in the documentation of the peripheral how it authorizes a client."),
        0x09: Row(
            "prepare queue full", "the peripheral has no room for a long write",
            "Write a shorter value, or wait a moment and try again."),
        0x0A: Row("attribute not found", "the peripheral does not have the attribute", rediscover),
        0x0B: Row("attribute not long", "the peripheral does not accept the value in parts", "Use a shorter value."),
        0x0C: Row(
            "insufficient encryption key size", "the encryption key is too short for the attribute",
            "Forget the device if it has a bond with a short key, and pair with it."),
        0x0D: Row(
            "invalid attribute value length", "the peripheral does not accept a value of this length",
            "Use a value of the length that the documentation of the peripheral gives."),
        0x0E: Row(
            "unlikely error", "the peripheral failed without giving a reason",
            "Try again, and if it fails each time, read in the documentation of the peripheral what it requires."),
        0x0F: Row("insufficient encryption", "the peripheral requires an encrypted link", pair),
        0x10: Row("unsupported group type", "the peripheral does not support the request", report),
        0x11: Row(
            "insufficient resources", "the peripheral has too few resources at present",
            "Wait a moment and try again."),
        0x12: Row("database out of sync", "the services of the peripheral have changed", rediscover),
        0x13: Row(
            "value not allowed", "the peripheral does not allow this value",
            "Use a value that the documentation of the peripheral allows."),
        0xFC: Row(
            "write request rejected", "the peripheral rejected the request, although it permits it in general",
            "Read in the documentation of the peripheral when it accepts this."),
        0xFD: Row(
            "client characteristic configuration improperly configured",
            "the peripheral requires that its notifications or indications are on",
            "Turn on the notifications or indications of the characteristic first."),
        0xFE: Row(
            "procedure already in progress", "the peripheral still executes an earlier request",
            "Wait until that request has ended, and try again."),
        0xFF: Row(
            "out of range", "the peripheral does not accept a value outside of its range",
            "Use a value of the range that the documentation of the peripheral gives."),
    ]

    private static let lookUp = "Look up the code in the documentation of the peripheral."
    private static let pair = "Pair with the peripheral."
    private static let rediscover = "Connect again; if that does not help, remove the device."
    private static let report = "Try again, and if it fails each time, report it to the maker of the peripheral."

    /// Returns the cause if the peripheral does not permit an operation.
    ///
    /// This module sends only operations that the properties of the characteristic list (S65).
    private static func refusal(of operation: BluetoothError.Operation?) -> String {
        switch operation {
        case .read: "the peripheral lists reading among the properties of the characteristic, but refuses it"
        case .write: "the peripheral lists writing among the properties of the characteristic, but refuses it"
        case .notify:
            "the peripheral lists notifications or indications among the properties of the characteristic, but refuses "
                + "to turn them on"
        case .readDescriptor: "the peripheral does not permit reading the descriptor"
        case .writeDescriptor: "the peripheral does not permit writing the descriptor"
        default: "the peripheral does not permit this"
        }
    }
}
