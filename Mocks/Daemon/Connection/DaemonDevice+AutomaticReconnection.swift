/// Devices that are connected again by themselves (Q85). The real daemon does so for those of a profile that wants it, which
/// is HID; here a switch does it for all that are bonded or trusted. Source: BlueZ 5.66, src/device.c.
extension DaemonDevice {
    /// The link is gone; whoever asked for that is known.
    func reconnectByItself(isWanted: Bool) {
        guard adapter.quirks.contains(.Q85), isBonded || isTrusted, !isBlocked else { return }
        // Who disconnects a device that is not trusted wants it to stay so, until `Connect`.
        if isWanted, !isTrusted { isAutoConnectOff = true }
        guard !isAutoConnectOff, adapter.isPowered, attempt == nil else { return }
        // The kernel waits for an advertisement, for as long as it takes.
        attempt = ConnectionAttempt(nil, isSpontaneous: true)
        loop.after(.seconds(1)) { [weak self] in self?.continueAttempt() }
    }

    /// Makes room for what somebody asks for.
    func endSpontaneousAttempt() {
        guard let attempt, attempt.isSpontaneous else { return }
        attempt.cancel()
        self.attempt = nil
    }
}
