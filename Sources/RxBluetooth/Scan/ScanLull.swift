import DBus

/// Notices that bluetoothd has dropped our discovery session without a word. It frees all of them when the adapter goes off, and if
/// that comes on again in the same breath, as around a suspend, it only shows that nobody discovers any more (Q34, Q41).
final class ScanLull {
    private let bus: BusContext
    private let restart: () -> Void
    private var task: BusTask?

    /// So long `Discovering` may be false by itself: bluetoothd and the kernel take pauses of 5 s (Q41).
    private static let longestPause = Duration.seconds(10)

    init(_ bus: BusContext, restart: @escaping () -> Void) {
        self.bus = bus
        self.restart = restart
    }

    /// The adapter shows whether anybody discovers, while we do.
    func shows(_ isDiscovering: Bool) {
        if isDiscovering { return end() }
        guard task == nil else { return }
        task = bus.schedule(after: Self.longestPause) { [weak self] in
            self?.task = nil
            self?.restart()
        }
    }

    /// We do not scan any more.
    func end() {
        task?.cancel()
        task = nil
    }
}
