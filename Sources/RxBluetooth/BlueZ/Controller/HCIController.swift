import Dispatch
import Glibc

/// The controllers of this machine, accessed through libbluetooth.
///
/// Reading needs no privilege: the kernel lets every process read the state of a link, but not change it. The calls run
/// on threads of their own, because each takes some milliseconds.
package struct HCIController: HostController {
    /// Makes an access to the controllers. Opens no socket before the first call.
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
                    try KernelRSSI(adapter).rssi(of: address, within: deadline)
                })
        }
    }

    /// Reads the role, the PHY and the RSSI of a link. The kernel does not report its timing.
    package func readLink(
        to address: BluetoothAddress, on adapter: String, deadline: Duration,
        _ answer: @escaping @Sendable (Result<LinkFacts, BluetoothError>) -> Void
    ) {
        DispatchQueue.global(qos: .userInitiated).async {
            answer(
                Result { () throws(BluetoothError) in
                    try KernelRSSI(adapter).facts(of: address, within: deadline)
                })
        }
    }

    /// Stores connection parameters through the kernel's management socket, which requires CAP_NET_ADMIN.
    package func loadConnectionParameters(
        _ parameters: ConnectionParameters, for address: BluetoothAddress, _ kind: BluetoothAddress.Kind,
        on adapter: String, deadline: Duration, _ answer: @escaping @Sendable (BluetoothError?) -> Void
    ) {
        guard adapter.hasPrefix("hci"), let controller = UInt16(adapter.dropFirst(3)) else {
            return answer(BluetoothError(.noAdapter))
        }
        DispatchQueue.global(qos: .userInitiated).async {
            guard let socket = ManagementSocket() else {
                return answer(
                    BluetoothError(
                        .unsupported, detail: "The kernel has no Bluetooth, or keeps it from this process"))
            }
            answer(socket.load(parameters, for: address, kind, on: controller, within: deadline))
        }
    }

    /// Stops discovery through the kernel's management socket.
    ///
    /// Passes false to `done` if the discovery is not stopped. The kernel allows only processes with CAP_NET_ADMIN to
    /// stop it.
    ///
    /// Source: BlueZ, `mgmt-api.txt`, Stop Discovery Command.
    package func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void) {
        guard adapter.hasPrefix("hci"), let controller = UInt16(adapter.dropFirst(3)) else { return done(false) }
        DispatchQueue.global(qos: .userInitiated).async {
            done(ManagementSocket()?.stopDiscovery(controller, within: .seconds(2)) ?? false)
        }
    }

    /// Returns the switches in `/sys/class/rfkill`, which every process may read.
    package func radioSwitches() -> [RadioSwitch] { RadioSwitch.all(in: "/sys/class/rfkill") }
}
