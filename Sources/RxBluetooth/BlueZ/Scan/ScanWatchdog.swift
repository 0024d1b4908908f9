import DBus

/// Notices that a scan hears nothing at all any more (Q42). It wakes up once in each of its periods, and only while somebody
/// who asked for it scans.
final class ScanWatchdog {
    private let bus: BusContext
    private let restart: () -> Void
    private var task: BusTask?
    /// The silence that the present scans allow.
    private var allowed: Duration?
    /// Restarts in a row that brought nothing.
    private var restarts = 0
    /// Whether anything was heard since the last look.
    var hasReceived = false

    private static let mostDoublings = 4
    /// bluetoothd needs this long to stop and start; less would be no pause at all.
    private static let shortest = Duration.milliseconds(100)

    init(_ bus: BusContext, restart: @escaping () -> Void) {
        self.bus = bus
        self.restart = restart
    }

    /// The scans allow so much silence now; nil where none is being watched.
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

/// Detects that bluetoothd has dropped our discovery session without saying so.
///
/// It drops all sessions when the adapter is switched off. If the adapter is on again at once, as after a suspend, only the
/// property `Discovering` shows it (Q34, Q41).
final class LostSessionDetector {
    private let bus: BusContext
    private let restart: () -> Void
    private var task: BusTask?

    /// How long `Discovering` may be false in a live session: bluetoothd and the kernel pause for 5 s (Q41).
    private static let longestPause = Duration.seconds(10)

    init(_ bus: BusContext, restart: @escaping () -> Void) {
        self.bus = bus
        self.restart = restart
    }

    /// `Discovering` of the adapter has changed during our session.
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
