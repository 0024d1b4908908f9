/// What outlives a daemon: the air, the adapters that are plugged in, and what is on disk.
final class World {
    let air: Air
    let storage = Storage()
    let features: Set<SimulatedFeature>
    let quirks: Set<Quirk>
    var hardware: [Int: SimulatedAdapter]
    var daemon: Daemon?

    init(_ scenario: Scenario) {
        features = scenario.features
        quirks = scenario.quirks
        air = Air(scenario)
        hardware = Dictionary(uniqueKeysWithValues: scenario.adapters.enumerated().map { ($0, $1) })
    }
}
