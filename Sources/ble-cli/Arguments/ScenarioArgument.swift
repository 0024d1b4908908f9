import RxBluetoothMocks
import ScenarioFiles

/// Which scenario a person means. This is the one place where a name becomes a scenario, or a file is read.
enum ScenarioArgument {
    /// The one that is served where none is named.
    static let standard = "everyday"

    private static let named: [(name: String, scenario: @Sendable () -> Scenario)] = [
        ("everyday", { .everyday }),
        ("crowd", { .crowd }),
        ("lab", { .lab }),
    ]

    /// What one may give, for help texts.
    static var choices: String { named.map(\.name).joined(separator: ", ") + ", or a file" }

    /// Takes a name, or a path: what has a slash or a dot in it. Throws for a name that no scenario has, and for a file that
    /// cannot be read or has something wrong in it.
    static func parse(_ text: String) throws(CLIError) -> Scenario {
        let name = text.trimmed.lowercased()
        if let choice = named.first(where: { $0.name == name }) { return choice.scenario() }
        guard text.contains("/") || text.contains(".") else {
            let names = named.map(\.name).joined(separator: ", ")
            throw CLIError(
                .usage,
                "There is no scenario “\(text)”. Name one of these: \(names); or give a file, such as ./hall.yaml.")
        }
        do throws(ScenarioFileError) { return try ScenarioFile.load(text) } catch {
            throw CLIError(.usage, "\(error).")
        }
    }
}
