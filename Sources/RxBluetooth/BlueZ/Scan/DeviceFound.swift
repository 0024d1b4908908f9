/// The event Device Found of the kernel's management socket: one received packet of one device.
///
/// Source: BlueZ, `mgmt-api.txt`, Device Found Event.
package struct DeviceFound {
    /// The number of the adapter: 0 for `hci0`.
    package let controller: UInt16
    package let address: BluetoothAddress
    /// The RSSI in dBm; nil if it is unknown.
    package let rssi: Int16?
    package let flags: UInt32
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
        guard buffer.word(0) == code else { return .otherEvent }
        guard count >= start, Int(buffer.word(18)) == count - start, buffer[12] <= 2 else { return .malformed }
        var address: UInt64 = 0
        for index in stride(from: 11, through: 6, by: -1) { address = address << 8 | UInt64(buffer[index]) }
        let rssi = Int8(bitPattern: buffer[13])
        return .found(
            DeviceFound(
                controller: buffer.word(2), address: BluetoothAddress(address),
                rssi: isKnown(rssi) ? Int16(rssi) : nil,
                flags: UInt32(buffer.word(14)) | UInt32(buffer.word(16)) << 16, packet: start..<count))
    }

    /// Returns whether the controller knows the RSSI: 127 means unknown, and 0 does not occur, as in bluetoothd (Q55).
    private static func isKnown(_ rssi: Int8) -> Bool { rssi != 0 && (-127...20).contains(rssi) }

    private static let code: UInt16 = 0x0012
    /// The length of an event's header: code, controller and length.
    private static let header = 6
    /// The place of the AD structures, after address, address type, RSSI, flags and length.
    private static let start = 20
}
