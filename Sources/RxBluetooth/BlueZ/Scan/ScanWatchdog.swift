import DBus

/// Detects that a scan receives no advertisements any more, and restarts it (Q42).
///
/// Its timer runs only while a scan has the option `restartsAfterSilence`, and fires once in each period.
final class ScanWatchdog {
    private let bus: BusContext
    private let restart: () -> Void
    private var task: BusTask?
    /// The silence that the present scans allow.
    private var allowed: Duration?
    /// The number of restarts in a row without an advertisement after them.
    private var restarts = 0
    /// Whether an advertisement was received since the last check.
    var hasReceived = false

    private static let mostDoublings = 4
    /// The shortest silence that causes a restart: bluetoothd needs this long to stop and start a session.
    private static let shortest = Duration.milliseconds(100)

    init(_ bus: BusContext, restart: @escaping () -> Void) {
        self.bus = bus
        self.restart = restart
    }

    /// Sets the longest silence that the scans allow; nil if no scan has the option.
    func watch(_ allowed: Duration?) {
        let allowed = allowed.map { max(Self.shortest, $0) }
        guard allowed != self.allowed else { return }
        self.allowed = allowed
        restarts = 0
        hasReceived = false
        task?.cancel()
        task = nil
        wait()
    }

    private func wait() {
        guard let allowed else { return }
        task = bus.schedule(after: allowed.doubled(restarts, atMost: .longestTimer)) { [weak self] in self?.check() }
    }

    private func check() {
        if hasReceived { restarts = 0 }
        let isSilent = !hasReceived
        hasReceived = false
        if isSilent { restarts = min(Self.mostDoublings, restarts + 1) }
        wait()
        if isSilent { restart() }
    }
}

/// Detects that bluetoothd has dropped our discovery session without an error.
///
/// bluetoothd drops all sessions when the adapter is switched off. If the adapter is on again at once, as after a
/// suspend, only the property `Discovering` shows the loss (Q34, Q41). The scan may also stop when another client
/// leaves the bus (Q125).
final class LostSessionDetector {
    private let bus: BusContext
    private let restart: () -> Void
    private var task: BusTask?

    /// How long `Discovering` may be false in a live session.
    ///
    /// bluetoothd and the kernel pause for 5 s (Q41).
    private static let longestPause = Duration.seconds(10)

    init(_ bus: BusContext, restart: @escaping () -> Void) {
        self.bus = bus
        self.restart = restart
    }

    /// Handles a change of the adapter's property `Discovering` during our session.
    func discoveringChanged(_ isDiscovering: Bool) {
        if isDiscovering { return sessionEnded() }
        guard task == nil else { return }
        task = bus.schedule(after: Self.longestPause) { [weak self] in
            self?.task = nil
            self?.restart()
        }
    }

    func sessionEnded() {
        task?.cancel()
        task = nil
    }
}
