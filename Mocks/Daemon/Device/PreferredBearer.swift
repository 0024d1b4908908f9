import DBus

/// `Device1.PreferredBearer` of devices that may also support BR/EDR.
extension DaemonDevice {
    /// Whether bluetoothd assumes BR/EDR and LE, because the flags lack "BR/EDR not supported" (Q83).
    var seemsDual: Bool { (flags ?? 0) != 0 && (flags ?? 0) & 0x04 == 0 }

    func setPreferredBearer(_ value: Value, _ call: IncomingCall) {
        guard case .string(let bearer) = value, ["last-used", "le", "bredr", "last-seen"].contains(bearer) else {
            return tree.fail(call, BlueZError.invalidArguments)
        }
        tree.reply(call)
        guard bearer != preferredBearer else { return }
        preferredBearer = bearer
        changed("PreferredBearer")
    }
}
