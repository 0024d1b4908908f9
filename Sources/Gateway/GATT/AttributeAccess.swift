import Rx
import RxBluetooth

/// A characteristic that a job or a command uses.
struct AttributeAccess: Sendable {
    private let characteristic: Characteristic

    /// Finds a characteristic of a connected device. Sends no request.
    static func find(_ attribute: GATTCommand.Attribute, of peripheral: Peripheral) -> Observable<AttributeAccess> {
        peripheral.characteristic(attribute.uuid, in: attribute.service).asObservable()
            .map { AttributeAccess(characteristic: $0) }
    }

    /// Reads the value. A job has no exclusive access.
    func read(_ operations: ExclusiveOperations?, _ options: OperationOptions) -> Single<[UInt8]> {
        operations.map { $0.readValue(for: characteristic, options: options) }
            ?? characteristic.readValue(options: options)
    }

    /// Observes the notified or indicated values.
    func observe(_ operations: ExclusiveOperations?, _ options: OperationOptions) -> Observable<[UInt8]> {
        // A slow gateway loses the oldest values of one device, instead of all later ones.
        let buffer = ValueBuffer(capacity: 1024, overflow: .dropOldest)
        return operations.map { $0.observeValueUpdates(for: characteristic, buffer: buffer, options: options) }
            ?? characteristic.observeValueUpdates(buffer: buffer, options: options)
    }

    /// Writes a value: with response if the characteristic supports it, unless the command chooses.
    func write(
        _ bytes: [UInt8], withResponse: Bool?, _ operations: ExclusiveOperations, _ options: OperationOptions
    ) -> Completable {
        let isRequest = withResponse ?? characteristic.properties.contains(.write)
        return operations.writeValue(
            bytes, for: characteristic, type: isRequest ? .withResponse : .withoutResponse, options: options)
    }
}

extension BluetoothError {
    /// The error of any operation: that of the library, or an unexpected one.
    static func of(_ error: any Error) -> BluetoothError {
        error as? BluetoothError ?? BluetoothError(.bluez, detail: String(describing: error))
    }

    /// Whether the link has ended, so the end of the link reports the cause.
    var isLinkEnd: Bool {
        switch kind {
        case .disconnected, .notConnected, .closed, .daemonUnavailable, .busUnavailable, .poweredOff, .noAdapter,
            .blocked, .peripheralGone:
            true
        default: false
        }
    }

    /// Why a link or an attempt ended, for the scheduler of connections.
    var ending: ConnectionScheduler.Ending {
        switch kind {
        case .noFreeSlot: .noFreeSlot
        case .busUnavailable, .daemonUnavailable, .noAdapter, .poweredOff, .blocked, .disconnected(.adapter),
            .disconnected(.daemon), .disconnected(.bus), .disconnected(.suspend):
            .outage
        // Recovery closes a manager to replace it.
        case .disconnected(.requested), .closed: .closed
        default: .failed
        }
    }

    /// Whether a job cannot succeed on this link.
    var isPermanentForLink: Bool {
        switch kind {
        case .attributeNotFound, .notPermitted, .unsupported, .invalidArgument, .needsPairing, .refused: true
        default: false
        }
    }
}
