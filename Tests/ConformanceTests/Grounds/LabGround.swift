import DBus
import Foundation

/// bluetoothd itself, in the virtual machine of `Tests/BlueZTests/Lab`. One adapter serves all trials, so each begins by
/// putting everything back.
final class LabGround: RealTimeGround {
    static let isHere = ProcessInfo.processInfo.environment["RXBLUETOOTH_LAB"] == "1"

    /// - Parameter link: A device that may stay connected; all others go.
    init(keeping link: String?) {
        let trial = Trial(on: self)
        let client = trial.first
        client.set("hci0", "Adapter1", "Powered", true)
        // The sessions of the trial before end with its connections, a moment later. Until then bluetoothd adds devices again.
        let discovering = client.call(
            "hci0", "org.freedesktop.DBus.Properties.Get", "org.bluez.Adapter1", "Discovering", noting: false)
        if discovering.values == [.variant(.bool(true))] { client.until("Discovering=false") }
        for object in Names.peripherals.values where trial.names.isPresent(object) {
            if object == link, client.isLinked(to: object) { continue }
            client.call("hci0", "Adapter1.RemoveDevice", Value.objectPath(trial.names.path(of: object) ?? .root))
        }
        client.set("hci0", "Adapter1", "Alias", "")
        _ = trial.end()
    }

    func connect() -> any Bus { Connection.open(.system) }
}
