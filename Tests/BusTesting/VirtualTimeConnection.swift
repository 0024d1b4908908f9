import DBus
import Dispatch
import Glibc
import Rx
import RxBluetoothMocks
import RxTest
import Synchronization

/// A member of a ``VirtualTimeBus``: a connection of libdbus with deadlines on the test's clock.
///
/// Work that another thread passes in begins when the clock advances next, as on the loop-back bus.
final class VirtualTimeConnection: ForwardingBus {
    private let inner: Connection
    private let bus: VirtualTimeBus
    private let runner: CallbackRunner
    let clock: BusClock
    package var forwardingTarget: any Bus { inner }

    init(_ inner: Connection, on bus: VirtualTimeBus) {
        self.inner = inner
        self.bus = bus
        runner = CallbackRunner(bus.activity)
        let elapsed = ElapsedClock(bus.scheduler)
        clock = BusClock { elapsed.time }
    }

    deinit { bus.left(inner.uniqueName) }

    func perform(_ work: @escaping @Sendable () -> Void) {
        let work = ContextWork(work, inner)
        let begin: @Sendable () -> Void = { [inner, runner] in inner.perform { runner.run { work.run() } } }
        if runner.isCurrent { return begin() }
        bus.activity.note()
        _ = bus.scheduler.schedule(()) {
            begin()
            return Disposables.create()
        }
    }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> BusTask {
        guard let due = DispatchTimeInterval(busDelay: delay) else { return BusTask {} }
        let once = SingleUse(work)
        // The timer does not retain the connection. If the connection is released, no context is left, so the work runs
        // on the clock's thread.
        let timer = bus.scheduler.scheduleRelative((), dueTime: due) { [weak inner, runner] in
            if let inner {
                inner.perform { runner.run { once.take()?() } }
            } else {
                once.take()?()
            }
            return Disposables.create()
        }
        return BusTask {
            let work = once.take()
            timer.dispose()
            withExtendedLifetime(work) {}
        }
    }

    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        bus.activity.note()
        let once = SingleUse(reply)
        let deadline = schedule(after: timeout) {
            let error = DBusError(name: DBusError.Name.noReply, message: "No reply came within \(timeout).")
            once.take()?(.failure(error))
        }
        let call = inner.call(message, timeout: .seconds(Int64.max)) { [runner] result in
            deadline.cancel()
            runner.run { once.take()?(result) }
        }
        return BusTask {
            let reply = once.take()
            call.cancel()
            deadline.cancel()
            withExtendedLifetime(reply) {}
        }
    }

    func send(_ message: Message) {
        bus.activity.note()
        inner.send(message)
    }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        inner.subscribe(rule) { [runner] message in runner.run { handler(message) } }
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask {
        inner.export(at: path, includingChildren: includingChildren) { [runner] call in
            runner.run { handler(call) }
        }
    }

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        inner.requestName(name) { [runner] error in runner.run { done(error) } }
    }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        inner.whenDisconnected { [runner] error in runner.run { handler(error) } }
    }

    // This polls the socket each virtual millisecond, because the kernel does not use the test's clock.
    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask {
        let isCancelled = CancelFlag()
        poll(isCancelled) { withExtendedLifetime(socket, ready) }
        return BusTask { isCancelled.set() }
    }

    private func poll(_ isCancelled: CancelFlag, _ ready: @escaping @Sendable () -> Void) {
        _ = schedule(after: .milliseconds(1)) { [weak self] in
            guard !isCancelled.isSet else { return }
            ready()
            if !isCancelled.isSet { self?.poll(isCancelled, ready) }
        }
    }

    func close() {
        bus.left(inner.uniqueName)
        inner.close()
    }
}

/// Runs the callbacks of a member, and records the thread on which they run.
private final class CallbackRunner: Sendable {
    private let activity: ActivityCounter
    private let thread = Atomic<UInt>(0)

    init(_ activity: ActivityCounter) { self.activity = activity }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    func run(_ work: () -> Void) {
        activity.note()
        let before = thread.exchange(UInt(pthread_self()), ordering: .relaxed)
        work()
        thread.store(before, ordering: .relaxed)
    }
}

/// Work of a connection's context.
///
/// If the clock does not advance any more, the work never runs. It is then released in the context, because its objects
/// belong to the context.
private final class ContextWork: Sendable {
    private let work: SingleUse<@Sendable () -> Void>
    private let connection: Connection

    init(_ work: @escaping @Sendable () -> Void, _ connection: Connection) {
        self.work = SingleUse(work)
        self.connection = connection
    }

    deinit {
        guard let rest = work.take() else { return }
        connection.perform { withExtendedLifetime(rest) {} }
    }

    func run() { work.take()?() }
}

/// A value that can be taken once.
private final class SingleUse<Content: Sendable>: Sendable {
    private let content: Guarded<Content?>

    init(_ content: Content) { self.content = Guarded(content) }

    func take() -> Content? {
        content.withLock { content in
            defer { content = nil }
            return content
        }
    }
}

/// A flag that can only be set.
private final class CancelFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .acquiring) }

    func set() { state.store(true, ordering: .releasing) }
}
