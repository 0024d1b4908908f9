/// Counts what is being undone: a scan being stopped, a link being closed. Whoever must know when all of it has
/// reached bluetoothd waits here (S44).
final class TeardownTracker {
    private var running = 0
    private var waiting: [() -> Void] = []

    func begin() { running += 1 }

    func end() {
        running -= 1
        guard running == 0 else { return }
        let waiting = waiting
        self.waiting = []
        for work in waiting { work() }
    }

    /// Runs work when nothing is being undone: at once, or later.
    func onIdle(_ work: @escaping () -> Void) {
        if running == 0 { work() } else { waiting.append(work) }
    }
}
