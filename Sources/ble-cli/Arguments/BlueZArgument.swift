import RxBluetoothMocks

/// A command-line argument that names a simulated version of BlueZ.
enum BlueZArgument {
    /// The versions, for completion and help texts.
    static var names: [String] { SimulatedBlueZ.Version.allCases.map(\.rawValue) }

    /// The accepted values, for help texts.
    static var choices: String { names.joined(separator: ", ") }

    /// Reads a version such as 5.82. Throws for a version that is not simulated.
    static func parse(_ text: String) throws(CLIError) -> SimulatedBlueZ.Version {
        guard let version = SimulatedBlueZ.Version(rawValue: text.trimmed) else {
            throw CLIError(.usage, "BlueZ “\(text)” cannot be simulated. Give one of \(choices).")
        }
        return version
    }
}
