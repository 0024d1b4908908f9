import BluetoothValues
import Rx
import RxBluetooth

/// A characteristic that a job or a command uses.
enum AttributeAccess: Sendable {
    case characteristic(Characteristic)
    /// bluetoothd hides the battery service, and reports the level itself.
    case hiddenBattery(Peripheral)

    /// Finds a characteristic of a connected device. Sends no request.
    static func find(_ attribute: GATTCommand.Attribute, of peripheral: Peripheral) -> Observable<AttributeAccess> {
        peripheral.characteristic(attribute.uuid, in: attribute.service).asObservable()
            .map { .characteristic($0) }
            .catch { error in
                let isBattery = attribute.uuid == "2A19" && (attribute.service ?? "180F") == "180F"
                guard isBattery, (error as? BluetoothError)?.kind == .attributeNotFound else { throw error }
                return .just(.hiddenBattery(peripheral))
            }
    }

    /// Reads the value. A job has no exclusive access.
    func read(_ operations: ExclusiveOperations?, _ options: OperationOptions) -> Single<[UInt8]> {
        switch self {
        case .characteristic(let characteristic):
            operations.map { $0.readValue(for: characteristic, options: options) }
                ?? characteristic.readValue(options: options)
        case .hiddenBattery(let peripheral):
            peripheral.read(BatteryLevel.self, options: options).map { try $0.encoded() }
        }
    }

    /// Observes the notified or indicated values.
    func observe(_ operations: ExclusiveOperations?, _ options: OperationOptions) -> Observable<[UInt8]> {
        // A slow gateway loses the oldest values of one device, instead of all later ones.
        let buffer = ValueBuffer(capacity: 1024, overflow: .dropOldest)
        switch self {
        case .characteristic(let characteristic):
            return operations.map { $0.observeValueUpdates(for: characteristic, buffer: buffer, options: options) }
                ?? characteristic.observeValueUpdates(buffer: buffer, options: options)
        case .hiddenBattery(let peripheral):
            return peripheral.observe(BatteryLevel.self, buffer: buffer, options: options)
                .map { try $0.encoded() }
        }
    }

    /// Writes a value: with response if the characteristic supports it, unless the command chooses.
    func write(
        _ bytes: [UInt8], withResponse: Bool?, _ operations: ExclusiveOperations, _ options: OperationOptions
    ) -> Completable {
        switch self {
        case .characteristic(let characteristic):
            let isRequest = withResponse ?? characteristic.properties.contains(.write)
            return operations.writeValue(
                bytes, for: characteristic, type: isRequest ? .withResponse : .withoutResponse, options: options)
        case .hiddenBattery:
            return .error(BluetoothError(.notPermitted, operation: .write, target: "2A19"))
        }
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
