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
            dbusMessage: error.message, attCode: ErrorTable.attCode(of: error, during: operation))
    }

    /// An error of an operation on a characteristic or one of its descriptors. From 5.80 on, bluetoothd itself refuses writes to the
    /// services that it keeps, with the error that otherwise stands for the peripheral's ATT 0x08 (Q109).
    init(_ error: DBusError, operation: Operation, on characteristic: Characteristic, target: String) {
        self.init(error, operation: operation, target: target)
        let isWrite = operation == .write || operation == .writeDescriptor
        if isWrite, kind == .notAuthorized, BlueZ.claimedServices.contains(characteristic.service.uuid) {
            self = withoutATTCode
        }
    }

    /// The same error as one of bluetoothd instead of the peripheral.
    var withoutATTCode: BluetoothError {
        BluetoothError(kind, operation: operation, target: target, dbusName: dbusName, dbusMessage: dbusMessage)
    }

    private static func kind(of error: DBusError, during operation: Operation) -> Kind {
        guard let row = ErrorTable.row(of: error) else { return .bluez }
        return switch ErrorTable.rows[row].meaning {
        case .kind(let kind), .refused(let kind): kind
        case .gone: gone(operation)
        // An adapter without LE has no LEAdvertisingManager1. Source: BlueZ 5.66, `src/adapter.c`, `adapter_register`.
        case .goneOrUnsupported: operation == .advertise ? .unsupported : gone(operation)
        case .connectFailed: .connectFailed(error.message)
        case .failed: failed(operation, error.message)
        case .pairingFailed: .pairingFailed(String(error.name.dropFirst("org.bluez.Error.".count)))
        }
    }

    /// Without a text that tells more: daemons before 5.62 gave that of errno where connecting failed (Q77), and registering an
    /// advertisement has texts only. Source: BlueZ 5.66, `src/advertising.c`. The same text elsewhere is in no table.
    private static func failed(_ operation: Operation, _ text: String) -> Kind {
        switch operation {
        case .connect: .connectFailed(text)
        case .advertise: .registrationFailed(text)
        default: .bluez
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

    /// Whether bluetoothd tried classic Bluetooth with a peripheral that speaks LE. It would do so again, until it has heard an
    /// advertisement since it last saw the peripheral there (Q83). Source: BlueZ 5.66, `src/device.c`, `select_conn_bearer`.
    var isOfWrongBearer: Bool {
        guard case .connectFailed(let text) = kind else { return false }
        return [
            "br-connection-page-timeout", "br-connection-sdp-search", ErrorTable.profileUnavailable,
        ].contains(text)
    }
}
