import Foundation
import RxBluetooth
import Testing

/// Two ways to interrupt Bluetooth in the virtual machine: kill bluetoothd, or switch the adapter off.
enum Outage: CaseIterable {
    // There is no case for rfkill: if it interrupts a scan, Debian's kernel 6.1.192 refuses every later scan.
    case kill, power

    func begin() throws {
        switch self {
        case .kill: #expect(try Command.run("killall", "-9", "bluetoothd").status == 0)
        case .power: #expect(try Command.run("btmgmt", "--index", "0", "power", "off").status == 0)
        }
    }

    /// Ends the outage, and returns when bluetoothd runs and the adapter is on.
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

    /// The reason that the library reports for links lost in this outage.
    var reason: BluetoothError.DisconnectReason { self == .kill ? .daemon : .adapter }

    /// The state of the manager during the outage.
    var state: BluetoothState { self == .kill ? .daemonUnavailable : .poweredOff }

    /// The kind of error with which a scan fails in this outage.
    var scanErrorKind: BluetoothError.Kind { self == .kill ? .daemonUnavailable : .poweredOff }

    /// Runs work with a bluetoothd that offers no experimental methods, and restores the usual one.
    static func withoutExperimentalMethods(_ work: () async throws -> Void) async throws {
        try Self.kill.begin()
        try startDaemon(isExperimental: false)
        let result: Result<Void, any Error>
        do {
            // The adapter of the new bluetoothd is on when this succeeds.
            try await Self.power.end()
            result = .success(try await work())
        } catch { result = .failure(error) }
        try Self.kill.begin()
        try await Self.kill.end()
        try result.get()
    }

    /// Starts the bluetoothd of the virtual machine.
    static func startDaemon(isExperimental: Bool = true) throws {
        let daemon = Process()
        daemon.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        daemon.arguments =
            ["PATH=/usr/libexec/bluetooth:/usr/sbin:/usr/bin:/bin", "bluetoothd", "-n"] + (isExperimental ? ["-E"] : [])
        daemon.standardOutput = FileHandle.nullDevice
        daemon.standardError = FileHandle.nullDevice
        try daemon.run()
    }
}
