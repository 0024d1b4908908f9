import DBus

/// The table from D-Bus error names and texts to kinds (BLUEZ.md, section 3). Texts are compared only here.
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
        if let suffix = suffix(of: error.name, after: "org.bluez.Error.") {
            return bluezKind(suffix, error.message, operation)
        }
        guard let suffix = suffix(of: error.name, after: "org.freedesktop.DBus.Error.") else { return .bluez }
        return switch suffix {
        case "ServiceUnknown", "NameHasNoOwner": .daemonUnavailable
        case "Disconnected", "NoServer", "FileNotFound", "BadAddress", "IOError", "NoNetwork": .busUnavailable
        case "AccessDenied", "AuthFailed": .permissionDenied
        case "NoReply", "Timeout", "TimedOut": .timedOut
        case "LimitsExceeded", "NoMemory": .resourceExhausted
        case "UnknownObject": gone(operation)
        // An old libdbus on the daemon's side answers so for an object that is gone; the text tells (Q82).
        case "UnknownMethod": error.message.contains("doesn't exist") ? gone(operation) : .unsupported
        case "UnknownInterface", "UnknownProperty": .unsupported
        case "InvalidArgs": .invalidArgument
        case "InvalidSignature": .protocolViolation
        default: .bluez
        }
    }

    private static func bluezKind(_ suffix: Substring, _ text: String, _ operation: Operation) -> Kind {
        switch suffix {
        case "NotReady": .adapterOff
        case "Blocked": .adapterBlocked
        case "InProgress", "Busy": .busy
        case "AlreadyConnected": .alreadyConnected
        case "NotConnected": .notConnected
        case "NoSuchAdapter": .noAdapter
        case "DoesNotExist": gone(operation)
        case "NotAvailable", "NotSupported", "Unsupported", "AgentNotAvailable": .unsupported
        case "NotAuthorized": .notAuthorized
        case "NotPermitted":
            switch text {
            case "Not paired": .needsPairing
            case "Write acquired", "Notify acquired": .exclusiveUse
            default: .notPermitted
            }
        case "InvalidArguments", "InvalidLength", "InvalidOffset", "InvalidValueLength": .invalidArgument
        case "ImproperlyConfigured": .attError
        case "AuthenticationCanceled", "AuthenticationFailed", "AuthenticationRejected", "AuthenticationTimeout",
            "ConnectionAttemptFailed":
            .pairingFailed(String(suffix))
        case "Failed": failedKind(text, operation)
        default: .bluez
        }
    }

    private static func failedKind(_ text: String, _ operation: Operation) -> Kind {
        switch text {
        case "Not connected", "Not Connected", "No ATT transport": .notConnected
        case "br-connection-adapter-not-powered", "le-connection-adapter-not-powered": .adapterOff
        case "br-connection-busy", "le-connection-busy": .busy
        case "le-connection-concurrent-connection-limit", "br-connection-concurrent-connection-limit": .noFreeSlot
        case "le-connection-gatt-browsing": .discoveryFailed
        case _ where text.hasSuffix("-key-missing"): .bondLost
        case _ where text.hasPrefix("Operation failed with ATT error"): .attError
        case _ where text.hasPrefix("le-connection-") || text.hasPrefix("br-connection-"): .connectFailed(text)
        // Daemons before 5.62 gave the text of errno (Q77).
        default: operation == .connect ? .connectFailed(text) : .bluez
        }
    }

    private static func gone(_ operation: Operation) -> Kind {
        switch operation {
        case .read, .write, .readDescriptor, .writeDescriptor, .notify: .attributeNotFound
        case .connect, .disconnect, .discover, .pair, .trust, .forget: .peripheralGone
        case .scan, .readState: .noAdapter
        }
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

    private static func suffix(of name: String, after prefix: String) -> Substring? {
        name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : nil
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
