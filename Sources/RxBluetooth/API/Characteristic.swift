public import Rx

/// A characteristic of a connected peripheral. It is valid for the connection in which it was discovered (S54).
public struct Characteristic: Hashable, Sendable {
    /// The service that it belongs to.
    public let service: Service
    /// What kind of characteristic it is. Two characteristics may have one UUID (Q110).
    public let uuid: BluetoothUUID
    /// The handle by which bluetoothd names it, which no other attribute of the peripheral has: that of the declaration.
    public let handle: UInt16
    /// What can be done with it.
    public let properties: Properties

    /// The peripheral that offers it.
    public var peripheral: Peripheral { service.peripheral }
    var key: CharacteristicKey {
        CharacteristicKey(device: peripheral.key, service: service.handle, handle: handle)
    }
    var target: String { "\(uuid) of \(peripheral.address)" }

    /// Reads the value. Emits it once (S62).
    ///
    /// Fails with ``BluetoothError/Kind/notPermitted`` where ``properties`` do not offer reading, before anything
    /// is sent (S65), with ``BluetoothError/Kind/attError`` where the peripheral refuses, with
    /// ``BluetoothError/Kind/timedOut`` after ``Deadlines/operation``, and with the error of the connection when that ends.
    /// Operations of one connection run one after the other, in the order of their subscriptions (S55). Cold.
    /// Source: BlueZ, `gatt-api.txt`, `ReadValue`.
    public func readValue() -> Single<[UInt8]> {
        peripheral.stream { client, emitter in client.operations.read(self, emitter) }.asSingle()
    }

    /// How a write is made.
    public enum WriteType: Sendable {
        /// The peripheral confirms it. A value longer than one packet is sent in parts (Q99).
        case withResponse
        /// Nobody confirms it: completing means that bluetoothd has taken it, not that it arrived (Q97).
        case withoutResponse
    }

    /// Writes a value. Completes when the peripheral has confirmed it, or for writes without response when bluetoothd
    /// has taken it (S63).
    ///
    /// Fails as ``readValue()`` does, and with ``BluetoothError/Kind/invalidArgument`` for more than
    /// ``Peripheral/maximumWriteValueLength(for:)``; ``writeLongValue(_:type:partLength:retry:)`` takes any length. Cold. Source: BlueZ, `gatt-api.txt`, `WriteValue`.
    public func writeValue(_ value: [UInt8], type: WriteType = .withResponse) -> Completable {
        peripheral.stream { (client, emitter: Emitter<Never>) in
            guard value.count <= Self.longestValue else {
                return emitter.fail(Self.tooLong(value.count).during(.write, target))
            }
            // bluetoothd would refuse it with a text that says nothing (Q99). An MTU that nobody told is not held against it.
            if type == .withoutResponse, let limit = peripheral.packetLength, value.count > limit {
                let text = "The value has \(value.count) bytes, and a packet of this connection takes \(limit)"
                return emitter.fail(BluetoothError(.invalidArgument, dbusMessage: text).during(.write, target))
            }
            client.operations.write(value, isRequest: type == .withResponse, to: self, emitter)
        }
        .asCompletable()
    }

    /// Tells the characteristic's descriptors: one element each, in the order of their handles, then completes.
    /// Nothing is sent. Fails with ``BluetoothError/Kind/notConnected`` when the connection has ended. Cold.
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
    /// The most bytes that the value of a characteristic or a descriptor has: 512.
    /// Source: Core Specification 5.4, Vol 3, Part F, 3.2.9.
    public static let longestValue = 512

    static func tooLong(_ count: Int) -> BluetoothError {
        BluetoothError(
            .invalidArgument,
            dbusMessage: "The value has \(count) bytes, and an attribute holds \(longestValue) at most")
    }
}

extension Characteristic {
    /// What can be done with a characteristic.
    /// Source: Core Specification 5.4, Vol 3, Part G, 3.3.1.1; BlueZ, `gatt-api.txt`, `Flags`.
    public struct Properties: OptionSet, Hashable, Sendable {
        /// The bits, as the specification numbers them.
        public let rawValue: UInt16

        /// Makes a set from its bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The value may be sent in advertisements.
        public static let broadcast = Properties(rawValue: 0x01)
        /// The value can be read.
        public static let read = Properties(rawValue: 0x02)
        /// The value can be written without a confirmation.
        public static let writeWithoutResponse = Properties(rawValue: 0x04)
        /// The value can be written.
        public static let write = Properties(rawValue: 0x08)
        /// The peripheral can send the value, unconfirmed.
        public static let notify = Properties(rawValue: 0x10)
        /// The peripheral can send the value, and has it confirmed.
        public static let indicate = Properties(rawValue: 0x20)
        /// The value can be written with a signature.
        public static let authenticatedSignedWrites = Properties(rawValue: 0x40)
        /// There are further properties in a descriptor.
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

        /// The names of the properties, as BlueZ writes them.
        public var names: [String] { Self.flags.filter { contains($0.property) }.map(\.name) }
    }
}

/// Writes that are longer than an attribute holds.
extension Characteristic {
    /// How far a long write has come.
    public struct WriteProgress: Hashable, Sendable {
        /// How many bytes are written, and confirmed where that was asked for.
        public let written: Int
        /// How many there are to write.
        public let total: Int
    }

    /// A part of a long write that failed.
    public struct WriteFailure: Sendable {
        /// Where the part begins, in bytes.
        public let offset: Int
        /// How many bytes it has.
        public let count: Int
        /// How often it has failed: 1 the first time.
        public let attempt: Int
        /// Why.
        public let error: BluetoothError
    }

    /// Writes more than fits into one write, part by part, as protocols for firmware do (S66).
    ///
    /// Each part is a write of its own to this characteristic; the next begins only when the one before is confirmed, or taken for
    /// writes without response. Emits the progress after each part, then completes. Other operations may come between the
    /// parts. A part that fails is handed to `retry`: where that completes, the same part is written again. The
    /// end of the connection is not retried. Disposing stops after the part that is under way. Fails as ``writeValue(_:type:)``
    /// does, and with ``BluetoothError/Kind/invalidArgument`` for parts below 1 or above 512 bytes. Cold.
    ///
    /// - Parameters:
    ///   - value: What to write, of any length.
    ///   - type: How each part is written.
    ///   - partLength: How many bytes a part has, the last one excepted. Default: what fits into one packet,
    ///     ``Peripheral/maximumWriteValueLength(for:)`` of writes without response.
    ///   - retry: What to do before a part is tried again; an error ends the write with it. Default: fail with the part's own.
    public func writeLongValue(
        _ value: [UInt8], type: WriteType = .withResponse, partLength: Int? = nil,
        retry: @escaping @Sendable (WriteFailure) -> Completable = { .error($0.error) }
    ) -> Observable<WriteProgress> {
        .deferred {
            let length = partLength ?? peripheral.maximumWriteValueLength(for: .withoutResponse)
            guard (1...Self.longestValue).contains(length) else {
                let error = BluetoothError(.invalidArgument, dbusMessage: "Parts have 1 to \(Self.longestValue) bytes")
                return .error(error.during(.write, target))
            }
            let parts = stride(from: 0, to: max(1, value.count), by: length).map { offset in
                part(value, offset..<min(offset + length, value.count), type, attempt: 1, retry)
            }
            return .concat(parts)
        }
    }

    private func part(
        _ value: [UInt8], _ range: Range<Int>, _ type: WriteType, attempt: Int,
        _ retry: @escaping @Sendable (WriteFailure) -> Completable
    ) -> Observable<WriteProgress> {
        writeValue(Array(value[range]), type: type)
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
                    .deferred { part(value, range, type, attempt: attempt + 1, retry) })
            }
    }
}
