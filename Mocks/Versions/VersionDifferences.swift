/// What differs between the simulated versions of BlueZ.
///
/// This table is the only code that depends on the version.
struct VersionDifferences: Sendable {
    /// `Adapter1.Modalias`, which ends in the version in hexadecimal.
    let modalias: String
    /// The differences that are present or absent.
    var features: Set<SimulatedFeature>
    /// The defects of the version, which a scenario can turn off.
    var quirks: Set<Quirk>

    init(of version: SimulatedBlueZ.Version) {
        switch version {
        case .v5_66:
            modalias = "usb:v1D6Bp0246d0542"
            features = []
            quirks = []
        case .v5_82:
            modalias = "usb:v1D6Bp0246d0552"
            features = [.handle, .claimedServices]
            quirks = [.Q135]
        case .v5_87:
            modalias = "usb:v1D6Bp0246d0557"
            features = [.handle, .claimedServices, .disconnectedSignal]
            quirks = [.Q135, .Q136]
        }
    }

    /// Creates the differences of a scenario: those of its version, with the scenario's own choices.
    init(_ scenario: Scenario) {
        self.init(of: scenario.bluez)
        features = features.union(scenario.features).subtracting(scenario.disabledFeatures)
        quirks = quirks.union(scenario.quirks).subtracting(scenario.disabledQuirks)
    }
}
