internal import CBluetooth
import Glibc

/// An HCI socket of one controller, which reads the RSSI and other facts of its links through libbluetooth.
struct KernelRSSI: ~Copyable {
    let number: Int32

    init(_ adapter: String) throws(BluetoothError) {
        guard adapter.hasPrefix("hci"), let device = Int32(adapter.dropFirst(3)) else {
            throw BluetoothError(.noAdapter)
        }
        let opened = hci_open_dev(device)
        guard opened >= 0 else { throw Self.error(errno) }
        number = opened
    }

    deinit { hci_close_dev(number) }

    func rssi(of address: BluetoothAddress, within deadline: Duration) throws(BluetoothError) -> Int {
        let handle = try connection(of: address).handle
        let end = SuspendingClock.now + min(deadline, .seconds(86_400))
        var rssi: Int8 = 0
        while unsafe hci_read_rssi(number, handle.littleEndian, &rssi, Self.callTimeout) != 0 {
            // Repeats the call until the deadline, because libbluetooth also gives up after ten other events, such as
            // advertisements.
            let code = errno
            guard code == ETIMEDOUT || code == EINTR, SuspendingClock.now < end else { throw Self.error(code) }
        }
        guard rssi != Self.unknownRSSI else { throw Self.rssiUnavailable }
        return Int(rssi)
    }

    /// Returns the kernel's information about the link, over LE or, for a dual-mode device, over BR/EDR (Q83).
    func connection(of address: BluetoothAddress) throws(BluetoothError) -> hci_conn_info {
        for type in Self.linkTypes {
            var request = connection_info()
            request.type = type
            unsafe withUnsafeMutableBytes(of: &request.bdaddr) { bytes in
                for index in bytes.indices {
                    unsafe bytes[index] = UInt8(truncatingIfNeeded: address.number >> UInt64(8 * index))
                }
            }
            if unsafe ioctl(number, connection_info_request, &request) == 0 { return request.info }
            if errno != ENOENT { throw Self.error(errno) }
        }
        throw BluetoothError(.notConnected)
    }

    /// The time-out of one call, in milliseconds.
    ///
    /// With less than 100 ms, libbluetooth may compute a remaining time of 0, and would wait without a limit.
    static let callTimeout: Int32 = 500
    /// The controller's value for an unknown RSSI.
    private static let unknownRSSI: Int8 = 127
    /// The kernel's numbers for links over LE and BR/EDR.
    private static let linkTypes: [UInt8] = [0x80, 0x01]

    private static var rssiUnavailable: BluetoothError {
        BluetoothError(.unsupported, detail: "The controller does not report the RSSI of the link")
    }

    private static func error(_ code: Int32) -> BluetoothError {
        switch code {
        case ENODEV, ENETDOWN: BluetoothError(.noAdapter)
        case EPERM, EACCES: BluetoothError(.unauthorized)
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            BluetoothError(.unsupported, detail: "The kernel has no Bluetooth, or keeps it from this process")
        case EMFILE, ENFILE, ENOMEM: BluetoothError(.resourceExhausted)
        case ETIMEDOUT, EINTR: BluetoothError(.timedOut)
        // The controller refused. libbluetooth does not report its reason.
        default: rssiUnavailable
        }
    }
}
