/// Bytes that are not a valid value of their format, with the reason and the bytes.
///
/// The description never contains keys.
public struct ValueDecodingError: Error, Hashable, Sendable {
    /// What the bytes were to be, for example `bthome` or `Heart Rate Measurement`.
    public var subject: String
    /// Why decoding failed.
    public var reason: Reason
    /// The bytes that were not decoded.
    public var bytes: [UInt8]

    /// Makes an error.
    public init(_ subject: String, _ reason: Reason, bytes: [UInt8]) {
        self.subject = subject
        self.reason = reason
        self.bytes = bytes
    }

    /// Why decoding failed.
    public enum Reason: Hashable, Sendable {
        /// There are fewer bytes than the format needs.
        case tooShort(needed: Int)
        /// There are more bytes than the format allows.
        case tooLong(allowed: Int)
        /// A length inside the payload points beyond its end. The offset is that of the length.
        case lengthBeyondEnd(offset: Int)
        /// The version of the format is not supported.
        case unsupportedVersion(Int)
        /// The payload has an identifier that the specification reserves or does not define.
        case reservedIdentifier(Int)
        /// A field has a value that the specification forbids.
        case invalidValue(field: String)
        /// Two parts of the payload contradict each other.
        case contradiction(String)
        /// The payload is encrypted, and there is no key for the device.
        case missingKey
        /// The key has another length than the format needs.
        case unsuitableKey
        /// The payload is encrypted, and the key does not match, or the payload was changed.
        case wrongKey
        /// The packet is older than one that the device sent before.
        case replayed(counter: UInt32, last: UInt32)
        /// A device with a key sent values without encryption.
        case downgraded
        /// The payload is encrypted, and the address of the sender is needed, but unknown.
        case missingAddress
        /// A checksum does not match.
        case wrongChecksum
    }
}

extension ValueDecodingError: CustomStringConvertible {
    /// What failed, why, and the bytes, in one line.
    public var description: String {
        let data = bytes.isEmpty ? "no bytes" : HexText.text(bytes)
        return "Decoding \(subject) failed: \(reason). Data: \(data)."
    }
}

extension ValueDecodingError.Reason: CustomStringConvertible {
    /// The reason as a phrase without a full stop.
    public var description: String {
        switch self {
        case .tooShort(let needed): "at least \(needed) bytes are needed"
        case .tooLong(let allowed): "at most \(allowed) bytes are allowed"
        case .lengthBeyondEnd(let offset): "the length at byte \(offset) points beyond the end"
        case .unsupportedVersion(let version): "version \(version) is not supported"
        case .reservedIdentifier(let identifier): "the identifier \(identifier) is not defined"
        case .invalidValue(let field): "\(field) has a value that the specification forbids"
        case .contradiction(let text): "\(text)"
        case .missingKey: "it is encrypted; add the key of the device"
        case .unsuitableKey: "the key has the wrong length; check the key of the device"
        case .wrongKey: "the key does not match, or the data was changed; check the key of the device"
        case .replayed(let counter, let last): "packet \(counter) is older than packet \(last)"
        case .downgraded: "it is not encrypted, although the device has a key"
        case .missingAddress: "it is encrypted, and the address of the sender is unknown"
        case .wrongChecksum: "the checksum does not match"
        }
    }
}

/// A value that its format cannot represent.
public struct ValueEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be encoded.
    public var subject: String
    /// The field that cannot be represented.
    public var field: String
    /// Why it cannot be represented.
    public var reason: Reason

    /// Makes an error.
    public init(_ subject: String, field: String, _ reason: Reason) {
        self.subject = subject
        self.field = field
        self.reason = reason
    }

    /// Why a field cannot be represented.
    public enum Reason: Hashable, Sendable {
        /// The value is outside of the range of the field.
        case outOfRange
        /// The value is missing, and the format has no way to say so.
        case missing
        /// The text or data is too long for the payload.
        case tooLong
        /// Two fields contradict each other.
        case contradiction
        /// The key has another length than the format needs.
        case unsuitableKey
    }

    /// What failed and why, in one line.
    public var description: String {
        let cause =
            switch reason {
            case .outOfRange: "is out of range"
            case .missing: "is missing; set it"
            case .tooLong: "is too long"
            case .contradiction: "contradicts another field"
            case .unsuitableKey: "has the wrong length"
            }
        return "Encoding \(subject) failed: \(field) \(cause)."
    }
}
