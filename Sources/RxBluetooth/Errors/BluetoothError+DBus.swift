import DBus

/// Errors of the bus and of bluetoothd as errors of ours, by ``ErrorTable``.
extension BluetoothError {
    /// An error that did not come of anything that a user asked for.
    init(_ error: DBusError) {
        let error = BluetoothError(error, operation: .readState, target: nil)
        self.init(error.kind, dbusName: error.dbusName, dbusMessage: error.dbusMessage)
    }

    init(_ error: DBusError, operation: Operation, target: String?) {
        self.init(
            Self.kind(of: error, during: operation), operation: operation, target: target, dbusName: error.name,
            dbusMessage: error.message, attCode: Self.attCode(of: error))
    }

    private static func kind(of error: DBusError, during operation: Operation) -> Kind {
        guard let row = ErrorTable.row(of: error) else { return .bluez }
        return switch ErrorTable.rows[row].meaning {
        case .kind(let kind): kind
        case .gone: gone(operation)
        case .connectFailed: .connectFailed(error.message)
        case .connectFailedIfConnecting: operation == .connect ? .connectFailed(error.message) : .bluez
        case .pairingFailed: .pairingFailed(String(error.name.dropFirst("org.bluez.Error.".count)))
        }
    }

    private static func gone(_ operation: Operation) -> Kind {
        switch operation {
        case .read, .write, .readDescriptor, .writeDescriptor, .notify: .attributeNotFound
        case .connect, .disconnect, .discover, .readRSSI, .pair, .trust, .forget: .peripheralGone
        case .scan, .readState, .advertise: .noAdapter
        }
    }

    /// Whether the controller gave up an attempt to connect, which it does now and then without a reason of its own (Q77);
    /// the second text is that of daemons before 5.62, and the last is for a cancellation that nobody asked for (Q79).
    var isAbortedConnection: Bool {
        guard case .connectFailed(let text) = kind else { return false }
        return [
            "le-connection-abort-by-local", "Software caused connection abort", "br-connection-canceled",
        ].contains(text)
    }

    /// The code stands in the text only: “Operation failed with ATT error: 0x81” (Q96). Other texts imply one.
    private static func attCode(of error: DBusError) -> UInt8? {
        switch error.message {
        case "Read not permitted": return 0x02
        case "Write not permitted": return 0x03
        case "Invalid offset": return 0x07
        case "Invalid Length": return 0x0D
        default:
            guard error.message.hasPrefix("Operation failed with ATT error"),
                let mark = error.message.range(ofLast: "0x")
            else { return nil }
            return UInt8(error.message[mark...].prefix { $0.isHexDigit }, radix: 16)
        }
    }
}

extension String {
    /// The index after the last appearance of `mark`; nil where it does not appear.
    fileprivate func range(ofLast mark: String) -> Index? {
        var index = endIndex
        while index > startIndex {
            if self[..<index].hasSuffix(mark) { return index }
            index = self.index(before: index)
        }
        return nil
    }
}
