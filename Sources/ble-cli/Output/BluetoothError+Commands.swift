import RxBluetooth

extension BluetoothError {
    /// The text for a user of this program: the library's advice, with the commands that follow it.
    var textWithCommands: String {
        let commands: String
        switch kind {
        case .needsPairing where isBondTooWeak: commands = "ble-cli forget, then ble-cli pair --passkey"
        case .needsPairing: commands = "ble-cli pair"
        case .bondLost: commands = "ble-cli forget, then ble-cli pair"
        default: return description
        }
        return description.dropLast() + ": \(commands)."
    }
}
