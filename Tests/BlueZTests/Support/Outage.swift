import Foundation
import RxBluetooth
import Testing

/// How Bluetooth goes away in the lab.
enum Outage: CaseIterable {
    case kill, power
    /// By rfkill: the kernel closes the adapter, and bluetoothd hears of it afterwards.
    case block

    /// Those for which everything is tried.
    static let main = [Outage.kill, .power]

    func begin() throws {
        switch self {
        case .kill: #expect(try Command.run("killall", "-9", "bluetoothd").status == 0)
        case .power: #expect(try Command.run("btmgmt", "--index", "0", "power", "off").status == 0)
        case .block: try Self.setBlocked(true)
        }
    }

    /// Ends it: comes back when bluetoothd is there and the adapter on.
    func end() async throws {
        switch self {
        case .kill: try Self.startDaemon()
        case .power: break
        case .block: try Self.setBlocked(false)
        }
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

    /// How things stand while it lasts, and what a scan is ended by.
    var state: BluetoothState {
        switch self {
        case .kill: .daemonUnavailable
        case .power: .poweredOff
        case .block: .blocked
        }
    }

    var obstacle: BluetoothError.Kind {
        switch self {
        case .kill: .daemonUnavailable
        case .power: .adapterOff
        case .block: .adapterBlocked
        }
    }

    /// Blocks all Bluetooth adapters, or lets them go. Source: Linux, `include/uapi/linux/rfkill.h`, `struct rfkill_event`.
    private static func setBlocked(_ isBlocked: Bool) throws {
        let (bluetooth, changeAll): (UInt8, UInt8) = (2, 3)
        let device = try #require(FileHandle(forWritingAtPath: "/dev/rfkill"))
        try device.write(contentsOf: [0, 0, 0, 0, bluetooth, changeAll, isBlocked ? 1 : 0, 0])
        try device.close()
    }

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
