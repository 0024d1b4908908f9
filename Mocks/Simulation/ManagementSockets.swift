public import DBus
import Glibc

/// The kernel's ends of the simulated management sockets.
final class ManagementSockets {
    private var sockets: [SharedSocket] = []
    /// The sockets that are open, but receive nothing.
    private var deaf: [SharedSocket] = []
    /// Whether no socket receives anything.
    var isDeaf = false

    /// Adds a socket, and removes those that their clients have closed.
    func add(_ socket: SharedSocket) {
        removeClosed()
        sockets.append(socket)
    }

    func removeClosed() {
        sockets.removeAll { $0.socket.receive(upTo: 1) == .ended }
        deaf.removeAll { $0.socket.receive(upTo: 1) == .ended }
    }

    func closeAll() {
        sockets = []
        deaf = []
    }

    func deafen() {
        deaf += sockets
        sockets = []
    }

    /// Sends the event for a packet to all sockets: Device Found, or the one for monitors.
    ///
    /// The kernel does not know which monitor matches, so the monitor's handle is 0. Without a scan, there is no scan
    /// response, and therefore no name.
    ///
    /// Source: Linux 6.1, `mgmt_adv_monitor_device_found`.
    func send(
        _ report: AdvertisingReport, rssi: Int16, from deviceState: SimulatedDeviceState, on adapter: Int,
        forMonitors: Bool
    ) {
        guard !sockets.isEmpty, !isDeaf else { return }
        let packet = forMonitors ? report.packetWithoutName : report.packet
        var event: [UInt8] = []
        event.reserveCapacity(22 + packet.count)
        event.append(number: forMonitors ? 0x002F : 0x0012, bytes: 2)
        event.append(number: UInt64(adapter), bytes: 2)
        event.append(number: UInt64((forMonitors ? 16 : 14) + packet.count), bytes: 2)
        if forMonitors { event.append(number: 0, bytes: 2) }
        event.append(number: deviceState.address.number, bytes: 6)
        event.append(deviceState.address.isRandom ? 2 : 1)
        event.append(UInt8(bitPattern: Int8(clamping: rssi)))
        // Bit 2: the device accepts no connections.
        event.append(number: report.isConnectable ? 0 : 4, bytes: 4)
        event.append(number: UInt64(packet.count), bytes: 2)
        event += packet
        send(event)
    }

    /// Sends an event to all sockets. As in the kernel, a socket that is full loses it.
    func send(_ event: [UInt8]) { sockets.removeAll { $0.socket.trySend(event) == .ended } }
}

extension [UInt8] {
    fileprivate mutating func append(number: UInt64, bytes: Int) {
        for index in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }
}

/// Controls of the kernel's management sockets.
extension SimulatedBlueZ {
    /// Opens a management socket, as a process with CAP_NET_ADMIN does, and returns its file descriptor.
    ///
    /// While an adapter scans, the socket receives the event Device Found for each received packet. While only
    /// advertisement monitors exist, it receives the event Advertisement Monitor Device Found. The caller closes the
    /// descriptor. To use the socket in a manager, return it from an `AdvertisementSource`.
    ///
    /// - Throws: `LimitsExceeded` if the process has no descriptor left.
    public func openManagementSocket() throws(DBusError) -> Int32 {
        var number: Int32 = -1
        let end = SharedSocket(try PacketSocket.pair { number = fcntl($0.number, F_DUPFD_CLOEXEC, 0) })
        control { environment, _ in environment.management.add(end) }
        return number
    }

    /// Closes all management sockets at the kernel's end.
    public func closeManagementSockets() {
        control { environment, _ in environment.management.closeAll() }
    }

    /// Closes the kernel's ends of the sockets that their clients have closed, before the next event does it.
    package func removeClosedManagementSockets() {
        control { environment, _ in environment.management.removeClosed() }
    }

    /// Sends bytes to all management sockets, for example a malformed event.
    public func sendManagementEvent(_ event: [UInt8]) {
        control { environment, _ in environment.management.send(event) }
    }
}
