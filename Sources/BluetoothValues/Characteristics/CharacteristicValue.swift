/// A type that a characteristic's value converts to and from.
///
/// Conform your own types to use them like those of this library:
///
///     struct LightColor: CharacteristicValue {
///         static let uuid: AttributeUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
///         var red: UInt8, green: UInt8, blue: UInt8
///
///         init(decoding bytes: [UInt8]) throws(ValueDecodingError) {
///             guard bytes.count == 3 else { throw ValueDecodingError("colour", .tooShort(needed: 3), bytes: bytes) }
///             (red, green, blue) = (bytes[0], bytes[1], bytes[2])
///         }
///
///         func encoded() -> [UInt8] { [red, green, blue] }
///     }
public protocol CharacteristicValue: Hashable, Sendable {
    /// The UUID of the characteristic.
    static var uuid: AttributeUUID { get }

    /// Decodes a value. Throws if it is too short, too long or malformed.
    init(decoding bytes: [UInt8]) throws(ValueDecodingError)

    /// Encodes the value, so that decoding returns an equal one. Throws if a property is out of range.
    func encoded() throws(ValueEncodingError) -> [UInt8]
}
