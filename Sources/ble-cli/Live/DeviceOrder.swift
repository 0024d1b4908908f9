import RxBluetooth

/// The devices of a live list in their order, which is updated at most once a second.
///
/// Sorting again at each drawing would move rows too often to read them. In a list that is sorted by RSSI, the RSSI is
/// that of the same moment, so that its column never looks unsorted.
struct DeviceOrder: Sendable {
    private(set) var devices: [BluetoothAddress] = []
    /// The received advertisements of all devices a second; nil in the first second.
    private(set) var rate: Double?
    /// When the devices were sorted last, in seconds.
    private var time = -Double.infinity
    /// The RSSI of each device when the devices were sorted by it; nil in another order.
    private var strengths: [BluetoothAddress: Int]?
    private var isSteady = true
    /// The numbers of devices and of advertisements at that time.
    private var counts = (devices: 0, advertisements: 0)

    /// Returns the RSSI to show; nil if there is none.
    func rssi(of entry: DeviceEntry) -> Int? {
        if let strengths { strengths[entry.address] } else { entry.strength(isSteady: isSteady) }
    }

    /// Whether the order is a second old, or the clock was set back.
    func isOld(at time: Double) -> Bool { time - self.time >= 1 || time < self.time }

    /// Causes the next update to sort, for example after a key that changes the order.
    mutating func invalidate() { time = -.infinity }

    /// Sorts the devices if the order is old, or their number has changed.
    ///
    /// - Parameters:
    ///   - board: The devices that are shown.
    ///   - advertisements: The number of all advertisements, which rises while the view is paused.
    ///   - isSteady: Whether the RSSI is the mean of several advertisements.
    mutating func update(
        _ board: DeviceBoard, advertisements: Int, by sort: DeviceSort, containing filter: String, isSteady: Bool,
        at time: Double
    ) {
        let isOld = isOld(at: time)
        guard isOld || board.entries.count != counts.devices else { return }
        if isOld {
            if self.time.isFinite {
                rate = Double(advertisements - counts.advertisements) / max(1, time - self.time)
            }
            counts.advertisements = advertisements
            self.time = time
        }
        counts.devices = board.entries.count
        devices = board.list(sort, containing: filter, isSteady: isSteady)
        strengths = sort == .rssi ? board.strengths(of: devices, isSteady: isSteady) : nil
        self.isSteady = isSteady
    }
}
