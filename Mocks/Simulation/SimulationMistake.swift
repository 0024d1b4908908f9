/// A mistake in a scenario or in a call of a simulation's controls, for example a wrong UUID or an unknown address.
public struct SimulationMistake: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in one sentence.
    public let description: String
    /// The file of the call, as `#fileID` names it. For a mistake in a scenario, the call makes the simulation.
    public let fileID: String
    /// The line of the call.
    public let line: Int
}

extension SimulatedBlueZ {
    /// Reports mistakes in calls of the controls, instead of ending the process at the first one.
    ///
    /// Mistakes in the scenario are made before this call, so they end the process. The parameter `mistakes` of
    /// ``Simulation/init(_:scheduler:starting:bluez:mistakes:file:line:)`` receives both kinds.
    ///
    /// A call with a mistake has no effect. So a test with a wrong address fails at its line, and the others run:
    ///
    ///     simulation.bluez.reportMistakes { mistake in
    ///         Issue.record(
    ///             "\(mistake)",
    ///             sourceLocation: SourceLocation(
    ///                 fileID: mistake.fileID, filePath: mistake.fileID, line: mistake.line, column: 1))
    ///     }
    ///
    /// - Parameter report: Receives each mistake, on the thread of the call.
    public func reportMistakes(to report: @escaping @Sendable (_ mistake: SimulationMistake) -> Void) {
        names.reportMistakes(to: report)
    }
}
