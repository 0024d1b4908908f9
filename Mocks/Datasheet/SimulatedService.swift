/// A service of a peripheral's GATT server.
public struct SimulatedService: Sendable {
    /// Its UUID, of 16, 32 or 128 bits, as text.
    public var uuid: String
    /// Whether it is a primary service.
    public var isPrimary: Bool
    /// The UUIDs of services of the same peripheral that it includes.
    public var includes: [String]
    /// Its characteristics, in the order of their handles.
    public var characteristics: [SimulatedCharacteristic]

    /// Makes a service.
    public init(
        _ uuid: String, isPrimary: Bool = true, including includes: [String] = [],
        @SimulatedCharacteristics _ characteristics: () -> [SimulatedCharacteristic] = { [] }
    ) {
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics()
    }
}

/// Collects the characteristics of a ``SimulatedService``.
@resultBuilder
public enum SimulatedCharacteristics {
    /// Takes a characteristic.
    public static func buildExpression(_ part: SimulatedCharacteristic) -> [SimulatedCharacteristic] { [part] }
    /// Joins what stands in a row.
    public static func buildBlock(_ parts: [SimulatedCharacteristic]...) -> [SimulatedCharacteristic] {
        parts.flatMap(\.self)
    }
    /// Joins what a loop made.
    public static func buildArray(_ parts: [[SimulatedCharacteristic]]) -> [SimulatedCharacteristic] {
        parts.flatMap(\.self)
    }
    /// Takes what an `if` made.
    public static func buildOptional(_ parts: [SimulatedCharacteristic]?) -> [SimulatedCharacteristic] { parts ?? [] }
}
