import DBus

/// What bluetoothd is asked to look for: the union of what all who share a session want, as far as it can be left to
/// bluetoothd. What comes is looked at here once more, since filters of other programs are merged in (Q43).
struct DiscoveryFilter: Equatable {
    /// The services of which one has to be listed, in order; empty for whatever there is.
    private let services: [BluetoothUUID]
    /// The least strength, in dBm.
    private let minimumRSSI: Int16

    init(_ subscribers: [ScanSubscriber]) {
        // bluetoothd overlooks a service that an advertisement only has data of (Q44), so it may choose only for those to whom
        // that does not matter.
        let mayChoose = subscribers.allSatisfy { $0.options.listedServicesOnly && !$0.services.isEmpty }
        services = mayChoose ? Set(subscribers.flatMap(\.services)).sorted { $0.longText < $1.longText } : []
        minimumRSSI = subscribers.map(\.options.minimumRSSI).min() ?? ScanOptions.anyRSSI
    }

    /// Only LE, or the controller also looks for classic devices (Q45); every packet with its strength (Q47, Q48, Q50).
    var properties: [String: Value] {
        var properties: [String: Value] = [
            "Transport": .string("le"), "DuplicateData": .bool(true), "RSSI": .int16(minimumRSSI),
        ]
        if !services.isEmpty { properties["UUIDs"] = .strings(services.map(\.longText)) }
        return properties
    }
}

extension ScanOptions {
    /// What nothing is weaker than, in dBm.
    static let anyRSSI: Int16 = -127

    /// The least strength that any of the filters lets pass, as bluetoothd takes it.
    fileprivate var minimumRSSI: Int16 {
        let least = filters.map { $0.minimumRSSI ?? Self.anyRSSI }.min() ?? Self.anyRSSI
        return max(Self.anyRSSI, min(20, least))
    }
}
