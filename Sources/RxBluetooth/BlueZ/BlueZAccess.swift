import DBus
import Rx

/// Gives the public types access to the client in the bus context.
///
/// It opens the bus on first use, and again after the bus was lost.
final class BlueZAccess: Sendable {
    let settings: Settings
    private let open: @Sendable () -> any Bus
    private let phase = Guarded(Phase.idle)
    let peripherals = PeripheralTable()
    /// Emits each change of any connection.
    let connectionChanges = PublishSubject<ConnectionChange>()
    /// Emits the client's latest report; nil before the first one. Fails when the manager is closed.
    let reports = BehaviorSubject<ClientReport?>(value: nil)

    /// The phase of the client: not opened, open, being closed, or closed.
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

    /// Returns the client; opens a bus if there is none. Throws if the manager is closed.
    func client() throws(BluetoothError) -> ClientHandle {
        switch phase.withLock({ $0 }) {
        case .open(let handle): return handle
        case .closing, .closed: throw BluetoothError(.closed)
        case .idle: return try openClient()
        }
    }

    /// Opens a bus, and returns the client on it.
    ///
    /// `open` is the user's code, so it runs outside the lock. If two threads open a bus at the same time, both use the
    /// first client, and the second bus is released.
    private func openClient() throws(BluetoothError) -> ClientHandle {
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
            settings.delivery.follow(bus)
            reports.onNext(nil)
            handle.perform { $0.start() }
        }
        return present
    }

    /// Publishes a report of a client.
    func publish(_ report: ClientReport, from client: BlueZClient) {
        // If this client's bus is lost, the phase becomes idle, so that the next subscription opens a new bus.
        let lost: Phase? = phase.withLock { phase in
            guard report.isFinal, case .open(let handle) = phase, handle.client.value === client else { return nil }
            defer { phase = .idle }
            return phase
        }
        reports.onNext(report)
        withExtendedLifetime(lost) {}
    }

    /// The client if there is one, also while it is being closed.
    var present: ClientHandle? {
        switch phase.withLock({ $0 }) {
        case .open(let handle), .closing(let handle): handle
        case .idle, .closed: nil
        }
    }

    /// Closes the client; later use fails.
    ///
    /// Runs `done` when the client is closed, also if an earlier call has closed it or is closing it.
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
                // A later turn, because the code that ends the last teardown may still use the client.
                client.bus.perform {
                    self.phase.withLock { $0 = .closed }
                    client.bus.close()
                    done()
                }
            }
        }
    }
}

/// A shared reference to a client.
///
/// Releasing the last reference closes the client's bus. This happens in the bus context, after pending teardowns have
/// ended.
final class ClientHandle: Sendable {
    let client: Confined<BlueZClient>

    init(_ client: Confined<BlueZClient>) { self.client = client }

    deinit {
        client.perform { client in client.closeWhenIdle() }
    }

    /// Runs work in the bus context.
    func perform(_ work: @escaping @Sendable (BlueZClient) -> Void) { client.perform(work) }
}

/// A reference of a public object to its manager. It does not keep the manager alive.
struct AccessReference: Sendable {
    private weak let access: BlueZAccess?
    private let delivery: DeliveryQueue

    init(_ access: BlueZAccess) {
        self.access = access
        delivery = access.settings.delivery
    }

    /// Returns a stream like that of ``BlueZAccess``, which fails as closed after the manager is released.
    func stream<Element: Sendable>(
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        BlueZAccess.stream(
            by: delivery,
            { [weak access] () throws(BluetoothError) in
                guard let access else { throw BluetoothError(.closed) }
                return access
            }, begin)
    }
}

extension BlueZAccess {
    /// Returns a cold stream that works in the bus context.
    ///
    /// `begin` runs in the bus context for each subscription. The closure that it passes to ``Emitter/onEnd(_:)``
    /// undoes the work, also in the bus context. Elements are delivered on the manager's scheduler.
    func stream<Element: Sendable>(
        within buffer: DeliveryBuffer<Element> = .unlimited,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        Self.stream(by: settings.delivery, within: buffer, { () throws(BluetoothError) in self }, begin)
    }

    /// Returns a stream that begins when it is known whether Bluetooth can be used.
    ///
    /// If `begin` throws, the stream fails with that error, which names the operation and the target.
    func operation<Element: Sendable>(
        _ operation: BluetoothError.Operation, on target: String? = nil,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) throws(BluetoothError) -> Void
    ) -> Observable<Element> {
        stream { client, emitter in client.begin(operation, target, emitter, begin) }
    }

    /// Returns a cold stream with subscriptions that keep the manager alive, for callers that do not.
    ///
    /// It works like the stream of the instance method.
    static func stream<Element: Sendable>(
        by queue: DeliveryQueue, within buffer: DeliveryBuffer<Element> = .unlimited,
        _ access: @escaping @Sendable () throws(BluetoothError) -> BlueZAccess,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        Observable<Element>.createSerial { observer in
            let delivery = StreamDelivery(observer, queue, buffer)
            do throws(BluetoothError) {
                let access = try access()
                let handle = try access.client()
                let emitter = handle.client.sibling(Emitter<Element> { delivery.enqueue($0) })
                let isGivenUp = Guarded(false)
                handle.perform { client in
                    // If the subscription is disposed of before this work runs, it never begins (S57).
                    if !isGivenUp.withLock({ $0 }) { begin(client, emitter.value) }
                }
                return Disposables.create {
                    isGivenUp.withLock { $0 = true }
                    delivery.stop()
                    withExtendedLifetime(access) { handle.perform { _ in emitter.value.dispose() } }
                }
            } catch {
                delivery.enqueue(.error(error))
                return Disposables.create { delivery.stop() }
            }
        }
    }
}

/// Counts teardowns in progress, for example a scan that stops or a link that closes (S44).
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

    /// Runs work when no teardown is in progress: at once, or later.
    func onIdle(_ work: @escaping () -> Void) {
        if running == 0 { work() } else { waiting.append(work) }
    }
}

extension BlueZAccess {
    /// Emits once when Bluetooth can be used with an adapter: true if the stream had to wait.
    ///
    /// The stream then completes. It waits as long as necessary. Signals announce bluetoothd and adapters. No signal
    /// announces that a lost bus is back, so the stream opens the bus again, after pauses of at most 2 s. It fails if
    /// waiting is useless: the manager is closed, or permission is missing.
    func waitUntilUsable(_ selection: AdapterSelection) -> Observable<Bool> {
        Observable.deferred { [self] in
            let handle = try client()
            let waits = Guarded((hasWaited: false, losses: 0))
            return reports.compactMap { $0 }
                .flatMapLatest { [self] report -> Observable<Bool> in
                    let state = report.state(selection)
                    if state == .unauthorized { throw report.error(selection) ?? BluetoothError(.unauthorized) }
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

    /// Emits one element after a delay.
    func pause(_ duration: Duration) -> Observable<Int> {
        duration > .zero ? .timer(duration.timeInterval, scheduler: settings.scheduler) : .just(0)
    }

    /// Returns the same stream, but each subscription keeps the manager alive.
    func keptAlive<Element>(by stream: Observable<Element>) -> Observable<Element> {
        stream.do(onDispose: { [self] in withExtendedLifetime(self) {} })
    }

    /// Emits no elements, and fails when the manager is closed.
    func untilClosed<Element: Sendable>() -> Observable<Element> {
        reports.flatMap { _ in Observable<Element>.empty() }.concat(Observable.never()).observe(on: settings.scheduler)
    }
}

extension BluetoothError {
    /// Whether Bluetooth itself is unavailable, and not only the peripheral.
    ///
    /// Such an outage ends with a change of the state of Bluetooth.
    var isOutage: Bool {
        switch kind {
        case .busUnavailable, .daemonUnavailable, .noAdapter, .poweredOff, .blocked: true
        case .disconnected(let reason): [.adapter, .daemon, .bus, .suspend].contains(reason)
        default: false
        }
    }

    /// Whether the link was lost or does not exist, also because Bluetooth is unavailable.
    var isLossOfLink: Bool {
        switch kind {
        case .disconnected(let reason): reason != .requested
        case .notConnected: true
        default: isOutage
        }
    }
}
