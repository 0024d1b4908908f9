/// The charge of a battery and where the power comes from.
public struct BatteryLevelStatus: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2BED

    /// The bits of the power state.
    public var powerState: Int
    /// The number of the battery in the list of namespaces; nil if it is not sent.
    public var identifier: Int?
    /// The charge in percent; nil if it is not sent.
    public var level: Double?
    /// Bits 0–1: 1 if service is required, 2 unknown; bit 2: fault; nil if they are not sent.
    public var additionalStatus: Int?

    /// Makes a value.
    public init(powerState: Int, identifier: Int? = nil, level: Double? = nil, additionalStatus: Int? = nil) {
        self.powerState = powerState
        self.identifier = identifier
        self.level = level
        self.additionalStatus = additionalStatus
    }

    private static let table = ValueTable<BatteryLevelStatus>(
        0x2BED, empty: BatteryLevelStatus(powerState: 0),
        [
            .integer("Power State", \.powerState),
            .optionalInteger("Identifier", \.identifier),
            .optional("Battery Level", \.level),
            .optionalInteger("Additional Status", \.additionalStatus),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

extension BatteryLevelStatus {
    /// What happens to the charge.
    public enum ChargeState: Int, Hashable, Sendable {
        /// The device does not know it.
        case unknown
        /// The battery is charged.
        case charging
        /// The battery supplies the device.
        case discharging
        /// The battery discharges without supplying the device.
        case idle
    }

    /// Whether there is a battery.
    public var isBatteryPresent: Bool { powerState & 1 == 1 }
    /// Whether a cable supplies power; nil if the device does not know it.
    public var isWired: Bool? { answer(powerState >> 1) }
    /// Whether a wireless charger supplies power; nil if the device does not know it.
    public var isWireless: Bool? { answer(powerState >> 3) }
    /// What happens to the charge.
    public var chargeState: ChargeState { ChargeState(rawValue: powerState >> 5 & 3) ?? .unknown }

    private func answer(_ bits: Int) -> Bool? {
        switch bits & 3 {
        case 0: false
        case 1: true
        default: nil
        }
    }
}
