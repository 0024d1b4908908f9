/// Collects the parts of a ``Scenario``.
@resultBuilder
public enum ScenarioParts {
    /// Takes a peripheral.
    public static func buildExpression(_ part: SimulatedPeripheral) -> [ScenarioPart] { [.peripheral(part)] }
    /// Takes a peripheral, or nothing.
    public static func buildExpression(_ part: SimulatedPeripheral?) -> [ScenarioPart] {
        part.map { [.peripheral($0)] } ?? []
    }
    /// Takes peripherals that were made elsewhere.
    public static func buildExpression(_ parts: [SimulatedPeripheral]) -> [ScenarioPart] {
        parts.map { .peripheral($0) }
    }
    /// Takes an adapter.
    public static func buildExpression(_ part: SimulatedAdapter) -> [ScenarioPart] { [.adapter(part)] }
    /// Takes an adapter, or nothing.
    public static func buildExpression(_ part: SimulatedAdapter?) -> [ScenarioPart] {
        part.map { [.adapter($0)] } ?? []
    }
    /// Takes adapters that were made elsewhere.
    public static func buildExpression(_ parts: [SimulatedAdapter]) -> [ScenarioPart] { parts.map { .adapter($0) } }
    /// Takes a rule by which calls go wrong.
    public static func buildExpression(_ part: Fault) -> [ScenarioPart] { [.fault(part)] }
    /// Takes a rule by which calls go wrong, or nothing.
    public static func buildExpression(_ part: Fault?) -> [ScenarioPart] { part.map { [.fault($0)] } ?? [] }
    /// Takes rules that were made elsewhere.
    public static func buildExpression(_ parts: [Fault]) -> [ScenarioPart] { parts.map { .fault($0) } }
    /// Takes a quirk.
    public static func buildExpression(_ part: Quirk) -> [ScenarioPart] { [.quirk(part)] }
    /// Takes a quirk, or nothing.
    public static func buildExpression(_ part: Quirk?) -> [ScenarioPart] { part.map { [.quirk($0)] } ?? [] }
    /// Takes quirks that were made elsewhere.
    public static func buildExpression(_ parts: [Quirk]) -> [ScenarioPart] { parts.map { .quirk($0) } }
    /// Takes an event.
    public static func buildExpression(_ part: ScriptedEvent) -> [ScenarioPart] { [.event(part)] }
    /// Takes an event, or nothing.
    public static func buildExpression(_ part: ScriptedEvent?) -> [ScenarioPart] { part.map { [.event($0)] } ?? [] }
    /// Takes events that were made elsewhere.
    public static func buildExpression(_ parts: [ScriptedEvent]) -> [ScenarioPart] { parts.map { .event($0) } }
    /// Takes a part that was made elsewhere.
    public static func buildExpression(_ part: ScenarioPart) -> [ScenarioPart] { [part] }
    /// Takes parts that were made elsewhere.
    public static func buildExpression(_ parts: [ScenarioPart]) -> [ScenarioPart] { parts }
    /// Reports a line that is no part of a scenario.
    @available(
        *, unavailable,
        message: """
            a line of a scenario must be a SimulatedPeripheral, SimulatedAdapter, Fault, Quirk, an event by at(_:_:), \
            or an array of one of these or of ScenarioPart
            """
    )
    public static func buildExpression<Other>(_ other: Other) -> [ScenarioPart] { [] }
    /// Joins the lines of a block.
    public static func buildBlock(_ parts: [ScenarioPart]...) -> [ScenarioPart] { parts.flatMap(\.self) }
    /// Joins the results of a loop.
    public static func buildArray(_ parts: [[ScenarioPart]]) -> [ScenarioPart] { parts.flatMap(\.self) }
    /// Takes the result of an `if` without `else`.
    public static func buildOptional(_ parts: [ScenarioPart]?) -> [ScenarioPart] { parts ?? [] }
    /// Takes the result of an `if` with `else`, or of a `switch`.
    public static func buildEither(first parts: [ScenarioPart]) -> [ScenarioPart] { parts }
    /// Takes the result of an `else`, or of a `switch`.
    public static func buildEither(second parts: [ScenarioPart]) -> [ScenarioPart] { parts }
    /// Takes the result of an `if #available`.
    public static func buildLimitedAvailability(_ parts: [ScenarioPart]) -> [ScenarioPart] { parts }
}
