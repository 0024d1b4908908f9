import Glibc
import Synchronization

/// A serial context on a thread of its own: work that others hand in, timers, and one source of events that a
/// subclass adds.
///
/// The thread starts with the first work and ends when the subclass says that it is finished and nothing is left to do;
/// work that comes later starts it again, so that no work is ever lost. It holds the context while it runs. While
/// there is nothing to do it sleeps without a limit: an idle process is not woken.
class EventLoop: @unchecked Sendable {
    // Guard: the inbox is behind a lock; every `var` is touched on the thread only. A second thread begins after
    // the first has ended, and the lock of the inbox stands between them.
    typealias Work = @Sendable () -> Void

    private struct Inbox {
        var work: [Work] = []
        var isRunning = false
        var isAsleep = false
        var wake: Int32 = -1
    }

    private let inbox = Guarded(Inbox())
    private let owner = Atomic<UInt>(0)
    private var poller: Poller?
    private var timers = TimerHeap()
    /// Sockets besides the source, by the numbers of their descriptors.
    private var sockets: [Int32: WatchedSocket] = [:]

    /// What to wait for besides work and timers.
    var source: Poller.Source { Poller.Source() }
    /// Something happened at the source: these of poll's events.
    func handle(_ events: Int16) {}
    /// Does what there is to do now, or a fair part of it.
    func turn() {}
    /// Whether there is more to do at once.
    var isBusy: Bool { false }
    /// Whether the source of events has ended.
    var isFinished: Bool { true }

    /// Whether the caller runs in this context.
    final var isCurrent: Bool { owner.load(ordering: .relaxed) == Self.thisThread }

    private static var thisThread: UInt { UInt(pthread_self()) }

    final func preconditionInContext() {
        precondition(isCurrent, "This must run in the bus's context: see Bus.perform.")
    }

    final func perform(_ work: @escaping Work) {
        let mustStart = inbox.withLock { inbox in
            inbox.work.append(work)
            if inbox.isAsleep {
                // One write a batch: whoever comes next finds the thread awake. It is written under the lock because
                // the thread closes the descriptor under it.
                inbox.isAsleep = false
                Poller.wake(inbox.wake)
            }
            defer { inbox.isRunning = true }
            return !inbox.isRunning
        }
        if mustStart { startThread(named: "rxbt-dbus") { self.run() } }
    }

    /// Runs work at once where the caller is in the context, else as ``perform(_:)`` does.
    final func enter(_ work: @escaping Work) { if isCurrent { work() } else { perform(work) } }

    /// In the context: sets a deadline. One that never comes is not kept.
    final func start(_ entry: Deadline, due: UInt64) { if due != .max { timers.insert(entry, due: due) } }
    /// In the context: takes a deadline back.
    final func stop(_ entry: Deadline) { timers.remove(entry) }

    /// In the context: hears of a socket, or no longer.
    final func start(_ socket: WatchedSocket) {
        sockets[socket.number] = socket
        poller?.add(socket.number, socket.events)
    }

    final func stop(_ socket: WatchedSocket) {
        guard sockets[socket.number] === socket else { return }
        sockets[socket.number] = nil
        poller?.remove(socket.number)
    }

    private func run() {
        owner.store(Self.thisThread, ordering: .relaxed)
        var batch: [Work] = []
        while wait(&batch) {
            for work in batch { work() }
            batch.removeAll(keepingCapacity: batch.count < 256)
            turn()
            // After the turn, so that an answer which is there already wins over its deadline.
            let now = MonotonicClock.now
            while let entry = timers.popDue(at: now) { entry.expire() }
        }
    }

    /// Sleeps until there is something to do, and fetches work that was handed in. False ends the thread, which then
    /// must not touch the context any more.
    private func wait(_ batch: inout [Work]) -> Bool {
        let limit = isBusy ? 0 : timers.earliest
        let canEnd = limit == nil && isFinished && sockets.isEmpty
        if poller == nil { makePoller() }
        let mustPoll = inbox.withLock { inbox -> Bool? in
            if !inbox.work.isEmpty { return true }
            if canEnd {
                inbox.isRunning = false
                inbox.wake = -1
                poller = nil
                owner.store(0, ordering: .relaxed)
                return nil
            }
            inbox.isAsleep = inbox.wake >= 0 && limit != 0
            return false
        }
        guard let mustPoll else { return false }
        let events = sleep(until: mustPoll ? 0 : limit)
        inbox.withLock {
            $0.isAsleep = false
            swap(&$0.work, &batch)
        }
        if events != 0 { handle(events) }
        // One may be taken away while another is told.
        for number in poller?.takeReady() ?? [] { sockets[number]?.ready() }
        return true
    }

    private func sleep(until limit: UInt64?) -> Int16 {
        var milliseconds: Int32 = -1
        if let limit {
            let now = limit == 0 ? 0 : MonotonicClock.now
            // Rounded up, or a timer would be looked at before it is due, and again, and again.
            milliseconds = limit <= now ? 0 : Int32(clamping: (limit - now - 1) / 1_000_000 + 1)
        }
        guard let poller else {
            // No descriptor is left in the process (Q14). What waits here still has to hear that, so look again soon.
            usleep(milliseconds == 0 ? 0 : 10_000)
            return 0
        }
        return poller.wait(for: source, milliseconds: milliseconds)
    }

    private func makePoller() {
        poller = Poller()
        for socket in sockets.values { poller?.add(socket.number, socket.events) }
        let number = poller?.wakeNumber ?? -1
        inbox.withLock { $0.wake = number }
    }
}
