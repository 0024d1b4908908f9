extension Scenario {
    /// Creates a scenario from its parts, in any order.
    ///
    /// Parts are ``SimulatedPeripheral``, ``SimulatedAdapter``, ``Fault``, ``Quirk``, and events by ``at(_:_:)``.
    /// Without an adapter part, there is one powered adapter.
    /// The closure may use `if`, `switch` and `for`. A line may be an array of parts.
    ///
    ///     let scenario = Scenario(seed: 7) {
    ///         strap
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
    /// A rule that makes calls fail or misbehave.
    case fault(Fault)
    /// A quirk that is turned on.
    case quirk(Quirk)
    /// An event at a fixed time.
    case event(ScriptedEvent)
}

/// Builds a ``Scenario`` from its parts.
@resultBuilder
public enum ScenarioParts {
    /// Adds a peripheral.
    public static func buildExpression(_ part: SimulatedPeripheral) -> [ScenarioPart] { [.peripheral(part)] }
    /// Adds an optional peripheral.
    public static func buildExpression(_ part: SimulatedPeripheral?) -> [ScenarioPart] {
        part.map { [.peripheral($0)] } ?? []
    }
    /// Adds an array of peripherals.
    public static func buildExpression(_ parts: [SimulatedPeripheral]) -> [ScenarioPart] {
        parts.map { .peripheral($0) }
    }
    /// Adds an adapter.
    public static func buildExpression(_ part: SimulatedAdapter) -> [ScenarioPart] { [.adapter(part)] }
    /// Adds an optional adapter.
    public static func buildExpression(_ part: SimulatedAdapter?) -> [ScenarioPart] {
        part.map { [.adapter($0)] } ?? []
    }
    /// Adds an array of adapters.
    public static func buildExpression(_ parts: [SimulatedAdapter]) -> [ScenarioPart] { parts.map { .adapter($0) } }
    /// Adds a fault.
    public static func buildExpression(_ part: Fault) -> [ScenarioPart] { [.fault(part)] }
    /// Adds an optional fault.
    public static func buildExpression(_ part: Fault?) -> [ScenarioPart] { part.map { [.fault($0)] } ?? [] }
    /// Adds an array of faults.
    public static func buildExpression(_ parts: [Fault]) -> [ScenarioPart] { parts.map { .fault($0) } }
    /// Adds a quirk.
    public static func buildExpression(_ part: Quirk) -> [ScenarioPart] { [.quirk(part)] }
    /// Adds an optional quirk.
    public static func buildExpression(_ part: Quirk?) -> [ScenarioPart] { part.map { [.quirk($0)] } ?? [] }
    /// Adds an array of quirks.
    public static func buildExpression(_ parts: [Quirk]) -> [ScenarioPart] { parts.map { .quirk($0) } }
    /// Adds an event.
    public static func buildExpression(_ part: ScriptedEvent) -> [ScenarioPart] { [.event(part)] }
    /// Adds an optional event.
    public static func buildExpression(_ part: ScriptedEvent?) -> [ScenarioPart] { part.map { [.event($0)] } ?? [] }
    /// Adds an array of events.
    public static func buildExpression(_ parts: [ScriptedEvent]) -> [ScenarioPart] { parts.map { .event($0) } }
    /// Adds a part.
    public static func buildExpression(_ part: ScenarioPart) -> [ScenarioPart] { [part] }
    /// Adds an array of parts.
    public static func buildExpression(_ parts: [ScenarioPart]) -> [ScenarioPart] { parts }
    /// Rejects any other type.
    @available(
        *, unavailable,
        message: """
            a line of a scenario must be a SimulatedPeripheral, SimulatedAdapter, Fault, Quirk, an event by at(_:_:), \
            an array of one of them, or an array of ScenarioPart
            """
    )
    public static func buildExpression<Other>(_ other: Other) -> [ScenarioPart] { [] }
    /// Joins the lines of a block.
    public static func buildBlock(_ parts: [ScenarioPart]...) -> [ScenarioPart] { parts.flatMap(\.self) }
    /// Joins the results of a loop.
    public static func buildArray(_ parts: [[ScenarioPart]]) -> [ScenarioPart] { parts.flatMap(\.self) }
    /// Returns the parts of an `if` without `else`.
    public static func buildOptional(_ parts: [ScenarioPart]?) -> [ScenarioPart] { parts ?? [] }
    /// Returns the parts of an `if` with `else`, or of a `switch`.
    public static func buildEither(first parts: [ScenarioPart]) -> [ScenarioPart] { parts }
    /// Returns the parts of an `else`, or of a `switch`.
    public static func buildEither(second parts: [ScenarioPart]) -> [ScenarioPart] { parts }
    /// Returns the parts of an `if #available`.
    public static func buildLimitedAvailability(_ parts: [ScenarioPart]) -> [ScenarioPart] { parts }
}

/// An event at a fixed time of a scenario. ``at(_:_:)`` creates it.
public struct ScriptedEvent: Sendable {
    /// The time since the first start of the daemon.
    public let time: Duration
    /// The action: any control of ``SimulatedBlueZ``.
    public let run: @Sendable (SimulatedBlueZ) -> Void
}

/// Creates an event at a time after the first start of the daemon. A negative time counts as 0.
/// Events with the same time run in the order in which they are written.
///
///     at(.seconds(3)) { $0.dropLink(to: strap, reason: .timeout) }
public func at(_ time: Duration, _ event: @escaping @Sendable (SimulatedBlueZ) -> Void) -> ScriptedEvent {
    ScriptedEvent(time: max(.zero, time), run: event)
}
