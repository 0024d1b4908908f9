import DBus

/// Disconnecting. Source: BlueZ 5.66, src/device.c; orders as seen on the real one.
extension Device {
    func requestDisconnect(_ call: IncomingCall, removing: Bool = false) {
        if let attempt {
            attempt.cancel()
            self.attempt = nil
            // It says so of an LE link too (Q79).
            tree.fail(attempt.call, BlueZError.failed("br-connection-canceled"))
        }
        guard link != nil else { return tree.reply(call) }
        let under = disconnection ?? Disconnection()
        disconnection = under
        under.calls.append(call)
        if removing { under.removes = true }
        guard under.timer == nil else { return }
        under.timer = turns.after(Timing.disconnect) { [weak self] in self?.lost() }
    }

    /// The link is gone. Replies to `Disconnect` come before `Connected` turns false (Q84).
    func lost() {
        guard let link else { return }
        self.link = nil
        let operations = link.end()
        if areServicesResolved {
            areServicesResolved = false
            changed("ServicesResolved")
        }
        let asked = disconnection
        disconnection = nil
        asked?.timer?.cancel()
        for call in asked?.calls ?? [] { tree.reply(call) }
        advertisedServices = []
        lastReport = nil
        saw(isConnectable: true)
        changed("Connected")
        for service in services { service.linkWentDown() }
        if !operations.isEmpty {
            // What was in flight hears of an unlikely error, after the signals.
            tree.flush()
            for operation in operations { operation.fail(0x0E) }
        }
        if asked?.removes == true { return adapter.remove(self) }
        // Neither paired nor trusted, it is temporary again (device_bonding_complete, called for every end of a link).
        if !isTrusted { becomeTemporary(true) }
    }
}
