import DBus
import Foundation
import RxBluetoothMocks

/// bluetoothd in the virtual machine of `Tests/BlueZTests/Lab`.
///
/// All trials share one adapter, so each trial first resets the adapter.
final class LabGround: RealTimeGround {
    static let isHere = ProcessInfo.processInfo.environment["RXBLUETOOTH_LAB"] == "1"
    /// The version of BlueZ in the lab.
    static let version = ProcessInfo.processInfo.environment["RXBLUETOOTH_BLUEZ"].flatMap(Version.init) ?? .v5_82

    /// - Parameter link: A device that stays connected if it is connected. All other devices are removed.
    init(keeping link: String?) {
        let trial = Trial(on: self)
        let client = trial.first
        client.set("hci0", "Adapter1", "Powered", true)
        // Waits until discovery ends: the sessions of the previous trial end shortly after its connections, and until
        // then bluetoothd adds devices.
        let discovering = client.call(
            "hci0", "org.freedesktop.DBus.Properties.Get", "org.bluez.Adapter1", "Discovering", noting: false)
        if discovering.values == [.variant(.bool(true))] { client.until("Discovering=false") }
        for object in ObjectNames.peripherals.values where trial.names.isPresent(object) {
            if object == link, client.isLinked(to: object) { continue }
            client.call("hci0", "Adapter1.RemoveDevice", Value.objectPath(trial.names.path(of: object) ?? .root))
        }
        client.set("hci0", "Adapter1", "Alias", "")
        _ = trial.end()
    }

    func connect() -> any Bus { Connection.open(.system) }

    func whileDaemonIsStopped(_ work: () -> Void) -> Bool {
        let isStopped = signalDaemon("-STOP")
        work()
        return signalDaemon("-CONT") && isStopped
    }

    private func signalDaemon(_ signal: String) -> Bool {
        let command = Process()
        command.executableURL = URL(filePath: "/usr/bin/env")
        command.arguments = ["killall", signal, "bluetoothd"]
        guard (try? command.run()) != nil else { return false }
        command.waitUntilExit()
        return command.terminationStatus == 0
    }
}
