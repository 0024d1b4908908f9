public import DBus
public import Dispatch
public import Logging
public import Rx

/// The way to Bluetooth: its state, scans, and from these to peripherals.
///
/// Nothing happens before a stream is subscribed to; disposing of a subscription undoes what it started. Elements, errors
/// and completions are delivered on the queue that the manager was made with. A manager may be used from any
/// thread. It lives as long as it, or a subscription to one of its streams, is kept; then its connection to
/// the bus is closed.
public final class BluetoothManager: Sendable {
    let access: BlueZAccess
    /// With which adapter it works.
    let selection: AdapterSelection

    /// Makes a manager that speaks to bluetoothd over the system bus.
    ///
    /// - Parameters:
    ///   - queue: Where streams deliver. Default: the main queue.
    ///   - adapter: Which adapter to work with. Default: the first that is usable.
    ///   - deadlines: How long to wait for answers.
    ///   - pairing: How to answer what bluetoothd asks about pairings. Default: agree to nothing.
    ///   - logger: Where to tell what happens, at level warning and below. Default: nowhere.
    ///   - logContents: Whether log lines may name devices (S84). Default: no address, no name and no value.
    public convenience init(
        queue: DispatchQueue = .main, adapter: AdapterSelection = .automatic, deadlines: Deadlines = Deadlines(),
        pairing: PairingPolicy = PairingPolicy(), logger: Logger = silentLogger,
        logContents: LogContents = .redacted
    ) {
        self.init(
            scheduler: SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "RxBluetooth"),
            adapter: adapter, deadlines: deadlines, pairing: pairing, logger: logger, logContents: logContents,
            controller: HCIController()
        ) { Connection.open(.system) }
    }

    /// Makes a manager that speaks over a given bus: for tests, on the loop-back bus of the mocks and virtual time.
    ///
    /// - Parameters:
    ///   - bus: The bus, which the manager closes at its end. Deadlines run on its clock.
    ///   - scheduler: Where streams deliver.
    ///   - adapter: Which adapter to work with. Default: the first that is usable.
    ///   - deadlines: How long to wait for answers.
    ///   - pairing: How to answer what bluetoothd asks about pairings. Default: agree to nothing.
    ///   - logger: Where to tell what happens, at level warning and below. Default: nowhere.
    ///   - logContents: Whether log lines may name devices (S84). Default: no address, no name and no value.
    ///   - controller: What answers for the adapter's controller. Default: nobody, and ``Peripheral/readRSSI()`` is unsupported.
    public convenience init(
        bus: any Bus, scheduler: any SchedulerType, adapter: AdapterSelection = .automatic,
        deadlines: Deadlines = Deadlines(), pairing: PairingPolicy = PairingPolicy(), logger: Logger = silentLogger,
        logContents: LogContents = .redacted,
        controller: (any HostController)? = nil
    ) {
        self.init(
            scheduler: scheduler, adapter: adapter, deadlines: deadlines, pairing: pairing, logger: logger,
            logContents: logContents,
            controller: controller
        ) { bus }
    }

    /// Makes a manager that opens its bus when it is first needed, and again when it is needed after it was lost.
    /// The parameters are those of the other initialisers.
    public init(
        scheduler: any SchedulerType, adapter: AdapterSelection = .automatic, deadlines: Deadlines = Deadlines(),
        pairing: PairingPolicy = PairingPolicy(), logger: Logger = silentLogger, logContents: LogContents = .redacted,
        controller: (any HostController)? = nil,
        openingBus open: @escaping @Sendable () -> any Bus
    ) {
        selection = adapter
        access = BlueZAccess(
            settings: Settings(
                adapter: adapter, deadlines: deadlines, scheduler: scheduler, pairing: pairing,
                eventLog: EventLog(logger, logContents, on: scheduler), controller: controller),
            open: open)
    }

    private init(_ access: BlueZAccess, _ selection: AdapterSelection) {
        self.access = access
        self.selection = selection
    }

    /// This manager with another adapter, for programs that work with several at a time.
    ///
    /// Its ``state``, scans, known and retrieved peripherals and diagnosis are those of that adapter, which may be plugged in later.
    /// Everything else is shared: the connection to the bus, deadlines, pairing, events, and ``close()``, which
    /// ends both. A device that two adapters hear is two peripherals, each of its adapter; what goes on over one adapter
    /// is not disturbed by what happens to another.
    public func using(_ adapter: AdapterSelection) -> BluetoothManager { BluetoothManager(access, adapter) }

    /// Whether Bluetooth can be used: the present state first, then each change (S2, S3).
    ///
    /// Never completes, and fails only when the manager is closed: a bluetoothd or an adapter that is not there is a state,
    /// and the stream goes on when it comes (Q1, Q26). Hot as to the state, cold as to the connection to the bus, which the
    /// first subscription opens.
    public var state: Observable<BluetoothState> {
        reports.map { [selection] in $0.state(selection) }.distinctUntilChanged().observe(on: access.settings.scheduler)
    }

    /// The machine's adapters by number: the present ones first, then each change. An empty list while bluetoothd does
    /// not run. Never completes, and fails only when the manager is closed.
    public var adapters: Observable<[Adapter]> {
        reports.map { [selection] in $0.adapters(selection) }.distinctUntilChanged().observe(
            on: access.settings.scheduler)
    }

    private var reports: Observable<BlueZClient.Report> {
        let (access, selection) = (access, selection)
        return Observable.deferred {
            let handle = try access.client()
            // What is chosen once is kept.
            handle.perform { client in client.onStateKnown { _ = $0.choice(selection) } }
            return access.reports.compactMap { $0 }.do(onDispose: { withExtendedLifetime((access, handle)) {} })
        }
    }

    /// Completes when everything that disposing has set going has been answered by bluetoothd: scans stopped,
    /// links closed, notifications off (S44). Never fails; what is not answered ends by its own deadline.
    public func settled() -> Completable {
        let access = access
        return Completable.create { observer in
            guard let handle = access.present else {
                observer(.completed)
                return Disposables.create()
            }
            handle.perform { client in
                client.teardowns.onIdle { observer(.completed) }
            }
            return Disposables.create()
        }
        // A stream that ends tells so first and undoes itself next, both in one turn where it delivers. Who awaits the
        // end and asks then is behind that turn.
        .subscribe(on: access.settings.scheduler)
        .observe(on: access.settings.scheduler)
    }

    /// Completes when bluetoothd has received every request that disposing has sent, without waiting for its answers.
    ///
    /// ``settled()`` waits for the answers too. bluetoothd answers `Disconnect` 2 s after it has received it; a program that ends
    /// need not wait for that. A request that depends on another answer, as after a pairing that is called off, is not included.
    /// Completes at once without a bus, fails never, and waits ``Deadlines/cleanup`` at most. Cold.
    public func delivered() -> Completable {
        let access = access
        return Completable.create { observer in
            guard let handle = access.present else {
                observer(.completed)
                return Disposables.create()
            }
            // The bus keeps the order of messages from one sender to one receiver, so the answer comes after all of them.
            handle.perform { client in
                // A call would start a bluetoothd that was stopped.
                guard client.owner != nil else { return observer(.completed) }
                // The call has no deadline of its own as long as it waits behind others (Q9).
                let limit = client.settings.deadlines.cleanup
                let deadline = client.bus.schedule(after: limit) { observer(.completed) }
                // Later, because some of what was disposed of is sent by work that waits in the context.
                client.bus.perform {
                    client.call(
                        path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping", deadline: limit
                    ) { _ in
                        deadline.cancel()
                        observer(.completed)
                    }
                }
            }
            return Disposables.create()
        }
        .subscribe(on: access.settings.scheduler)
        .observe(on: access.settings.scheduler)
    }

    /// Ends everything: what is under way fails with ``BluetoothError/Kind/closed``, links that this manager made are
    /// closed, and then its connection to the bus. Completes when that is done, however often it is asked. Later use fails
    /// with the same error. It begins when it is subscribed to, and disposing does not take it back.
    public func close() -> Completable {
        let access = access
        return Completable.create { observer in
            access.close { observer(.completed) }
            return Disposables.create()
        }
        .observe(on: access.settings.scheduler)
    }
}
