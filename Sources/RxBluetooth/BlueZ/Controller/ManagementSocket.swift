internal import CBluetooth
import Glibc

/// A socket of the kernel's Bluetooth management interface, which does not need bluetoothd.
///
/// Every process may open it. Commands that change something need CAP_NET_ADMIN.
/// Source: BlueZ, `mgmt-api.txt`.
struct ManagementSocket: ~Copyable {
    private let number: Int32

    /// Opens a socket; nil if the kernel has no Bluetooth, or does not let this process use it.
    init?() {
        let opened = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard opened >= 0 else { return nil }
        var address = sockaddr_hci()
        address.hci_family = sa_family_t(AF_BLUETOOTH)
        address.hci_dev = UInt16(HCI_DEV_NONE)
        address.hci_channel = UInt16(HCI_CHANNEL_CONTROL)
        let isBound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(opened, $0, socklen_t(MemoryLayout<sockaddr_hci>.size)) == 0
            }
        }
        guard isBound else {
            close(opened)
            return nil
        }
        number = opened
    }

    deinit { close(number) }

    /// Ends the ownership without closing, and returns the descriptor's number. The caller closes it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Returns whether the kernel sends advertisements to this socket, because this process has CAP_NET_ADMIN.
    ///
    /// The kernel lets every process open a socket, and does not report what it withholds from it.
    func receivesAdvertisements(within deadline: Duration) -> Bool {
        // The kernel checks the permission first, and then refuses this command because it names no controller.
        let end = SuspendingClock.now + deadline
        return status(of: Self.getConnections, UInt16(HCI_DEV_NONE), [], until: end) == Self.invalidIndex
    }

    /// Stops the discovery of a controller, whichever program started it. Returns whether it was stopped.
    func stopDiscovery(_ controller: UInt16, within deadline: Duration) -> Bool {
        let end = SuspendingClock.now + deadline
        // Tries all types of discovery (LE, both, BR/EDR), because the kernel stops only the type that is in progress.
        for kind in [UInt8(0x06), 0x07, 0x01] {
            switch status(of: Self.stopDiscovery, controller, [kind], until: end) {
            case 0: return true
            case Self.invalidParameters: continue
            default: return false
            }
        }
        return false
    }

    /// Sends a command, and returns its status; nil if the status does not arrive in time.
    func status(of command: UInt16, _ controller: UInt16, _ body: [UInt8], until end: SuspendingClock.Instant)
        -> UInt8?
    {
        let packet = Self.words(command, controller, UInt16(body.count)) + body
        // The kernel returns 0 instead of the length if it answers the command without executing it.
        guard unsafe packet.withUnsafeBytes({ unsafe write(number, $0.baseAddress, $0.count) }) >= 0 else { return nil }
        var events = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let left = Int32(max(0, (end - SuspendingClock.now) / .milliseconds(1)))
            guard unsafe poll(&events, 1, left) > 0 else { return nil }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
            guard count > 0 else { return nil }
            // Skips the other events that every socket receives. 1 is Command Complete, 2 is Command Status.
            let event = buffer.prefix(count)
            guard event.count >= 9, [1, 2].contains(Self.word(event, 0)), Self.word(event, 2) == controller,
                Self.word(event, 6) == command
            else { continue }
            return event[8]
        }
    }

    private static let getConnections: UInt16 = 0x0015
    private static let stopDiscovery: UInt16 = 0x0024
    private static let invalidIndex: UInt8 = 0x11
    private static let invalidParameters: UInt8 = 0x0D

    static func words(_ words: UInt16...) -> [UInt8] {
        words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }

    private static func word(_ bytes: ArraySlice<UInt8>, _ index: Int) -> UInt16 {
        UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
    }
}
