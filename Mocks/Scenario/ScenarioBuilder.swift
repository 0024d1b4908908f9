extension Scenario {
    /// Makes a scenario from its parts, in any order: ``SimulatedPeripheral``, ``SimulatedAdapter`` (one that is powered
    /// where none stands), ``Fault``, ``Quirk``, and events by ``at(_:_:)``. The closure may use `if`, `switch` and `for`; a
    /// line may also be an array of such parts that was made elsewhere.
    ///
    ///     let scenario = Scenario(seed: 7) {
    ///         strap
    ///         Quirk.Q72
    ///         Fault("Device1.Connect", calls: .first(1), .late(.seconds(5)))
    ///         at(.seconds(30)) { $0.dropLink(to: strap.address, reason: .timeout) }
    ///     }
    public init(seed: UInt64 = 1, @ScenarioParts _ parts: () -> [ScenarioPart]) {
        self.init(peripherals: [], seed: seed)
        var adapters: [SimulatedAdapter] = []
        for part in parts() {
            switch part {
            case .peripheral(let part): peripherals.append(part)
            case .adapter(let part): adapters.append(part)
            case .fault(let part): faults.append(part)
            case .quirk(let part): quirks.insert(part)
            case .event(let part): script.append(part)
            }
        }
        if !adapters.isEmpty { self.adapters = adapters }
    }
}

/// A part of a ``Scenario``.
public enum ScenarioPart: Sendable {
    /// A peripheral in range.
    case peripheral(SimulatedPeripheral)
    /// An adapter of the computer.
    case adapter(SimulatedAdapter)
    /// A rule by which calls go wrong.
    case fault(Fault)
    /// A quirk that is to show.
    case quirk(Quirk)
    /// Something that happens at its time.
    case event(ScriptedEvent)
}

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

/// Something that happens at a time of a scenario. ``at(_:_:)`` makes it.
public struct ScriptedEvent: Sendable {
    /// When, from the first start of the daemon.
    public let time: Duration
    /// What: any of the controls of ``SimulatedBlueZ``.
    public let run: @Sendable (SimulatedBlueZ) -> Void
}

/// Something that happens at a time of a scenario, counted from the first start of the daemon; a negative time means at
/// once. Events of one time happen in the order in which they are written.
///
///     at(.seconds(3)) { $0.dropLink(to: strap, reason: .timeout) }
public func at(_ time: Duration, _ event: @escaping @Sendable (SimulatedBlueZ) -> Void) -> ScriptedEvent {
    ScriptedEvent(time: max(.zero, time), run: event)
}
