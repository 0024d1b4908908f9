/// A mistake in a call of a simulation's controls, for example an address that no peripheral has, or a wrong UUID.
public struct SimulationMistake: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in one sentence.
    public let description: String
    /// The file of the call, as `#fileID` names it.
    public let fileID: String
    /// The line of the call.
    public let line: Int
}

extension SimulatedBlueZ {
    /// Reports mistakes in calls of the controls, instead of ending the process at the first one.
    ///
    /// A mistake in the scenario itself still ends the process, because the simulation does not exist yet.
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
