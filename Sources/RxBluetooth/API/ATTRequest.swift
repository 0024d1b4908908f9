public import Rx

/// A read or a write of a central, which is answered once.
///
/// A request is open until it is answered, until ``Deadlines/request`` has passed, or until the services are no longer
/// published; see ``outcome``. All methods may be called on any thread.
public final class ATTRequest: Sendable {
    /// What a central requests.
    public enum Operation: Hashable, Sendable {
        /// A read of the whole value. bluetoothd and this library return parts of long values by themselves.
        case read
        /// A write that the central expects to be confirmed. A long write is one request.
        case write
        /// A write that is not confirmed: an answer has no effect on the central.
        ///
        /// If a characteristic allows writes without response, bluetoothd 5.66 passes all its writes on like this, and
        /// confirms those with response by itself.
        case writeWithoutResponse
    }

    /// How a request ended.
    public enum Outcome: Hashable, Sendable {
        /// The request succeeded.
        case succeeded
        /// The request failed with the answered error.
        case failed(ATTError)
        /// There was no answer in time. The central received ``ATTError/unlikelyError``.
        case unanswered
        /// The services are no longer published.
        case cancelled
    }

    /// What the central requests.
    public let operation: Operation
    /// The device that sent the request; nil if bluetoothd has not named it.
    public let central: Central?
    /// The UUID of the service.
    public let service: BluetoothUUID
    /// The UUID of the characteristic.
    public let characteristic: BluetoothUUID
    /// The UUID of the descriptor; nil for a request to the characteristic's value.
    public let descriptor: BluetoothUUID?
    /// The position in the value at which a write begins; 0 for a read.
    public let offset: Int
    /// The bytes to write; empty for a read. Offset and bytes together are at most 512.
    public let value: [UInt8]
    private let scheduler: any SchedulerType
    private let answered: @Sendable (Result<[UInt8], ATTError>) -> Void
    private let state = BehaviorSubject<Outcome?>(value: nil)
    private let isOver = Guarded(false)

    /// Makes an open request.
    ///
    /// - Parameter answered: Called once with the answer, on any thread.
    init(
        _ operation: Operation, _ attribute: LocalAttribute, from central: Central?, offset: Int, value: [UInt8],
        scheduler: any SchedulerType, answered: @escaping @Sendable (Result<[UInt8], ATTError>) -> Void
    ) {
        self.operation = operation
        self.central = central
        service = attribute.service
        characteristic = attribute.characteristic
        descriptor = attribute.descriptor
        self.offset = offset
        self.value = value
        self.scheduler = scheduler
        self.answered = answered
    }

    /// Answers the request: a read with its value, a write with success. Only the first answer counts.
    ///
    /// - Parameter value: The whole value of a read, at most 512 bytes. Without effect for a write.
    /// - Returns: Whether the request was still open.
    /// - Throws: ``BluetoothError/Kind/invalidArgument`` if the value is too long. The request stays open.
    @discardableResult
    public func respond(with value: [UInt8] = []) throws(BluetoothError) -> Bool {
        guard value.count <= Characteristic.longestValue else { throw Characteristic.tooLong(value.count) }
        guard end(.succeeded) else { return false }
        answered(.success(value))
        return true
    }

    /// Refuses the request. Only the first answer counts.
    ///
    /// - Parameter error: The error that the central receives.
    /// - Returns: Whether the request was still open.
    @discardableResult
    public func respond(withError error: ATTError) -> Bool {
        guard end(.failed(error)) else { return false }
        answered(.failure(error))
        return true
    }

    /// Returns a value after this write.
    ///
    /// The bytes before ``offset`` stay, and the bytes after the write are removed.
    ///
    /// - Throws: ``ATTError/invalidOffset`` if the write begins after the end of the value.
    public func applied(to present: [UInt8]) throws(ATTError) -> [UInt8] {
        guard offset <= present.count else { throw .invalidOffset }
        return present.prefix(offset) + value
    }

    /// How the request ended.
    ///
    /// Emits once when the request has ended, and at once if it has already. Never fails. Delivers on the manager's
    /// queue.
    public var outcome: Single<Outcome> {
        state.compactMap { $0 }.take(1).observe(on: scheduler).asSingle()
    }

    /// Ends the request with an outcome. Returns whether the request was open.
    @discardableResult
    func end(_ outcome: Outcome) -> Bool {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { state.onNext(outcome) }
        return isFirst
    }
}

/// The device that uses a service of this computer.
public struct Central: Hashable, Sendable {
    /// The address. A central with a private address gets a new one from time to time.
    public let address: BluetoothAddress
    /// The device as a peripheral; nil if bluetoothd does not show it.
    public let peripheral: Peripheral?
    /// The most bytes of a notification to this central: its MTU less 3.
    ///
    /// bluetoothd sends no more of a longer value.
    public let maximumUpdateValueLength: Int
}

/// An error with which a request of a central is refused.
///
/// The cases are those that bluetoothd can send. bluetoothd itself refuses links that are not secure enough.
/// Source: BlueZ 5.66, `src/gatt-database.c`, `dbus_error_to_att_ecode`.
public enum ATTError: Error, Hashable, Sendable {
    /// The attribute cannot be read (0x02), or cannot be written (0x03).
    case notPermitted
    /// The request is not supported (0x06).
    case requestNotSupported
    /// The offset is after the end of the value (0x07).
    case invalidOffset
    /// The central is not authorised (0x08).
    case insufficientAuthorization
    /// The value has a length that the attribute does not have (0x0D).
    case invalidValueLength
    /// The request failed for another reason (0x0E).
    case unlikelyError
    /// A procedure is in progress (0xFE).
    case procedureInProgress
    /// An error that the service defines, from 0x80 to 0x9F.
    ///
    /// Before BlueZ 5.66, centrals always receive 0x80.
    ///
    /// Centrals receive ``unlikelyError`` for other numbers.
    case application(UInt8)
}
