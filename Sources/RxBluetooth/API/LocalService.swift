public import Rx

/// A service that this computer offers to centrals.
///
/// ``BluetoothManager/publish(_:resumes:)`` publishes it.
///
///     let level = LocalCharacteristic(0x2A19, [.read, .notify], value: [100])
///     let battery = LocalService(0x180F, characteristics: [level])
///
/// Source: BlueZ, `gatt-api.txt`, `GattService1`.
public struct LocalService: Sendable {
    /// The UUID. bluetoothd has the services 1800 and 1801 itself.
    public var uuid: BluetoothUUID
    /// Whether the service is primary. Default: true.
    public var isPrimary: Bool
    /// The UUIDs of included services. Default: none.
    ///
    /// They must be published before this one in the same list.
    public var includedServices: [BluetoothUUID]
    /// The characteristics, in the order of their handles.
    public var characteristics: [LocalCharacteristic]

    /// Creates a service.
    public init(
        _ uuid: BluetoothUUID, isPrimary: Bool = true, includedServices: [BluetoothUUID] = [],
        characteristics: [LocalCharacteristic] = []
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includedServices = includedServices
        self.characteristics = characteristics
    }
}

/// A characteristic of a ``LocalService``, with the functions that answer its requests.
///
/// A read is answered by ``onRead``; without it, by ``value``; without both, by a subscriber of
/// ``PublishedServices/observeDidReceiveRead()``. A write is answered by ``onWrite``; without it, by a subscriber of
/// ``PublishedServices/observeDidReceiveWrite()``. A request without an answer fails for the central after
/// ``Deadlines/request``.
///
/// Source: BlueZ, `gatt-api.txt`, `GattCharacteristic1`.
public struct LocalCharacteristic: Sendable {
    /// The UUID.
    public var uuid: BluetoothUUID
    /// The operations that centrals may use.
    public var properties: Characteristic.Properties
    /// The security that a link needs for reads, writes and notifications. Default: ``LocalSecurity/none``.
    public var security: LocalSecurity
    /// A value that does not change: reads without ``onRead`` return it. Default: nil.
    public var value: [UInt8]?
    /// The descriptors. bluetoothd adds 2902 and 2900 itself. Default: none.
    public var descriptors: [LocalDescriptor]
    /// How many values wait to be sent, and what happens to more.
    ///
    /// Default: 64 values, the oldest is dropped.
    public var buffer: ValueBuffer
    /// Answers a read with the whole value, on the manager's queue. Default: nil.
    ///
    /// The returned stream may fail with an ``ATTError``, which the central receives. The central receives
    /// ``ATTError/unlikelyError`` for any other error.
    public var onRead: (@Sendable (ATTRequest) -> Single<[UInt8]>)?
    /// Answers a write, on the manager's queue: completion accepts the write, an error refuses it.
    ///
    /// Default: nil.
    ///
    /// The errors are those of ``onRead``.
    public var onWrite: (@Sendable (ATTRequest) -> Completable)?
    /// The values to notify or indicate, subscribed to while a central is subscribed. Default: nil.
    ///
    /// It is subscribed to when the first central subscribes, and disposed of when the last one unsubscribes. If it
    /// fails, the stream of ``BluetoothManager/publish(_:resumes:)`` fails with the same error. Completion ends
    /// nothing else.
    public var updates: Observable<[UInt8]>?

    /// Creates a characteristic.
    public init(
        _ uuid: BluetoothUUID, _ properties: Characteristic.Properties, security: LocalSecurity = .none,
        value: [UInt8]? = nil, descriptors: [LocalDescriptor] = [],
        buffer: ValueBuffer = ValueBuffer(capacity: 64, overflow: .dropOldest), updates: Observable<[UInt8]>? = nil,
        onRead: (@Sendable (ATTRequest) -> Single<[UInt8]>)? = nil,
        onWrite: (@Sendable (ATTRequest) -> Completable)? = nil
    ) {
        self.uuid = uuid
        self.properties = properties
        self.security = security
        self.value = value
        self.descriptors = descriptors
        self.buffer = buffer
        self.updates = updates
        self.onRead = onRead
        self.onWrite = onWrite
    }
}

/// A descriptor of a ``LocalCharacteristic``. Its requests are answered like those of a characteristic.
///
/// Source: BlueZ, `gatt-api.txt`, `GattDescriptor1`.
public struct LocalDescriptor: Sendable {
    /// The UUID.
    public var uuid: BluetoothUUID
    /// Whether centrals may write the descriptor. They may always read it.
    public var isWritable: Bool
    /// The security that a link needs for reads and writes. Default: ``LocalSecurity/none``.
    public var security: LocalSecurity
    /// A value that does not change: reads without ``onRead`` return it. Default: nil.
    public var value: [UInt8]?
    /// Answers a read, see ``LocalCharacteristic/onRead``. Default: nil.
    public var onRead: (@Sendable (ATTRequest) -> Single<[UInt8]>)?
    /// Answers a write, see ``LocalCharacteristic/onWrite``. Default: nil.
    public var onWrite: (@Sendable (ATTRequest) -> Completable)?

    /// Creates a descriptor.
    public init(
        _ uuid: BluetoothUUID, value: [UInt8]? = nil, isWritable: Bool = false, security: LocalSecurity = .none,
        onRead: (@Sendable (ATTRequest) -> Single<[UInt8]>)? = nil,
        onWrite: (@Sendable (ATTRequest) -> Completable)? = nil
    ) {
        self.uuid = uuid
        self.value = value
        self.isWritable = isWritable
        self.security = security
        self.onRead = onRead
        self.onWrite = onWrite
    }
}

/// The security that a link needs for the requests of an attribute. bluetoothd checks it.
public enum LocalSecurity: Hashable, Sendable {
    /// Any link.
    case none
    /// An encrypted link, also without a passkey.
    case encrypted
    /// An encrypted link that was paired with a passkey.
    case authenticated
    /// An encrypted link that was paired with a passkey over LE Secure Connections.
    case secureConnections
}
