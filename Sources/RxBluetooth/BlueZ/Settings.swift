import DBus
import FoundationEssentials
import Rx

/// The manager's settings.
struct Settings: Sendable {
    let adapter: AdapterSelection
    let deadlines: Deadlines
    let scheduler: any SchedulerType
    let pairing: PairingPolicy
    /// Where it is told what happens.
    let eventLog: EventLog
    /// What answers for the controller; nil where nobody does.
    let controller: (any HostController)?
    /// The clock of the manager's bus, for every decision.
    let clock = ManagerClock()
}

/// A moment on the manager's monotonic clock.
struct MonotonicTime: Sendable {
    fileprivate let time: Duration
}

/// The clock of the manager's bus. Decisions use it; the wall clock is for time stamps only.
///
/// Deadlines run on the same clock. It stands still during a suspend: neither bluetoothd nor a peripheral can answer then, so
/// time asleep must not use up a deadline or count as silence.
final class ManagerClock: Sendable {
    private let bus = Guarded(BusClock.monotonic)

    /// Uses the clock of a bus that was opened. All buses of one manager share one time.
    func follow(_ clock: BusClock) { bus.withLock { $0 = clock } }

    var now: MonotonicTime { MonotonicTime(time: bus.withLock { $0 }.now) }

    /// The time since a moment, in whole milliseconds.
    func elapsed(since start: MonotonicTime) -> Duration {
        .milliseconds(Int64((max(.zero, now.time - start.time) / .milliseconds(1)).rounded()))
    }
}

extension Settings {
    /// The present moment, to measure elapsed time from.
    var now: MonotonicTime { clock.now }
    /// The wall clock, for time stamps.
    var date: Date { scheduler.now }

    /// The time since a moment; zero if there was none.
    func elapsed(since start: MonotonicTime?) -> Duration { start.map(clock.elapsed(since:)) ?? .zero }
}
