import Dispatch
import Glibc

/// The signals that stop the gateway: Ctrl-C, SIGTERM, and a closed terminal.
///
/// The first signal stops the gateway, and a second one exits immediately.
final class StopSignals {
    private var sources: [any DispatchSourceSignal] = []

    /// Watches the signals in a queue.
    ///
    /// - Parameter onSignal: Called in the queue with the number of signals so far. A terminal and timeout(1) may send
    ///   the first signal twice, so signals within 200 ms count as one.
    init(queue: DispatchQueue, onSignal: @escaping @Sendable (Int) -> Void) {
        // Writing to a closed pipe is an error of that write.
        signal(SIGPIPE, SIG_IGN)
        let counter = SignalCounter()
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { if let count = counter.count() { onSignal(count) } }
            source.activate()
            sources.append(source)
        }
    }
}

/// Counts signals. Only the queue of the signals uses it.
// Guard for `@unchecked`: the handlers run on one serial queue.
private final class SignalCounter: @unchecked Sendable {
    private var number = 0
    private var last: ContinuousClock.Instant?

    /// Returns the number of the signal; nil if it repeats the one before.
    func count() -> Int? {
        let now = ContinuousClock.now
        if let last, now - last < .milliseconds(200) { return nil }
        last = now
        number += 1
        return number
    }
}
