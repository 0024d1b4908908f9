import Glibc
import Synchronization

/// A connection that an event loop serves: a descriptor to wait for, and messages to deliver.
protocol EventLoopClient: AnyObject, Sendable {
    /// The client's descriptor, and the events to wait for.
    var interest: Poller.Interest { get }
    /// Handles events of the descriptor, given as flags of poll(2).
    func handle(_ events: Int16)
    /// Delivers pending messages, up to a limit, and returns their number. The loop calls this once per turn.
    func turn() -> Int
    /// Whether another turn is due immediately.
    var isBusy: Bool { get }
    /// Whether messages may wait a short time: no reply is expected, and nothing waits to be sent.
    var mayPause: Bool { get }
    /// Whether the descriptor will never have events again.
    var isFinished: Bool { get }
}

/// A serial execution context on its own thread. It runs work, timers, sockets and one client.
///
/// The thread starts with the first work. It ends when the client is finished and no work, timer or socket is left;
/// later work starts a new thread, so no work is lost. A running thread retains the loop and the client. An idle loop
/// sleeps without a limit, so it causes no wake-ups.
final class EventLoop: @unchecked Sendable {
    // Guard: a lock protects the inbox; only the loop's thread uses the other variables. A new thread of the loop
    // starts after the previous thread has stopped using them; the lock of the inbox orders the two threads.
    typealias Work = @Sendable () -> Void

    private struct Inbox {
        var work: [Work] = []
        var isRunning = false
        var isAsleep = false
        var wake: Int32 = -1
    }

    private let inbox = Guarded(Inbox())
    private let owner = Atomic<UInt>(0)
    private weak var client: (any EventLoopClient)?
    private var poller: Poller?
    private var timers = TimerHeap()
    /// Work for the end of the present turn.
    private var endOfTurn: [Work] = []
    private var pauses: ReadPauses
    /// Whether data has arrived in the present turn.
    private var hasReceived = false
    /// The number of packets that were received from watched sockets in the present turn.
    private var packets = 0
    /// Watched sockets by descriptor.
    private var sockets: [Int32: WatchedSocket] = [:]

    /// - Parameter interval: The time between two readings while data arrives quickly, see ``ReadPauses``.
    init(interval: Duration = .zero) { pauses = ReadPauses(interval: interval) }

    /// Sets the client. Call this before any other method.
    func attach(_ client: any EventLoopClient) { self.client = client }

    // MARK: Work

    /// Whether the caller runs on the loop's thread.
    var isCurrent: Bool { owner.load(ordering: .relaxed) == Self.thisThread }

    private static var thisThread: UInt { UInt(pthread_self()) }

    func preconditionInContext() {
        precondition(isCurrent, "This must run in the bus's context: see Bus.perform.")
    }

    /// Runs work on the loop's thread, after all work that already waits.
    func perform(_ work: @escaping Work) {
        let mustStart = inbox.withLock { inbox in
            inbox.work.append(work)
            if inbox.isAsleep {
                // Clears the flag, so that further callers do not wake the thread a second time.
                // Writes under the lock, because the thread closes the descriptor under the same lock.
                inbox.isAsleep = false
                Poller.wake(inbox.wake)
            }
            defer { inbox.isRunning = true }
            return !inbox.isRunning
        }
        if mustStart { startThread(named: "rxbt-dbus") { self.run() } }
    }

    /// Runs work immediately if the caller is on the loop's thread, else like ``perform(_:)``.
    func enter(_ work: @escaping Work) { if isCurrent { work() } else { perform(work) } }

    /// Runs work at the end of the present turn. Returns false if the caller is not on the loop's thread.
    func performAtEndOfTurn(_ work: @escaping Work) -> Bool {
        guard isCurrent else { return false }
        endOfTurn.append(work)
        return true
    }

    // MARK: Timers

    private final class Timer: Deadline, @unchecked Sendable {
        // Guard: only the loop's thread uses `work` after scheduling.
        var work: Work?

        init(_ work: @escaping Work) { self.work = work }

        override func expire() {
            let work = work
            self.work = nil
            if end() { work?() }
        }
    }

    /// Runs work on the loop's thread after a delay of monotonic time.
    @discardableResult
    func schedule(after delay: Duration, _ work: @escaping Work) -> BusTask {
        let timer = Timer(work)
        let due = MonotonicClock.moment(after: delay)
        enter { if !timer.isEnded { self.start(timer, due: due) } }
        return BusTask {
            guard timer.end() else { return }
            self.enter {
                self.stop(timer)
                timer.work = nil
            }
        }
    }

    /// Starts a deadline, unless `due` is `UInt64.max`, which means never. Only for the loop's thread.
    func start(_ entry: Deadline, due: UInt64) { if due != .max { timers.insert(entry, due: due) } }

    /// Removes a deadline. Only for the loop's thread.
    func stop(_ entry: Deadline) { timers.remove(entry) }

    // MARK: Sockets

    private final class WatchedSocket: @unchecked Sendable {
        // Guard: only the loop's thread changes `ready`.
        let socket: SharedSocket
        let events: Int16
        var ready: Work

        init(_ socket: SharedSocket, _ event: SharedSocket.Event, _ ready: @escaping Work) {
            self.socket = socket
            events =
                switch event {
                case .readable: Int16(POLLIN)
                case .writable: Int16(POLLOUT)
                }
            self.ready = ready
        }

        var descriptor: Int32 { socket.socket.number }
    }

    /// Calls `ready` on the loop's thread whenever the socket is ready.
    ///
    /// A second watch of a socket replaces the first.
    func watch(_ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping Work) -> BusTask {
        let watched = WatchedSocket(socket, event, ready)
        let isCancelled = Guarded(false)
        enter { if !isCancelled.withLock({ $0 }) { self.start(watched) } }
        return BusTask {
            isCancelled.withLock { $0 = true }
            self.enter {
                self.stop(watched)
                watched.ready = {}
            }
        }
    }

    private func start(_ socket: WatchedSocket) {
        sockets[socket.descriptor] = socket
        poller?.add(socket.descriptor, socket.events)
    }

    private func stop(_ socket: WatchedSocket) {
        guard sockets[socket.descriptor] === socket else { return }
        sockets[socket.descriptor] = nil
        poller?.remove(socket.descriptor)
    }

    // MARK: The thread

    private func run() {
        let client = client
        owner.store(Self.thisThread, ordering: .relaxed)
        var batch: [Work] = []
        while wait(&batch, client) {
            for work in batch { work() }
            batch.removeAll(keepingCapacity: batch.count < 256)
            let messages = client?.turn() ?? 0
            // Deadlines expire after the turn, so that a reply that has already arrived is delivered first.
            let now = MonotonicClock.now
            pauses.turnEnded(at: now, hasReceived: hasReceived, messages: messages + packets)
            while let entry = timers.popDue(at: now) { entry.expire() }
            let last = endOfTurn
            endOfTurn = []
            for work in last { work() }
        }
    }

    /// Sleeps until something is due, then moves the work of the inbox into `batch`.
    ///
    /// Returns false if the thread must end; the thread must not use the loop afterwards.
    private func wait(_ batch: inout [Work], _ client: (any EventLoopClient)?) -> Bool {
        let limit = client?.isBusy == true || !endOfTurn.isEmpty ? 0 : timers.earliest
        let canEnd = limit == nil && client?.isFinished != false && sockets.isEmpty
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
        let interest = client?.interest ?? Poller.Interest()
        let events: Int16
        if !mustPoll, limit != 0, mayPause(client), let end = pauses.begin() {
            let (now, end) = (MonotonicClock.now, min(end, limit ?? .max))
            if end > now { poller?.pause(nanoseconds: end - now) }
            events = sleep(until: 0, interest)
        } else {
            events = sleep(until: mustPoll ? 0 : limit, interest)
        }
        inbox.withLock {
            $0.isAsleep = false
            swap(&$0.work, &batch)
        }
        if events != 0 { client?.handle(events) }
        // Looks up each socket at its turn, because the callback of another socket may have removed it.
        let ready = poller?.takeReady() ?? []
        hasReceived = events != 0 || !ready.isEmpty
        packets = 0
        for descriptor in ready {
            guard let watched = sockets[descriptor] else { continue }
            let before = watched.socket.socket.receivedPackets
            watched.ready()
            packets += watched.socket.socket.receivedPackets - before
        }
        return true
    }

    /// Whether nothing is lost if the loop reads its descriptors a little later.
    private func mayPause(_ client: (any EventLoopClient)?) -> Bool {
        client?.mayPause == true && !sockets.values.contains { $0.events == Int16(POLLOUT) }
    }

    /// Returns the time until a moment. 0 stands for the present.
    private func milliseconds(until limit: UInt64) -> Int32 {
        let now = limit == 0 ? 0 : MonotonicClock.now
        // Rounds up; otherwise the thread would wake repeatedly just before a timer is due.
        return limit <= now ? 0 : Int32(clamping: (limit - now - 1) / 1_000_000 + 1)
    }

    private func sleep(until limit: UInt64?, _ interest: Poller.Interest) -> Int16 {
        let milliseconds = limit.map(milliseconds(until:)) ?? -1
        guard let poller else {
            // Q14: the process has no descriptor left for a poller. A short sleep replaces it, so that work still runs.
            usleep(milliseconds == 0 ? 0 : 10_000)
            return 0
        }
        return poller.wait(for: interest, milliseconds: milliseconds)
    }

    private func makePoller() {
        poller = Poller()
        for socket in sockets.values { poller?.add(socket.descriptor, socket.events) }
        let number = poller?.wakeNumber ?? -1
        inbox.withLock { $0.wake = number }
    }
}
