import DBus

/// The discovery sessions of an adapter and their merged filters. Source: BlueZ 5.66, src/adapter.c.
final class DiscoverySessions {
    private(set) var sessions: [DiscoverySession] = []
    private var prepared: [DiscoverySession] = []
    /// Whether the kernel scans.
    private(set) var isReceiving = false
    private var kernel = KernelFilter()
    /// Whether any session has a filter. bluetoothd 5.66 then reports the RSSI of each packet (Q47).
    private(set) var isFiltered = false
    private(set) var keepsDuplicates = false

    func session(of client: String) -> DiscoverySession? { sessions.first { $0.client == client } }

    func prepared(of client: String) -> DiscoverySession? { prepared.first { $0.client == client } }

    /// Returns whether the client of a session has only set a filter.
    func isPrepared(_ session: DiscoverySession) -> Bool { prepared.contains { $0 === session } }

    func contains(_ session: DiscoverySession) -> Bool {
        isPrepared(session) || sessions.contains { $0 === session }
    }

    func prepare(_ session: DiscoverySession) { prepared.insert(session, at: 0) }

    func begin(_ session: DiscoverySession) {
        prepared.removeAll { $0 === session }
        sessions.insert(session, at: 0)
    }

    func drop(_ session: DiscoverySession) {
        sessions.removeAll { $0 === session }
        prepared.removeAll { $0 === session }
    }

    func removeAll() -> [DiscoverySession] {
        defer {
            sessions = []
            prepared = []
        }
        return sessions + prepared
    }

    /// Returns the kernel filter for the present sessions.
    func merged() -> KernelFilter { KernelFilter(merging: sessions.map(\.filter)) }

    /// Whether the kernel's scan already fits the present sessions.
    var isUpToDate: Bool { isReceiving && kernel == merged() }

    func start() {
        isReceiving = true
        update()
    }

    func stop() {
        isReceiving = false
        isFiltered = false
        updateDuplicates()
    }

    func update() {
        kernel = merged()
        isFiltered = sessions.contains { $0.filter != nil }
        updateDuplicates()
    }

    /// Decides by the sessions that remain. Packets for advertisement monitors may follow the end of a scan.
    private func updateDuplicates() {
        keepsDuplicates = sessions.contains { $0.filter?.duplicateData == true }
    }

    // MARK: Filtering

    func kernelPasses(_ report: AdvertisingReport, rssi: Int16) -> Bool { kernel.passes(report, rssi: rssi) }

    /// Returns whether a packet may create a device (device_is_discoverable).
    ///
    /// If any client has set a pattern, only the patterns decide, for all clients (Q44).
    func isDiscoverable(
        _ report: AdvertisingReport, address: DeviceAddress, _ differences: VersionDifferences
    ) -> Bool {
        var isDiscoverable = isFiltered || report.isDiscoverable
        if differences.has(.ignoredPattern) { return isDiscoverable }
        for session in sessions {
            guard let pattern = session.filter?.pattern else { continue }
            isDiscoverable = false
            if pattern.isEmpty || address.text.hasPrefix(pattern)
                || report.name(differences)?.hasPrefix(pattern) == true
            {
                return true
            }
        }
        return isDiscoverable
    }

    /// Returns whether bluetoothd compares the services of a packet with the UUIDs of a filter (Q127).
    func comparesServices(of report: AdvertisingReport) -> Bool {
        !report.services.isEmpty && sessions.contains { $0.filter?.services.isEmpty == false }
    }

    /// Returns whether a packet updates its device (is_filter_match).
    func matches(_ report: AdvertisingReport) -> Bool {
        guard isFiltered else { return true }
        return sessions.contains { $0.filter?.matches(report) ?? true }
    }
}

/// The discovery session of one client, which scans or has only set a filter so far.
final class DiscoverySession {
    let client: String
    var filter: ClientDiscoveryFilter?
    /// The call of `StartDiscovery` or `StopDiscovery` that waits for the kernel.
    var waiting: IncomingCall?
    var token: ClientDepartureHandler?

    init(client: String) { self.client = client }
}
