internal import CBluetooth
import Glibc

extension KernelRSSI {
    /// Reads what the kernel and the controller report about a link. Throws if there is no link.
    func facts(of address: BluetoothAddress, within deadline: Duration) throws(BluetoothError) -> LinkFacts {
        let connection = try connection(of: address)
        var facts = LinkFacts(unknownBecause: "the kernel does not report it for a link that exists")
        facts.role = .known(connection.link_mode & UInt32(HCI_LM_MASTER) != 0 ? .central : .peripheral)
        facts.phy = phy(connection.handle)
        do throws(BluetoothError) {
            facts.rssi = .known(try rssi(of: address, within: deadline))
        } catch {
            facts.rssi = .unknown(because: "the controller does not report it")
        }
        return facts
    }

    /// Reads the PHY by a command to the controller, which the kernel passes on for a process with CAP_NET_RAW only.
    ///
    /// Source: Core Specification 5.4, Vol 4, Part E, 7.8.47; Linux 6.1, `hci_sock_sendmsg`.
    private func phy(_ handle: UInt16) -> LinkFact<LinkPHYs> {
        var handle = handle.littleEndian
        // The answer: status, handle, transmitter, receiver.
        var answer: (UInt8, UInt8, UInt8, UInt8, UInt8) = (0xFF, 0, 0, 0, 0)
        var request = unsafe hci_request()
        let isSent = unsafe withUnsafeMutablePointer(to: &handle) { handle in
            unsafe withUnsafeMutablePointer(to: &answer) { answer in
                unsafe request.ogf = UInt16(OGF_LE_CTL)
                unsafe request.ocf = 0x0030
                unsafe request.cparam = UnsafeMutableRawPointer(handle)
                unsafe request.clen = 2
                unsafe request.rparam = UnsafeMutableRawPointer(answer)
                unsafe request.rlen = 5
                return unsafe hci_send_req(number, &request, Self.callTimeout) == 0
            }
        }
        guard isSent else {
            return errno == EPERM || errno == EACCES
                ? .unknown(because: "reading it needs CAP_NET_RAW")
                : .unknown(because: "the controller does not answer")
        }
        guard answer.0 == 0, let transmit = LinkPHY(rawValue: answer.3), let receive = LinkPHY(rawValue: answer.4)
        else {
            return .unknown(because: "the controller does not report it")
        }
        return .known(LinkPHYs(transmit: transmit, receive: receive))
    }
}

extension ManagementSocket {
    /// Stores connection parameters for a device. Returns the error; nil if they were stored.
    ///
    /// Source: BlueZ, `mgmt-api.txt`, Load Connection Parameters Command.
    func load(
        _ parameters: ConnectionParameters, for address: BluetoothAddress, _ kind: BluetoothAddress.Kind,
        on controller: UInt16, within deadline: Duration
    ) -> BluetoothError? {
        let end = SuspendingClock.now + min(deadline, .seconds(86_400))
        let body = Self.loadBody(parameters, for: address, kind)
        switch status(of: Self.loadConnectionParameters, controller, body, until: end) {
        case 0: return nil
        case nil: return BluetoothError(.timedOut)
        case 0x14: return BluetoothError(.unauthorized, detail: "The kernel requires CAP_NET_ADMIN")
        case 0x0D: return BluetoothError(.invalidArgument, detail: "The kernel refused the parameters")
        case 0x11: return BluetoothError(.noAdapter)
        case 0x0F: return BluetoothError(.poweredOff)
        case 0x0A: return BluetoothError(.busy)
        default: return BluetoothError(.unsupported, detail: "The controller or the kernel has no such command")
        }
    }

    private static let loadConnectionParameters: UInt16 = 0x0035

    /// Returns the parameters of the command, for one device.
    static func loadBody(
        _ parameters: ConnectionParameters, for address: BluetoothAddress, _ kind: BluetoothAddress.Kind
    ) -> [UInt8] {
        func steps(_ duration: Duration, _ step: Duration) -> UInt16 {
            UInt16(clamping: Int((duration / step).rounded()))
        }
        let interval = Duration.microseconds(1_250)
        let bytes = (0..<6).map { UInt8(truncatingIfNeeded: address.number >> UInt64(8 * $0)) }
        return words(1) + bytes + [kind == .random ? 2 : 1]
            + words(
                steps(parameters.minimumInterval, interval), steps(parameters.maximumInterval, interval),
                UInt16(clamping: parameters.latency), steps(parameters.supervisionTimeout, .milliseconds(10)))
    }
}
