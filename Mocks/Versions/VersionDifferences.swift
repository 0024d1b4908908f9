/// What differs between the simulated versions of BlueZ.
///
/// This table is the only code that depends on the version.
struct VersionDifferences: Sendable {
    let version: SimulatedBlueZ.Version
    /// The end of `Adapter1.Modalias`, which is the version in hexadecimal.
    let release: String
    /// The UUIDs of bluetoothd's own services with Debian's plugins, in bluetoothd's order.
    let adapterUUIDs: [String]
    /// The differences that are present or absent.
    var features: Set<SimulatedFeature>
    /// The defects of the version, which a scenario can turn off.
    var quirks: Set<Quirk>

    init(of version: SimulatedBlueZ.Version) {
        self.version = version
        switch version {
        case .v5_66:
            release = "0542"
            adapterUUIDs = ["112d", "110e", "1200", "110c", "1800", "1801", "1844", "180a"]
            features = []
            quirks = [.Q132]
        case .v5_82:
            release = "0552"
            adapterUUIDs = [
                "184f", "1200", "110e", "110c", "1800", "1843", "1801", "1844", "180a", "184d", "1845", "112d",
            ]
            features = Self.since5_82.union([.ignoredPattern])
            quirks = [.Q126, .Q132, .Q138]
        case .v5_87:
            release = "0557"
            adapterUUIDs = [
                "184f", "1200", "110e", "185b", "110c", "1800", "1843", "1801", "1844", "180a", "184d", "1845", "1849",
            ]
            features = Self.since5_82.union([
                .disconnectedSignal, .leBearer, .cablePairing, .autoConnectFilter, .cutNames,
            ])
            quirks = [.Q126, .Q127, .Q136, .Q138]
        }
    }

    private static let since5_82: Set<SimulatedFeature> = [
        .handle, .claimedServices, .preferredBearer, .serviceRecords, .deviceSets, .connectable, .controllerVersion,
        .connectInProgress, .connectDeviceFailed, .pairAlreadyExists, .cancelPairingDisconnects, .checkedProfile,
        .lateDisconnectReply, .canceledAttemptRemoves, .advertisedServicesKept,
    ]

    /// Creates the differences of a scenario: those of its version, with the scenario's own choices.
    init(_ scenario: Scenario) {
        self.init(of: scenario.bluez)
        features = features.union(scenario.features).subtracting(scenario.disabledFeatures)
        quirks = quirks.union(scenario.quirks).subtracting(scenario.disabledQuirks)
    }

    func has(_ feature: SimulatedFeature) -> Bool { features.contains(feature) }
}
