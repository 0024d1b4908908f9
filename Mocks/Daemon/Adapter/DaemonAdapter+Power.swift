import DBus

/// Switches an adapter on and off.
///
/// Signals and replies have the same order as in BlueZ 5.66 (src/adapter.c).
extension DaemonAdapter {
    func setPowered(_ value: Value, _ call: IncomingCall) {
        if isSwitching { return tree.fail(call, DBusError(name: "org.bluez.Error.Busy", message: "")) }
        let isOn = value == .bool(true)
        if isOn == isPowered { return tree.reply(call) }
        if power == .offBlocked {
            return tree.fail(call, DBusError(name: "org.bluez.Error.Blocked", message: "Blocked through rfkill"))
        }
        isSwitching = true
        if isOn {
            power = .offEnabling
            changed("PowerState")
        } else {
            radio.stopListening(self)
            temporaryDevices.removeAll()
            power = .onDisabling
            changed("PowerState")
        }
        loop.after(DaemonTimeLimits.power) { [weak self] in
            guard let self, isSwitching else { return }
            isSwitching = false
            isOn ? switchedOn(call) : switchedOff(.off, call)
        }
    }

    /// Updates the adapter after the kernel switched it on: for the call, or by itself if there is no call.
    func switchedOn(_ call: IncomingCall? = nil) {
        isSwitching = false
        if let call { tree.reply(call) }
        guard power != .on else { return }
        power = .on
        radio.remedy(.powerOn, for: number)
        monitors.listeningChanged()
        changed("PowerState")
        changed("Powered")
    }

    /// Updates the adapter after the kernel switched it off: for the call, or by itself (Q32).
    ///
    /// Links end before scans.
    func switchedOff(_ state: Power, _ call: IncomingCall? = nil) {
        isSwitching = false
        let wasPowered = isPowered
        if wasPowered {
            temporaryDevices.removeAll()
            for device in devicesInOrder { device.linkEnded(.local) }
        }
        if let call { tree.reply(call) } else { tree.flush() }
        guard power != state else { return }
        power = state
        if wasPowered { endAllSessions() }
        changed("PowerState")
        guard wasPowered else { return }
        changed("Powered")
        isDiscovering = false
        changed("Discovering")
        for device in devicesInOrder { device.abortAttempt() }
    }
}
