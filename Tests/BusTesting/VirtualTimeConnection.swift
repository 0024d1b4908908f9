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

    /// Runs work in the context of the connection.
    private static func run(
        _ work: @escaping @Sendable () -> Void, _ inner: Connection, _ runner: CallbackRunner
    ) {
        // The work may not have begun when the clock advances again, so it counts already.
        runner.activity.note()
        inner.perform { runner.run(work) }
    }

    func perform(_ work: @escaping @Sendable () -> Void) {
        let work = ContextWork(work, inner)
        let begin: @Sendable () -> Void = { [inner, runner] in Self.run({ work.run() }, inner, runner) }
        if runner.isCurrent { return begin() }
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
                Self.run({ once.take()?() }, inner, runner)
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
        return BusTask { [runner] in
            runner.activity.note()
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
        bus.activity.note()
        let subscription = inner.subscribe(rule) { [runner] message in runner.run { handler(message) } }
        return BusTask { [runner] in
            runner.activity.note()
            subscription.cancel()
        }
    }

    func export(
        at path: ObjectPath, includingChildren: Bool, _ handler: @escaping @Sendable (IncomingCall) -> Void
    ) -> BusTask {
        bus.activity.note()
        return inner.export(at: path, includingChildren: includingChildren) { [runner] call in
            runner.run { handler(call) }
        }
    }

    func requestName(_ name: String, _ done: @escaping @Sendable (DBusError?) -> Void) {
        bus.activity.note()
        inner.requestName(name) { [runner] error in runner.run { done(error) } }
    }

    func whenDisconnected(_ handler: @escaping @Sendable (DBusError) -> Void) -> BusTask {
        inner.whenDisconnected { [runner] error in runner.run { handler(error) } }
    }

    // This examines the socket each virtual millisecond, because the kernel does not use the test's clock.
    func watch(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ ready: @escaping @Sendable () -> Void
    ) -> BusTask {
        let isCancelled = CancelFlag()
        poll(socket, for: event, isCancelled, SingleUse(ready))
        return BusTask { isCancelled.set() }
    }

    private func poll(
        _ socket: SharedSocket, for event: SharedSocket.Event, _ isCancelled: CancelFlag,
        _ ready: SingleUse<@Sendable () -> Void>
    ) {
        _ = bus.scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { [weak self] in
            guard let self else { return Disposables.create() }
            if isCancelled.isSet {
                // The objects of the handler belong to the context, so it is released there.
                Self.run({ _ = ready.take() }, inner, runner)
                return Disposables.create()
            }
            if socket.isReady(for: event) {
                Self.run({ if !isCancelled.isSet { ready.value?() } }, inner, runner)
            }
            poll(socket, for: event, isCancelled, ready)
            return Disposables.create()
        }
    }

    func close() {
        bus.activity.note()
        bus.left(inner.uniqueName)
        inner.close()
    }
}

/// Runs the callbacks of a member, and records the thread on which they run.
private final class CallbackRunner: Sendable {
    let activity: ActivityCounter
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

    var value: Content? { content.withLock { $0 } }

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
