/// What outlives a daemon: the air, the adapters that are plugged in, and what is on disk.
final class DaemonEnvironment {
    let radio: RadioMedium
    let storage = DeviceStorage()
    let features: Set<SimulatedFeature>
    let quirks: Set<Quirk>
    var hardware: [Int: SimulatedAdapter]
    var daemon: BluetoothDaemon?

    init(_ scenario: Scenario) {
        features = scenario.features
        quirks = scenario.quirks
        radio = RadioMedium(scenario)
        hardware = Dictionary(uniqueKeysWithValues: scenario.adapters.enumerated().map { ($0, $1) })
    }
}
