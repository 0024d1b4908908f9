import DBus

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
