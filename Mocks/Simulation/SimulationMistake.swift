import Rx

/// A mistake in a scenario or in a call of a simulation's controls, for example a wrong UUID or an unknown address.
public struct SimulationMistake: Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in one sentence.
    public let description: String
    /// The file of the call, as `#fileID` names it. For a mistake in a scenario, the call makes the simulation.
    public let fileID: String
    /// The line of the call.
    public let line: Int
}

extension SimulationMistake {
    /// Records a mistake as an issue of the running test. Traps if there is no test.
    static func record(_ text: String, _ file: StaticString, _ line: UInt) {
        guard TestIssues.record(text, fileID: "\(file)", line: Int(line)) else {
            fatalError(text, file: file, line: line)
        }
    }
}

extension SimulatedBlueZ {
    /// Reports mistakes in later calls of the controls, instead of recording an issue or ending the process.
    ///
    /// By default, a mistake in a test of Swift Testing in a target with `RxTest` is an issue of the test, at the line
    /// of the call. Otherwise, for example in a program, in a test of XCTest or on another thread, it ends the process.
    ///
    /// A call with a mistake has no effect. Mistakes in the scenario are made before this call. The parameter
    /// `mistakes` of ``Simulation/init(_:scheduler:starting:bluez:mistakes:file:line:)`` receives both kinds. Example
    /// for XCTest:
    ///
    ///     simulation.bluez.reportMistakes { XCTFail("\($0.fileID):\($0.line): \($0)") }
    ///
    /// - Parameter report: Receives each mistake, on the thread of the call.
    public func reportMistakes(to report: @escaping @Sendable (_ mistake: SimulationMistake) -> Void) {
        names.reportMistakes(to: report)
    }
}
