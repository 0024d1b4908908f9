/// Collects the parts of a ``SimulatedPeripheral``.
@resultBuilder
public enum SimulatedParts {
    /// Takes an advertisement.
    public static func buildExpression(_ part: SimulatedAdvertisement) -> [SimulatedPart] { [.advertisement(part)] }
    /// Takes an advertisement, or nothing.
    public static func buildExpression(_ part: SimulatedAdvertisement?) -> [SimulatedPart] {
        part.map { [.advertisement($0)] } ?? []
    }
    /// Takes a connection.
    public static func buildExpression(_ part: SimulatedConnection) -> [SimulatedPart] { [.connection(part)] }
    /// Takes a connection, or nothing.
    public static func buildExpression(_ part: SimulatedConnection?) -> [SimulatedPart] {
        part.map { [.connection($0)] } ?? []
    }
    /// Takes how pairing goes.
    public static func buildExpression(_ part: SimulatedPairing) -> [SimulatedPart] { [.pairing(part)] }
    /// Takes how pairing goes, or nothing.
    public static func buildExpression(_ part: SimulatedPairing?) -> [SimulatedPart] {
        part.map { [.pairing($0)] } ?? []
    }
    /// Takes a service.
    public static func buildExpression(_ part: SimulatedService) -> [SimulatedPart] { [.service(part)] }
    /// Takes a service, or nothing.
    public static func buildExpression(_ part: SimulatedService?) -> [SimulatedPart] {
        part.map { [.service($0)] } ?? []
    }
    /// Takes services that were made elsewhere.
    public static func buildExpression(_ parts: [SimulatedService]) -> [SimulatedPart] { parts.map { .service($0) } }
    /// Takes a part that was made elsewhere.
    public static func buildExpression(_ part: SimulatedPart) -> [SimulatedPart] { [part] }
    /// Takes parts that were made elsewhere.
    public static func buildExpression(_ parts: [SimulatedPart]) -> [SimulatedPart] { parts }
    /// Reports a line that is no part of a peripheral.
    @available(
        *, unavailable,
        message: """
            a line of a peripheral must be a SimulatedAdvertisement, SimulatedConnection, SimulatedPairing, \
            SimulatedService, an array of services, or an array of SimulatedPart
            """
    )
    public static func buildExpression<Other>(_ other: Other) -> [SimulatedPart] { [] }
    /// Joins the lines of a block.
    public static func buildBlock(_ parts: [SimulatedPart]...) -> [SimulatedPart] { parts.flatMap(\.self) }
    /// Joins the results of a loop.
    public static func buildArray(_ parts: [[SimulatedPart]]) -> [SimulatedPart] { parts.flatMap(\.self) }
    /// Takes the result of an `if` without `else`.
    public static func buildOptional(_ parts: [SimulatedPart]?) -> [SimulatedPart] { parts ?? [] }
    /// Takes the result of an `if` with `else`, or of a `switch`.
    public static func buildEither(first parts: [SimulatedPart]) -> [SimulatedPart] { parts }
    /// Takes the result of an `else`, or of a `switch`.
    public static func buildEither(second parts: [SimulatedPart]) -> [SimulatedPart] { parts }
    /// Takes the result of an `if #available`.
    public static func buildLimitedAvailability(_ parts: [SimulatedPart]) -> [SimulatedPart] { parts }
}
