internal import CBluetooth
import Dispatch
import Glibc

/// The controllers of this machine, accessed through libbluetooth.
///
/// Reading needs no privilege: the kernel lets every process read the state of a link, but not change it. The calls run
/// on threads of their own, because each takes some milliseconds.
package struct HCIController: HostController {
    /// Makes an access to the controllers. It opens nothing before the first call.
    package init() {}

    /// Reads the RSSI of a link with `hci_read_rssi`.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/notConnected`` if the controller has no link to the address;
    /// - ``BluetoothError/Kind/noAdapter`` if there is no such controller;
    /// - ``BluetoothError/Kind/timedOut`` if there is no answer before the deadline;
    /// - ``BluetoothError/Kind/unsupported`` if the controller does not report the RSSI, or the kernel has no
    /// Bluetooth.
    ///
    /// Source: Core Specification 5.4, Vol 4, Part E, 7.5.4.
    package func readRSSI(
        of address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
    ) {
        DispatchQueue.global(qos: .userInitiated).async {
            answer(
                Result { () throws(BluetoothError) in
                    try HCISocket(adapter).strength(of: address, within: deadline)
                })
        }
    }

    /// Stops discovery through the kernel's management socket.
    ///
    /// The kernel allows that to processes with CAP_NET_ADMIN only. For others nothing is stopped.
    /// Source: BlueZ, `mgmt-api.txt`, Stop Discovery Command.
    package func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void) {
        guard adapter.hasPrefix("hci"), let controller = UInt16(adapter.dropFirst(3)) else { return done(false) }
        DispatchQueue.global(qos: .userInitiated).async {
            done(ManagementSocket()?.stopDiscovery(controller, within: .seconds(2)) ?? false)
        }
    }

    /// The switches in `/sys/class/rfkill`, which every process may read.
    package func radioSwitches() -> [RadioSwitch] { RadioSwitch.all(in: "/sys/class/rfkill") }
}

/// An open socket of one controller.
private struct HCISocket: ~Copyable {
    private let number: Int32

    init(_ adapter: String) throws(BluetoothError) {
        guard adapter.hasPrefix("hci"), let device = Int32(adapter.dropFirst(3)) else {
            throw BluetoothError(.noAdapter)
        }
        let opened = hci_open_dev(device)
        guard opened >= 0 else { throw Self.error(errno) }
        number = opened
    }

    deinit { hci_close_dev(number) }

    func strength(of address: BluetoothAddress, within deadline: Duration) throws(BluetoothError) -> Int {
        let handle = try handle(of: address)
        let end = SuspendingClock.now + min(deadline, .seconds(86_400))
        var strength: Int8 = 0
        while unsafe hci_read_rssi(number, handle.littleEndian, &strength, Self.pause) != 0 {
            // libbluetooth also gives up after ten other events, such as advertisements.
            let code = errno
            guard code == ETIMEDOUT || code == EINTR, SuspendingClock.now < end else { throw Self.error(code) }
        }
        guard strength != Self.unknown else { throw Self.rssiUnavailable }
        return Int(strength)
    }

    /// The controller's handle of the link, over LE or, for a dual-mode device, over BR/EDR (Q83).
    private func handle(of address: BluetoothAddress) throws(BluetoothError) -> UInt16 {
        for type in Self.linkTypes {
            var question = connection_info()
            question.type = type
            unsafe withUnsafeMutableBytes(of: &question.bdaddr) { bytes in
                for index in bytes.indices {
                    unsafe bytes[index] = UInt8(truncatingIfNeeded: address.number >> UInt64(8 * index))
                }
            }
            if unsafe ioctl(number, connection_info_request, &question) == 0 { return question.info.handle }
            if errno != ENOENT { throw Self.error(errno) }
        }
        throw BluetoothError(.notConnected)
    }

    /// The time-out of one call, in milliseconds.
    ///
    /// Below 100 ms, the remaining time that libbluetooth computes may become 0, which it takes for no limit.
    private static let pause: Int32 = 500
    /// The controller's value for an unknown RSSI.
    private static let unknown: Int8 = 127
    /// LE and BR/EDR, as numbered by the kernel.
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
