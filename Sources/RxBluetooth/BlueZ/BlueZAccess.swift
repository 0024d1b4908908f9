import DBus
import Rx

/// How the public types reach the bus's context: opens the bus when somebody first needs it, and again after it was lost.
final class BlueZAccess: Sendable {
    let settings: Settings
    private let open: @Sendable () -> any Bus
    private let phase = Guarded(Phase.idle)
    let peripherals = PeripheralTable()
    /// Each change of any connection.
    let connectionChanges = PublishSubject<ConnectionChange>()
    /// What the present client tells; nil while it has told nothing yet. Fails when the manager is closed.
    let reports = BehaviorSubject<ClientReport?>(value: nil)

    private enum Phase {
        case idle
        case open(ClientHandle)
        case closing(ClientHandle)
        case closed
    }

    init(settings: Settings, open: @escaping @Sendable () -> any Bus) {
        self.settings = settings
        self.open = open
    }

    /// The client, opened where it is not yet.
    func client() throws(BluetoothError) -> ClientHandle {
        switch phase.withLock({ $0 }) {
        case .open(let handle): return handle
        case .closing, .closed: throw BluetoothError(.closed)
        case .idle: return try opened()
        }
    }

    /// Opens a bus. What that calls is the user's, so it happens outside the lock; where two threads open at once, one
    /// of them lets its bus go again.
    private func opened() throws(BluetoothError) -> ClientHandle {
        let bus = open()
        let client = BlueZClient(
            bus: BusContext(bus), settings: settings, peripherals: peripherals, access: self)
        let handle = ClientHandle(Confined(client, to: bus))
        let (phase, isOurs): (Phase, Bool) = phase.withLock { phase in
            guard case .idle = phase else { return (phase, false) }
            phase = .open(handle)
            return (phase, true)
        }
        guard case .open(let present) = phase else { throw BluetoothError(.closed) }
        if isOurs {
            settings.clock.follow(bus.clock)
            reports.onNext(nil)
            handle.perform { $0.start() }
        }
        return present
    }

    /// The client tells how things are.
    func received(_ report: ClientReport, from client: BlueZClient) {
        // The next subscription opens a new bus, where this one was lost.
        let lost: Phase? = phase.withLock { phase in
            guard report.isFinal, case .open(let handle) = phase, handle.client.value === client else { return nil }
            defer { phase = .idle }
            return phase
        }
        reports.onNext(report)
        withExtendedLifetime(lost) {}
    }

    /// The client that is there, if any, also while it is being closed.
    var present: ClientHandle? {
        switch phase.withLock({ $0 }) {
        case .open(let handle), .closing(let handle): handle
        case .idle, .closed: nil
        }
    }

    /// Makes all later use fail, and shuts the client down; `done` runs when that is complete, also if it was under
    /// way or done already.
    func close(_ done: @escaping @Sendable () -> Void) {
        let (handle, isFirst): (ClientHandle?, Bool) = phase.withLock { phase in
            switch phase {
            case .open(let handle):
                phase = .closing(handle)
                return (handle, true)
            case .closing(let handle): return (handle, false)
            case .idle, .closed:
                defer { phase = .closed }
                if case .idle = phase { return (nil, true) }
                return (nil, false)
            }
        }
        if isFirst { reports.onError(BluetoothError(.closed)) }
        guard let handle else { return done() }
        handle.perform { client in
            client.shutDown()
            client.teardowns.onIdle {
                self.phase.withLock { $0 = .closed }
                client.bus.close()
                done()
            }
        }
    }
}

/// A share in a client. When the last one is let go, the client goes too: in its context, for that is where everything
/// of it lives, and after what is still being undone has reached bluetoothd.
final class ClientHandle: Sendable {
    let client: Confined<BlueZClient>

    init(_ client: Confined<BlueZClient>) { self.client = client }

    deinit {
        client.perform { client in
            client.teardowns.onIdle { client.bus.close() }
        }
    }

    /// Runs work in the client's context.
    func perform(_ work: @escaping @Sendable (BlueZClient) -> Void) { client.perform(work) }
}

extension BlueZAccess {
    /// A cold stream whose work happens in the bus's context: `begin` runs there for each subscription, and whatever it
    /// hands to ``Emitter/onEnd(_:)`` undoes it there. Elements are delivered on the manager's scheduler.
    func stream<Element: Sendable>(
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        Self.stream({ () throws(BluetoothError) in self }, begin).observe(on: settings.scheduler)
    }

    /// A stream that begins once it is known whether Bluetooth can be used. An error of `begin` fails it, as one of this operation.
    func operation<Element: Sendable>(
        _ operation: BluetoothError.Operation, on target: String? = nil,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) throws(BluetoothError) -> Void
    ) -> Observable<Element> {
        stream { client, emitter in client.begin(operation, target, emitter, begin) }
    }

    /// The same for somebody who does not keep the manager alive by himself; the subscription does. It still delivers in the
    /// bus's context.
    static func stream<Element: Sendable>(
        _ access: @escaping @Sendable () throws(BluetoothError) -> BlueZAccess,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        Observable<Element>.create { observer in
            do throws(BluetoothError) {
                let access = try access()
                let handle = try access.client()
                let emitter = handle.client.sibling(Emitter<Element> { observer.on($0) })
                let isGivenUp = Guarded(false)
                handle.perform { client in
                    // What was given up before its turn is never begun (S57).
                    if !isGivenUp.withLock({ $0 }) { begin(client, emitter.value) }
                }
                return Disposables.create {
                    isGivenUp.withLock { $0 = true }
                    withExtendedLifetime(access) { handle.perform { _ in emitter.value.dispose() } }
                }
            } catch {
                observer.onError(error)
                return Disposables.create()
            }
        }
    }
}

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

extension BlueZAccess {
    /// Emits once, when Bluetooth can be used with an adapter, whether that had to be waited for; then completes.
    ///
    /// It waits for as long as it takes: for bluetoothd and adapters by signals, without waking up; for a bus that was lost,
    /// of whose return nobody tells, by opening it again, with pauses that grow to 2 s. Fails where that is
    /// of no use: the manager was closed, or the permission is missing.
    func waitUntilUsable(_ selection: AdapterSelection) -> Observable<Bool> {
        Observable.deferred { [self] in
            let handle = try client()
            let waits = Guarded((hasWaited: false, losses: 0))
            return reports.compactMap { $0 }
                .flatMapLatest { [self] report -> Observable<Bool> in
                    let state = report.state(selection)
                    if state == .unauthorized { throw BluetoothError(.permissionDenied) }
                    if state == .poweredOn {
                        return .just(waits.withLock(\.hasWaited))
                    }
                    let losses = waits.withLock { waits in
                        waits.hasWaited = true
                        if report.isFinal { waits.losses += 1 }
                        return waits.losses
                    }
                    guard report.isFinal else { return .never() }
                    var pauses = Backoff(first: .milliseconds(250), longest: .seconds(2))
                    return pause(pauses.pause(after: losses - 1))
                        .flatMap { [self] _ -> Observable<Bool> in
                            _ = try client()
                            return .never()
                        }
                }
                .take(1)
                .do(onDispose: { withExtendedLifetime(handle) {} })
        }
        .observe(on: settings.scheduler)
    }

    /// Emits once after a while.
    func pause(_ duration: Duration) -> Observable<Int> {
        duration > .zero ? .timer(duration.timeInterval, scheduler: settings.scheduler) : .just(0)
    }

    /// Fails when the manager is closed, and does nothing else.
    func untilClosed<Element: Sendable>() -> Observable<Element> {
        reports.flatMap { _ in Observable<Element>.empty() }.concat(Observable.never()).observe(on: settings.scheduler)
    }
}

extension BluetoothError {
    /// Whether Bluetooth itself is away, and not only the peripheral: what is waited for by a state.
    var isOutage: Bool {
        switch kind {
        case .busUnavailable, .daemonUnavailable, .noAdapter, .adapterOff, .adapterBlocked: true
        case .disconnected(let reason): [.adapter, .daemon, .bus, .suspend].contains(reason)
        default: false
        }
    }

    /// Whether the link was lost, or is not there.
    var isLossOfLink: Bool {
        switch kind {
        case .disconnected(let reason): reason != .requested
        case .notConnected: true
        default: isOutage
        }
    }
}
