import DBus

/// The filter that one client set by `SetDiscoveryFilter`.
struct ClientDiscoveryFilter {
    var services: [String] = []
    var rssi: Int16?
    var pathloss: UInt16?
    var transport = "auto"
    /// The option `DuplicateData`: false by default, although BlueZ's documentation says true (Q48).
    var duplicateData = false
    var pattern: String?

    /// The names that `GetDiscoveryFilters` lists.
    static func names(with features: Set<SimulatedFeature>) -> [String] {
        ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]
            + (features.contains(.autoConnectFilter) ? ["AutoConnect"] : [])
    }

    /// Reads the argument of `SetDiscoveryFilter`.
    ///
    /// Returns nil for an empty dictionary, which clears the filter (Q69).
    static func read(
        _ call: Message, with features: Set<SimulatedFeature>
    ) throws(DBusError) -> ClientDiscoveryFilter? {
        let names = names(with: features)
        let values = try call.read { (body) throws(DBusError) in try body.value() }
        guard case .dictionary("s", "v", let entries) = values else { throw BlueZError.invalidArguments }
        guard !entries.isEmpty else { return nil }
        var filter = ClientDiscoveryFilter()
        for entry in entries {
            guard case .string(let name) = entry.key, case .variant(let value) = entry.value, names.contains(name),
                filter.set(name, value)
            else { throw BlueZError.invalidArguments }
        }
        // RSSI and Pathloss exclude each other (Q46).
        if filter.rssi != nil, filter.pathloss != nil { throw BlueZError.invalidArguments }
        return filter
    }

    private mutating func set(_ name: String, _ value: Value) -> Bool {
        switch (name, value) {
        case ("UUIDs", .array("s", let uuids)):
            for case .string(let uuid) in uuids {
                guard let full = FullUUID.text(uuid) else { return false }
                services.append(full)
            }
        case ("RSSI", .int16(let limit)) where (-127...20).contains(limit): rssi = limit
        case ("Pathloss", .uint16(let limit)) where limit <= 137: pathloss = limit
        case ("Transport", .string(let name)) where ["auto", "le", "bredr"].contains(name): transport = name
        case ("DuplicateData", .bool(let value)): duplicateData = value
        // AutoConnect reconnects devices of profiles that are not simulated.
        case ("Discoverable", .bool), ("AutoConnect", .bool): break
        case ("Pattern", .string(let prefix)): pattern = prefix
        default: return false
        }
        return true
    }

    /// Returns whether a packet passes the filter. Only service UUIDs count (Q43, is_filter_match).
    ///
    /// bluetoothd checks RSSI and path loss only if both are set, which `SetDiscoveryFilter` rejects.
    func matches(_ report: AdvertisingReport) -> Bool {
        services.isEmpty || report.services.contains(where: services.contains)
    }
}

/// The filter that the kernel gets: the union of all clients' filters.
struct KernelFilter: Equatable {
    private var isSet = false
    private var transports: Set<String> = []
    private var rssi: Int16?
    private var services: Set<String> = []

    init() {}

    init(merging filters: [ClientDiscoveryFilter?]) {
        let set = filters.compactMap(\.self)
        guard !set.isEmpty else { return }
        isSet = true
        let isMixed = set.count < filters.count
        // A client without a filter removes the transport for all clients (merge_discovery_filters in src/adapter.c).
        transports = isMixed ? ["auto"] : Set(set.map(\.transport))
        // A client without an RSSI limit removes the limit for all clients. The kernel does not check path loss.
        if !isMixed, set.allSatisfy({ $0.rssi != nil }) { rssi = set.compactMap(\.rssi).min() }
        if !isMixed, set.allSatisfy({ !$0.services.isEmpty }) { services = Set(set.flatMap(\.services)) }
    }

    func passes(_ report: AdvertisingReport, rssi strength: Int16) -> Bool {
        if isSet, transports == ["bredr"] { return false }
        if let rssi, strength < rssi { return false }
        return services.isEmpty || report.services.contains(where: services.contains)
    }
}
