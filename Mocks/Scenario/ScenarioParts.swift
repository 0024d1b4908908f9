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
