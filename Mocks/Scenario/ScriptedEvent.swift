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
