import Foundation
import RxBluetooth
import Testing

/// How Bluetooth becomes unavailable in the lab: bluetoothd is killed, or the adapter is switched off.
enum Outage: CaseIterable {
    // Only the simulation uses rfkill: after it interrupts a scan, Debian's kernel 6.1.192 refuses every later scan.
    case kill, power

    func begin() throws {
        switch self {
        case .kill: #expect(try Command.run("killall", "-9", "bluetoothd").status == 0)
        case .power: #expect(try Command.run("btmgmt", "--index", "0", "power", "off").status == 0)
        }
    }

    /// Ends the outage, and returns when bluetoothd is running and the adapter is on.
    func end() async throws {
        if self == .kill { try Self.startDaemon() }
        var tries = 0
        while try Command.run(
            "busctl", "--system", "set-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "Powered", "b",
            "true"
        ).status != 0 {
            tries += 1
            try #require(tries < 100)
            try await Lab.pass(.milliseconds(100))
        }
    }

    /// The reason of link loss.
    var reason: BluetoothError.DisconnectReason { self == .kill ? .daemon : .adapter }

    /// The state of the manager during the outage.
    var state: BluetoothState { self == .kill ? .daemonUnavailable : .poweredOff }

    /// The error that ends a scan.
    var scanErrorKind: BluetoothError.Kind { self == .kill ? .daemonUnavailable : .poweredOff }

    /// Starts the lab's bluetoothd.
    static func startDaemon() throws {
        let daemon = Process()
        daemon.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        daemon.arguments = ["PATH=/usr/libexec/bluetooth:/usr/sbin:/usr/bin:/bin", "bluetoothd", "-n", "-E"]
        daemon.standardOutput = FileHandle.nullDevice
        daemon.standardError = FileHandle.nullDevice
        try daemon.run()
    }
}
