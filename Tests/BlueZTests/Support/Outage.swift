import Foundation
import RxBluetooth
import Testing

/// How Bluetooth goes away in the lab.
enum Outage: CaseIterable {
    // rfkill is left to the simulation: a scan that it interrupts leaves Debian's kernel 6.1.192 refusing every later one.
    case kill, power

    func begin() throws {
        switch self {
        case .kill: #expect(try Command.run("killall", "-9", "bluetoothd").status == 0)
        case .power: #expect(try Command.run("btmgmt", "--index", "0", "power", "off").status == 0)
        }
    }

    /// Ends it: comes back when bluetoothd is there and the adapter on.
    func end() async throws {
        if self == .kill { try Self.startDaemon() }
        var tries = 0
        while try Command.run(
            "busctl", "--system", "set-property", "org.bluez", "/org/bluez/hci0", "org.bluez.Adapter1", "Powered", "b",
            "true"
        ).status != 0 {
            tries += 1
            try #require(tries < 100)
            try await Ground.pass(.milliseconds(100))
        }
    }

    /// What a link is lost by.
    var reason: BluetoothError.DisconnectReason { self == .kill ? .daemon : .adapter }

    /// How things stand while it lasts.
    var state: BluetoothState { self == .kill ? .daemonUnavailable : .poweredOff }

    /// What a scan is ended by.
    var obstacle: BluetoothError.Kind { self == .kill ? .daemonUnavailable : .adapterOff }

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
