import RxBluetoothMocks

/// Which scenario a person means. This is the one place where a name becomes a scenario.
enum ScenarioChoice {
    /// The one that is served where none is named.
    static let standard = "everyday"

    private static let named: [(name: String, scenario: @Sendable () -> Scenario)] = [
        ("everyday", { .everyday }),
        ("crowd", { .crowd }),
        ("lab", { .lab }),
    ]

    /// Throws for a name that no scenario has.
    static func parse(_ text: String) throws(Failure) -> Scenario {
        let name = text.trimmed.lowercased()
        guard let choice = named.first(where: { $0.name == name }) else {
            let names = named.map(\.name).joined(separator: ", ")
            throw Failure(.usage, "There is no scenario “\(text)”. Name one of these: \(names).")
        }
        return choice.scenario()
    }
}
