/// A service of a peripheral's GATT server.
public struct SimulatedService: Sendable {
    /// The UUID, of 16, 32 or 128 bits, as text.
    public var uuid: String
    /// Whether it is a primary service.
    public var isPrimary: Bool
    /// The UUIDs of the included services of the same peripheral.
    public var includes: [String]
    /// The characteristics, in the order of their handles.
    public var characteristics: [SimulatedCharacteristic]

    /// Creates a service. The closure lists characteristics, and may use `if`, `switch` and `for`.
    /// A line may be an array of characteristics.
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

/// Builds the characteristics of a ``SimulatedService``.
@resultBuilder
public enum SimulatedCharacteristics {
    /// Adds a characteristic.
    public static func buildExpression(_ part: SimulatedCharacteristic) -> [SimulatedCharacteristic] { [part] }
    /// Adds an array of characteristics.
    public static func buildExpression(_ parts: [SimulatedCharacteristic]) -> [SimulatedCharacteristic] { parts }
    /// Adds an optional characteristic.
    public static func buildExpression(_ part: SimulatedCharacteristic?) -> [SimulatedCharacteristic] {
        part.map { [$0] } ?? []
    }
    /// Rejects any other type.
    @available(*, unavailable, message: "a line of a service must be a SimulatedCharacteristic or an array of them")
    public static func buildExpression<Other>(_ other: Other) -> [SimulatedCharacteristic] { [] }
    /// Joins the lines of a block.
    public static func buildBlock(_ parts: [SimulatedCharacteristic]...) -> [SimulatedCharacteristic] {
        parts.flatMap(\.self)
    }
    /// Joins the results of a loop.
    public static func buildArray(_ parts: [[SimulatedCharacteristic]]) -> [SimulatedCharacteristic] {
        parts.flatMap(\.self)
    }
    /// Returns the characteristics of an `if` without `else`.
    public static func buildOptional(_ parts: [SimulatedCharacteristic]?) -> [SimulatedCharacteristic] { parts ?? [] }
    /// Returns the characteristics of an `if` with `else`, or of a `switch`.
    public static func buildEither(first parts: [SimulatedCharacteristic]) -> [SimulatedCharacteristic] { parts }
    /// Returns the characteristics of an `else`, or of a `switch`.
    public static func buildEither(second parts: [SimulatedCharacteristic]) -> [SimulatedCharacteristic] { parts }
    /// Returns the characteristics of an `if #available`.
    public static func buildLimitedAvailability(_ parts: [SimulatedCharacteristic]) -> [SimulatedCharacteristic] {
        parts
    }
}
