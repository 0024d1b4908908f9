internal import CBluetooth
import Dispatch
import Glibc

/// The controllers of this machine, asked through libbluetooth. It needs no privilege: the kernel lets every process ask
/// for the state of a link, but not change it. It asks on threads of its own, for an answer takes some milliseconds.
public struct HCIController: HostController {
    /// Makes a way to the controllers; nothing is opened before it is asked.
    public init() {}

    /// Asks with `hci_read_rssi`. Fails with ``BluetoothError/Kind/notConnected`` where the controller has no link to the
    /// address, ``BluetoothError/Kind/noAdapter`` where there is no such controller, ``BluetoothError/Kind/timedOut``, and
    /// ``BluetoothError/Kind/unsupported`` where the controller does not tell, or the kernel has no Bluetooth.
    /// Source: Core Specification 5.4, Vol 4, Part E, 7.5.4.
    public func readRSSI(
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

    /// Asks the kernel's management, which does it for processes with CAP_NET_ADMIN only, and for others nothing.
    /// Source: BlueZ, `mgmt-api.txt`, Stop Discovery Command.
    public func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void) {
        guard adapter.hasPrefix("hci"), let controller = UInt16(adapter.dropFirst(3)) else { return done(false) }
        DispatchQueue.global(qos: .userInitiated).async {
            done(ManagementSocket()?.stopDiscovery(controller, within: .seconds(2)) ?? false)
        }
    }

    /// What `/sys/class/rfkill` shows, which every process may read.
    public func radioSwitches() -> [RadioSwitch] { RadioSwitch.all(in: "/sys/class/rfkill") }
}

/// An open way to one controller.
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
            // libbluetooth also gives up after ten events that are not the answer, such as advertisements.
            let code = errno
            guard code == ETIMEDOUT || code == EINTR, SuspendingClock.now < end else { throw Self.error(code) }
        }
        guard strength != Self.unknown else { throw Self.doesNotTell }
        return Int(strength)
    }

    /// The controller's number of the link: over LE, or over BR/EDR for a device that has both (Q83).
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

    /// Below 100 ms libbluetooth's own count of the time left may come to 0, by which it means for ever.
    private static let pause: Int32 = 500
    /// The controller's word for a strength that it does not know.
    private static let unknown: Int8 = 127
    /// LE and BR/EDR, as the kernel numbers them.
    private static let linkTypes: [UInt8] = [0x80, 0x01]

    private static var doesNotTell: BluetoothError {
        BluetoothError(.unsupported, dbusMessage: "The controller does not tell the strength of the link")
    }

    private static func error(_ code: Int32) -> BluetoothError {
        switch code {
        case ENODEV, ENETDOWN: BluetoothError(.noAdapter)
        case EPERM, EACCES: BluetoothError(.permissionDenied)
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            BluetoothError(.unsupported, dbusMessage: "The kernel has no Bluetooth, or keeps it from this process")
        case EMFILE, ENFILE, ENOMEM: BluetoothError(.resourceExhausted)
        case ETIMEDOUT, EINTR: BluetoothError(.timedOut)
        // The controller refused, with a reason that libbluetooth keeps for itself.
        default: doesNotTell
        }
    }
}
