public import Rx

/// A characteristic of a connected peripheral.
///
/// A characteristic is valid for the connection in which it was discovered. With ``ConnectOptions/reconnection``, it
/// stays valid after each reconnection.
public struct Characteristic: Hashable, Sendable {
    /// The service that contains the characteristic.
    public let service: Service
    /// The UUID. Characteristics of a peripheral with the same UUID have different handles.
    public let uuid: BluetoothUUID
    /// The attribute handle of the declaration, unique within the peripheral.
    public let handle: UInt16
    /// The operations that the characteristic supports.
    public let properties: Properties

    /// The peripheral that the characteristic belongs to.
    public var peripheral: Peripheral { service.peripheral }
    var key: CharacteristicKey {
        CharacteristicKey(device: peripheral.key, service: service.handle, handle: handle)
    }
    /// Whether bluetoothd hides the characteristic, the battery level, and reports its value in another way.
    package var isHidden: Bool { handle == ServiceRecord.reportedLevelHandle }
    var target: String { "\(uuid) of \(peripheral.address)" }

    /// Reads the value.
    ///
    /// Emits the value once. Cold: each subscription queues one read. The operations of a connection run one at a time,
    /// in the order of their priorities and subscriptions. A disposed read that has not started is never sent. Delivers
    /// on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/notPermitted`` before anything is sent, if ``properties`` do not include
    ///   ``Characteristic/Properties/read``.
    /// - ``BluetoothError/Kind/attError``, ``BluetoothError/Kind/needsPairing``, ``BluetoothError/Kind/refused``
    ///   or a similar error if the peripheral refuses.
    /// - ``BluetoothError/Kind/timedOut`` if no reply arrives within the deadline after the read starts.
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if the deadline is zero or less.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    /// - ``BluetoothError/Kind/attributeNotFound`` if the characteristic is no longer valid.
    ///
    /// Source: BlueZ, `gatt-api.txt`, `ReadValue`.
    ///
    /// - Parameter options: The deadline and the priority. Default: ``Deadlines/operation``, and normal.
    public func readValue(options: OperationOptions = OperationOptions()) -> Single<[UInt8]> {
        read(QueueRequest(options: options))
    }

    func read(_ request: QueueRequest) -> Single<[UInt8]> {
        peripheral.stream { client, emitter in client.operations.read(self, request, emitter) }.asSingle()
    }

    /// Whether the peripheral confirms a write.
    public enum WriteType: Sendable {
        /// The peripheral confirms the write. bluetoothd sends a value longer than one packet in parts.
        case withResponse
        /// The peripheral does not confirm the write. Completion means that bluetoothd has accepted it.
        case withoutResponse
    }

    /// Writes the value.
    ///
    /// With response, completes when the peripheral has confirmed the write. Without response, completes when
    /// bluetoothd has accepted the write. Cold: each subscription queues one write. Disposing removes a write that has
    /// not started, and does not stop a write that has started. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/notPermitted`` before anything is sent, if ``properties`` do not include this type of
    ///   write.
    /// - ``BluetoothError/Kind/invalidArgument`` for more bytes than ``Peripheral/maximumWriteValueLength(for:)``.
    ///   ``writeLongValue(_:type:partLength:options:retry:)`` has no such limit. Without response, and while bluetoothd
    ///   has not reported the MTU, the limit is 512 bytes: values of more than 20 bytes are sent, and bluetoothd may
    ///   refuse them.
    /// - The other errors of ``readValue(options:)``. After ``BluetoothError/Kind/timedOut`` or a link loss, the write
    ///   may have taken effect.
    ///
    /// Source: BlueZ, `gatt-api.txt`, `WriteValue`.
    ///
    /// - Parameters:
    ///   - value: The bytes, at most 512.
    ///   - type: Whether the peripheral confirms the write. Default: with response.
    ///   - options: The deadline and the priority. Default: ``Deadlines/operation``, and normal.
    public func writeValue(
        _ value: [UInt8], type: WriteType = .withResponse, options: OperationOptions = OperationOptions()
    ) -> Completable {
        write(value, type, QueueRequest(options: options))
    }

    func write(_ value: [UInt8], _ type: WriteType, _ request: QueueRequest) -> Completable {
        peripheral.stream { (client, emitter: Emitter<Never>) in
            guard value.count <= Self.longestValue else {
                return emitter.fail(Self.tooLong(value.count).during(.write, target))
            }
            // Checks the length here, because bluetoothd's error would not give the cause (Q99). The limit is unknown
            // without an MTU.
            if type == .withoutResponse, let limit = peripheral.packetLength, value.count > limit {
                let text = "The value has \(value.count) bytes, and a packet of this connection takes \(limit)"
                return emitter.fail(BluetoothError(.invalidArgument, detail: text).during(.write, target))
            }
            client.operations.write(value, isRequest: type == .withResponse, to: self, request, emitter)
        }
        .asCompletable()
    }

    /// Discovers the descriptors of the characteristic.
    ///
    /// Emits one element for each descriptor, in the order of the handles, then completes. bluetoothd reads descriptors
    /// together with the services, so no request is sent. Cold. Delivers on the manager's queue.
    ///
    /// Fails with ``BluetoothError/Kind/notConnected`` without a connection, and with
    /// ``BluetoothError/Kind/attributeNotFound`` if the characteristic is no longer valid.
    public func discoverDescriptors() -> Observable<Descriptor> {
        let discovery: Observable<Descriptor> = peripheral.stream { client, emitter in
            emitter.attempt(.discover, target) { () throws(BluetoothError) in
                for found in try client.attributes.descriptors(of: self) { emitter.next(found) }
                emitter.complete()
            }
        }
        return peripheral.resumingAfterReconnect(discovery, link: service.link)
    }
}

extension Characteristic {
    /// The maximum length of a characteristic or descriptor value: 512 bytes.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.2.9.
    public static let longestValue = 512

    static func tooLong(_ count: Int) -> BluetoothError {
        BluetoothError(
            .invalidArgument,
            detail: "The value has \(count) bytes, and an attribute holds at most \(longestValue)")
    }
}

extension Characteristic {
    /// The operations that a characteristic supports.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part G, 3.3.1.1; BlueZ, `gatt-api.txt`, `Flags`.
    public struct Properties: OptionSet, Hashable, Sendable {
        /// The bits of the Characteristic Properties field.
        public let rawValue: UInt16

        /// Creates a set from the bits of the Characteristic Properties field.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The value may be broadcast in advertisements.
        public static let broadcast = Properties(rawValue: 0x01)
        /// The value can be read.
        public static let read = Properties(rawValue: 0x02)
        /// The value can be written without response.
        public static let writeWithoutResponse = Properties(rawValue: 0x04)
        /// The value can be written with response.
        public static let write = Properties(rawValue: 0x08)
        /// The peripheral can send the value as a notification, without confirmation.
        public static let notify = Properties(rawValue: 0x10)
        /// The peripheral can send the value as an indication, with confirmation.
        public static let indicate = Properties(rawValue: 0x20)
        /// The value can be written with a signature, without response.
        public static let authenticatedSignedWrites = Properties(rawValue: 0x40)
        /// The descriptor Characteristic Extended Properties (2900) contains further properties.
        public static let extendedProperties = Properties(rawValue: 0x80)

        private static let flags: [(name: String, property: Properties)] = [
            ("broadcast", .broadcast), ("read", .read), ("write-without-response", .writeWithoutResponse),
            ("write", .write), ("notify", .notify), ("indicate", .indicate),
            ("authenticated-signed-writes", .authenticatedSignedWrites), ("extended-properties", .extendedProperties),
        ]

        init(flags: [String]) {
            self = []
            for flag in flags {
                if let known = Self.flags.first(where: { $0.name == flag }) { insert(known.property) }
            }
        }

        /// The names that BlueZ gives to the properties, for example `write-without-response`.
        public var names: [String] { Self.flags.filter { contains($0.property) }.map(\.name) }
    }
}

// MARK: - Long writes
extension Characteristic {
    /// The progress of a long write.
    public struct WriteProgress: Hashable, Sendable {
        /// The number of bytes written so far. With response, the peripheral has confirmed these bytes.
        public let written: Int
        /// The length of the whole value in bytes.
        public let total: Int
    }

    /// A failed part of a long write.
    public struct WriteFailure: Sendable {
        /// The position of the part's first byte in the value.
        public let offset: Int
        /// The length of the part in bytes.
        public let count: Int
        /// The number of times that this part has failed, from 1.
        public let attempt: Int
        /// The error of the last attempt.
        public let error: BluetoothError
    }

    /// Writes a value of any length in several writes, for example for a firmware update.
    ///
    /// Each part is a separate write to this characteristic. The next part starts when the peripheral has confirmed the
    /// previous part or, without response, when bluetoothd has accepted it. Emits the progress after each part, then
    /// completes. Other operations of the connection may run between two parts.
    ///
    /// If a part fails, `retry` is called. If the stream of `retry` completes, the same part is written again. A part
    /// is not retried if the connection has ended, the characteristic is no longer valid, or the manager is closed.
    ///
    /// Cold. Disposing lets the current part finish and writes no further parts. Delivers on the manager's queue. Fails
    /// with the errors of ``writeValue(_:type:options:)``, and with ``BluetoothError/Kind/invalidArgument`` if
    /// `partLength` is less than 1 or more than 512.
    ///
    /// - Parameters:
    ///   - value: The bytes, of any length.
    ///   - type: Whether the peripheral confirms each part. Default: with response.
    ///   - partLength: The length of each part except the last, in bytes, from 1 to 512. Default: one packet, that is
    ///     ``Peripheral/maximumWriteValueLength(for:)`` without response.
    ///   - options: The deadline and the priority of each part. Default: ``Deadlines/operation``, and normal.
    ///   - retry: Returns a stream that completes if the part should be written again. Default: a stream that fails
    ///     with the error of the part.
    public func writeLongValue(
        _ value: [UInt8], type: WriteType = .withResponse, partLength: Int? = nil,
        options: OperationOptions = OperationOptions(),
        retry: @escaping @Sendable (WriteFailure) -> Completable = { .error($0.error) }
    ) -> Observable<WriteProgress> {
        writeParts(value, type, partLength, QueueRequest(options: options), retry)
    }

    func writeParts(
        _ value: [UInt8], _ type: WriteType, _ partLength: Int?, _ request: QueueRequest,
        _ retry: @escaping @Sendable (WriteFailure) -> Completable
    ) -> Observable<WriteProgress> {
        .deferred {
            let length = partLength ?? peripheral.maximumWriteValueLength(for: .withoutResponse)
            guard (1...Self.longestValue).contains(length) else {
                let error = BluetoothError(.invalidArgument, detail: "Parts have 1 to \(Self.longestValue) bytes")
                return peripheral.failed(error.during(.write, target))
            }
            let parts = stride(from: 0, to: max(1, value.count), by: length).map { offset in
                part(value, offset..<min(offset + length, value.count), type, request, attempt: 1, retry)
            }
            return .concat(parts)
        }
    }

    private func part(
        _ value: [UInt8], _ range: Range<Int>, _ type: WriteType, _ request: QueueRequest, attempt: Int,
        _ retry: @escaping @Sendable (WriteFailure) -> Completable
    ) -> Observable<WriteProgress> {
        write(Array(value[range]), type, request)
            .andThen(.just(WriteProgress(written: range.upperBound, total: value.count)))
            .catch { error in
                guard let error = error as? BluetoothError else { throw error }
                switch error.kind {
                case .disconnected, .notConnected, .closed, .attributeNotFound: throw error
                default: break
                }
                let failure = WriteFailure(
                    offset: range.lowerBound, count: range.count, attempt: attempt, error: error)
                return retry(failure).andThen(
                    .deferred { part(value, range, type, request, attempt: attempt + 1, retry) })
            }
    }
}

extension Characteristic {
    /// Writes a value of any length in several writes, without its progress.
    ///
    /// Completes when the last part is written, and does not retry a part. Otherwise the same as
    /// ``writeLongValue(_:type:partLength:options:retry:)``. Example:
    ///
    ///     try await firmware.writeLongValue(image).value
    @_disfavoredOverload
    public func writeLongValue(
        _ value: [UInt8], type: WriteType = .withResponse, partLength: Int? = nil,
        options: OperationOptions = OperationOptions()
    ) -> Completable {
        writeParts(value, type, partLength, QueueRequest(options: options)) { .error($0.error) }
            .ignoreElements().asCompletable()
    }
}
