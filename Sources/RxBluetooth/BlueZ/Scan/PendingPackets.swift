/// The latest packets of devices that bluetoothd has not shown yet, on one adapter.
///
/// The kernel sends a packet to this process and to bluetoothd at the same time, so the packet may arrive before the
/// signal that adds its device.
struct PendingPackets {
    private var packets: [DeviceKey: Pending] = [:]

    struct Pending {
        var bytes: [UInt8]
        var rssi: Int16?
        var time: PacketTime
        /// The time of the first packet of the device.
        let since: MonotonicTime
    }

    /// The most devices. With more, all are forgotten, and each device is emitted with its next packet.
    private static let mostDevices = 1_024
    /// How long bluetoothd may take to show a device of a packet.
    static let longestDelay = Duration.seconds(2)

    mutating func store(_ key: DeviceKey, _ buffer: [UInt8], _ found: DeviceFound, _ time: PacketTime) {
        if let index = packets.index(forKey: key) {
            // The memory of the earlier packet is used again.
            packets.values[index].bytes.removeAll(keepingCapacity: true)
            packets.values[index].bytes.append(contentsOf: buffer[found.packet])
            packets.values[index].rssi = found.rssi
            packets.values[index].time = time
            return
        }
        if packets.count >= Self.mostDevices { packets = [:] }
        packets[key] = Pending(
            bytes: Array(buffer[found.packet]), rssi: found.rssi, time: time, since: time.monotonic)
    }

    /// Whether bluetoothd has not shown a device for longer than usual.
    func isMissing(_ key: DeviceKey, at time: PacketTime) -> Bool {
        packets[key].map { time.monotonic.duration(since: $0.since) > Self.longestDelay } ?? false
    }

    mutating func remove(_ key: DeviceKey) -> Pending? { packets.isEmpty ? nil : packets.removeValue(forKey: key) }

    mutating func removeAll() { packets = [:] }
}
