import Dispatch
import Glibc

/// The signals that stop the gateway: Ctrl-C, SIGTERM, and a closed terminal unless nohup(1) ignores it.
///
/// The first signal stops the gateway, and a second one exits immediately. SIGHUP of another cause reads the
/// configuration again.
final class StopSignals {
    private var sources: [any DispatchSourceSignal] = []

    /// Watches the signals in a queue. A signal before `onReady` ends the process.
    ///
    /// - Parameters:
    ///   - onReady: Called once in the queue, when all signals are watched.
    ///   - onReload: Called in the queue to read the configuration again.
    ///   - onSignal: Called in the queue with the number of signals so far. A terminal and timeout(1) may send the
    ///     first signal twice, so signals within 200 ms count as one.
    init(
        queue: DispatchQueue, onReady: @escaping @Sendable () -> Void, onReload: @escaping @Sendable () -> Void,
        onSignal: @escaping @Sendable (Int) -> Void
    ) {
        // Writing to a closed pipe is an error of that write.
        signal(SIGPIPE, SIG_IGN)
        let counter = SignalCounter()
        let hadTerminal = Self.hasTerminal
        // nohup(1) starts a program that ignores SIGHUP.
        let numbers = Self.isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        // libdispatch replaces the default action when it watches a signal. Ignoring it earlier would lose signals.
        let registration = DispatchGroup()
        for number in numbers {
            registration.enter()
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setRegistrationHandler { registration.leave() }
            source.setEventHandler {
                // The kernel sends SIGHUP when the terminal is closed.
                if number == SIGHUP, !hadTerminal || Self.hasTerminal { return onReload() }
                if let count = counter.count() { onSignal(count) }
            }
            source.activate()
            sources.append(source)
        }
        registration.notify(queue: queue, execute: onReady)
    }

    /// Whether the process has a terminal that is open.
    private static var hasTerminal: Bool {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        let handler = unsafe action.__sigaction_handler.sa_handler
        return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
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
