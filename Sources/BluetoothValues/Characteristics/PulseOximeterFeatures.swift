/// What a pulse oximeter can do.
public struct PulseOximeterFeatures: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A60

    /// The bits of the features.
    public var bits: Int
    /// The bits of the status that measurements may have; nil if they are not sent.
    public var status: Int?
    /// The bits of the status of device and sensor; nil if they are not sent.
    public var deviceStatus: Int?

    /// Makes a value.
    public init(bits: Int, status: Int? = nil, deviceStatus: Int? = nil) {
        self.bits = bits
        self.status = status
        self.deviceStatus = deviceStatus
    }

    private static let table = ValueTable<PulseOximeterFeatures>(
        0x2A60, empty: PulseOximeterFeatures(bits: 0),
        [
            .integer("Supported Features", \.bits),
            .optionalInteger("Measurement Status Support", \.status),
            .optionalInteger("Device and Sensor Status Support", \.deviceStatus),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
