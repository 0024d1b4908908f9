public import Rx

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
