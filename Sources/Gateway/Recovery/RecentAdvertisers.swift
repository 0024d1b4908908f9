import RxBluetooth

/// The devices from which an adapter received advertisements lately.
///
/// A silence can be normal, because a connected device does not advertise.
struct RecentAdvertisers {
    /// How long a device counts after its last advertisement.
    private static let memory = Duration.seconds(3600)
    /// More than an adapter has links, so that at least one device in a full table is not connected.
    ///
    /// Most surroundings have fewer devices. In a full table, each new device replaces another one, which takes longer.
    private static let capacity = 256

    private var times = RecencyTable<BluetoothAddress, Duration>(capacity: capacity)

    /// Records an advertisement.
    mutating func heard(_ address: BluetoothAddress, at now: Duration) {
        _ = times.use(address, default: now) { time, _ in time = now }
    }

    /// Returns how many devices without a link were heard since a time.
    func count(without linked: Set<BluetoothAddress>, since time: Duration) -> Int {
        times.keys.count { !linked.contains($0) && (times.peek($0) ?? .zero) >= time }
    }

    /// Whether links to these devices explain that nothing is received: no other device was heard lately.
    func isSilenceExplained(by linked: Set<BluetoothAddress>, at now: Duration) -> Bool {
        let keys = times.keys
        let isKnown = keys.contains(where: linked.contains)
        return isKnown && !keys.contains { !linked.contains($0) && (times.peek($0) ?? .zero) > now - Self.memory }
    }
}
