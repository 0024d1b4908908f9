/// The events of the kernel's management socket that contain one received packet of one device.
///
/// The kernel sends Advertisement Monitor Device Found instead of Device Found while only monitors need packets.
///
/// Source: BlueZ, `mgmt-api.txt`, Device Found Event, Advertisement Monitor Device Found Event.
package struct DeviceFound {
    /// The number of the adapter: 0 for `hci0`.
    package let controller: UInt16
    package let address: BluetoothAddress
    /// The RSSI in dBm; nil if it is unknown.
    package let rssi: Int16?
    package let flags: UInt32
    /// Whether the kernel sends the packet for advertisement monitors, not for a discovery.
    package let isForMonitors: Bool
    /// The place of the AD structures in the buffer.
    package let packet: Range<Int>

    /// The result of reading an event.
    package enum Reading {
        case found(DeviceFound)
        /// A well-formed header of another event.
        case otherEvent
        case malformed
    }

    /// Reads an event from the beginning of a buffer.
    ///
    /// - Parameter count: The length of the event, at most the length of the buffer.
    package static func read(_ buffer: [UInt8], _ count: Int) -> Reading {
        guard count >= header, count <= buffer.count, Int(buffer.word(4)) == count - header else { return .malformed }
        let base: Int
        switch buffer.word(0) {
        case code: base = header
        case monitorCode: base = header + handle
        default: return .otherEvent
        }
        let start = base + fields
        guard count >= start, Int(buffer.word(start - 2)) == count - start, buffer[base + 6] <= 2 else {
            return .malformed
        }
        var address: UInt64 = 0
        for index in stride(from: base + 5, through: base, by: -1) { address = address << 8 | UInt64(buffer[index]) }
        let rssi = Int8(bitPattern: buffer[base + 7])
        return .found(
            DeviceFound(
                controller: buffer.word(2), address: BluetoothAddress(address),
                rssi: isKnown(rssi) ? Int16(rssi) : nil,
                flags: UInt32(buffer.word(base + 8)) | UInt32(buffer.word(base + 10)) << 16,
                isForMonitors: base != header, packet: start..<count))
    }

    /// Returns whether the controller knows the RSSI: 127 means unknown, and 0 does not occur, as in bluetoothd (Q55).
    private static func isKnown(_ rssi: Int8) -> Bool { rssi != 0 && (-127...20).contains(rssi) }

    private static let code: UInt16 = 0x0012
    private static let monitorCode: UInt16 = 0x002F
    /// The length of an event's header: code, controller and length.
    private static let header = 6
    /// The length of the monitor's handle, which precedes the other fields in events for monitors.
    private static let handle = 2
    /// The length of the fields before the AD structures: address, address type, RSSI, flags and length.
    private static let fields = 14
}
