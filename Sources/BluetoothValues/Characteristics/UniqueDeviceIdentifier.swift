/// The registered identifier of a medical device.
public struct UniqueDeviceIdentifier: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2BFF

    /// The identifier as it is printed on the device; nil if it is not sent.
    public var label: String?
    /// The part that is the same for all devices of a model; nil if it is not sent.
    public var deviceIdentifier: String?
    /// The object identifier of the organisation that issues it; nil if it is not sent.
    public var issuer: String?
    /// The object identifier of the authority; nil if it is not sent.
    public var authority: String?

    /// Makes a value.
    public init(
        label: String? = nil, deviceIdentifier: String? = nil, issuer: String? = nil, authority: String? = nil
    ) {
        self.label = label
        self.deviceIdentifier = deviceIdentifier
        self.issuer = issuer
        self.authority = authority
    }

    private static let table = ValueTable<UniqueDeviceIdentifier>(
        0x2BFF, empty: UniqueDeviceIdentifier(),
        [
            .optionalText("UDI Label", \.label),
            .optionalText("UDI Device Identifier", \.deviceIdentifier),
            .optionalText("UDI Issuer", \.issuer),
            .optionalText("UDI Authority", \.authority),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
