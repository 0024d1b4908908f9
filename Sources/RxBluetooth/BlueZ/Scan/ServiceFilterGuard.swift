/// Decides whether bluetoothd may get a discovery filter with services.
///
/// A bluetoothd with an unknown defect may crash from such a filter as 5.87 does (Q127). If bluetoothd has ended twice
/// soon after the same filter, no further one is sent.
struct ServiceFilterGuard {
    /// The services of a filter that bluetoothd has, and when it was sent.
    private struct Sent {
        let services: [BluetoothUUID]
        let time: MonotonicTime
    }

    private var sent: [UInt16: Sent] = [:]
    /// The filter after which bluetoothd has ended last.
    private var suspect: [BluetoothUUID] = []
    private var ends = 0
    /// Whether filters with services are avoided for the rest of the manager's life.
    private(set) var isClosed = false

    /// How soon after a filter the end of bluetoothd counts: the time until an advertisement with services arrives.
    static let window = Duration.seconds(30)

    /// Records the filter that an adapter has now; an empty list for none with services.
    mutating func filterSent(_ services: [BluetoothUUID], on adapter: UInt16, at time: MonotonicTime) {
        if sent[adapter]?.services == services { return }
        sent[adapter] = services.isEmpty ? nil : Sent(services: services, time: time)
    }

    /// Records that bluetoothd has ended. Returns whether filters with services are avoided from now on.
    mutating func daemonEnded(at time: MonotonicTime) -> Bool {
        let recent = sent.sorted { $0.key < $1.key }.map(\.value)
            .first { time.duration(since: $0.time) <= Self.window }
        let hadFilter = !sent.isEmpty
        sent = [:]
        guard let recent else {
            // bluetoothd has survived the filter for some time, so that the filter is not the cause.
            if hadFilter { ends = 0 }
            return false
        }
        ends = recent.services == suspect ? ends + 1 : 1
        suspect = recent.services
        guard ends == 2, !isClosed else { return false }
        isClosed = true
        return true
    }
}
