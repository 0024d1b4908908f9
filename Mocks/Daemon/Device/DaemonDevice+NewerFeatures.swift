import DBus

/// Features of newer daemons that extend the device's interface.
extension DaemonDevice {
    static func table(with features: Set<SimulatedFeature>) -> InterfaceTable<DaemonDevice> {
        var table = table
        if features.contains(.preferredBearer) {
            table.properties.append(
                PropertyRow("PreferredBearer", "s") {
                    $0.seemsDual ? .string($0.preferredBearer) : nil
                } set: {
                    $0.setPreferredBearer($1, $2)
                })
        }
        if features.contains(.disconnectedSignal) {
            table.signals.append(
                SignalRow(name: "Disconnected", arguments: [ArgumentRow("name", "s"), ArgumentRow("message", "s")]))
        }
        return table
    }

    /// Whether bluetoothd assumes BR/EDR and LE, because the flags lack "BR/EDR not supported" (Q83).
    private var seemsDual: Bool { (flags ?? 0) != 0 && (flags ?? 0) & 0x04 == 0 }

    private func setPreferredBearer(_ value: Value, _ call: IncomingCall) {
        guard case .string(let bearer) = value, ["last-used", "le", "bredr", "last-seen"].contains(bearer) else {
            return tree.fail(call, BlueZError.invalidArguments)
        }
        tree.reply(call)
        guard bearer != preferredBearer else { return }
        preferredBearer = bearer
        changed("PreferredBearer")
    }

    var showsHandles: Bool { adapter.features.contains(.handle) }

    /// Sends the signal `Disconnected`, between the changes of `ServicesResolved` and `Connected`.
    func sendDisconnectedSignal(_ reason: SimulatedDisconnectReason) {
        guard adapter.features.contains(.disconnectedSignal) else { return }
        tree.flush()
        tree.signal(at: path, "org.bluez.Device1", "Disconnected") { (body) throws(DBusError) in
            try body.string(reason.name)
            try body.string(reason.text)
        }
    }
}
