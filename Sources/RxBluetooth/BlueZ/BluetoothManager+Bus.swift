public import DBus
public import Dispatch
public import Logging
public import Rx

extension BluetoothManager {
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
    public convenience init(
        scheduler: any SchedulerType, adapter: AdapterSelection = .automatic, deadlines: Deadlines = Deadlines(),
        pairing: PairingPolicy = PairingPolicy(), logger: Logger = silentLogger, logContents: LogContents = .redacted,
        controller: (any HostController)? = nil,
        openingBus open: @escaping @Sendable () -> any Bus
    ) {
        let settings = Settings(
            adapter: adapter, deadlines: deadlines, scheduler: scheduler, pairing: pairing,
            eventLog: EventLog(logger, logContents, on: scheduler), controller: controller)
        self.init(BlueZAccess(settings: settings, open: open), adapter)
    }
}

extension BlueZClient {
    /// Runs work when bluetoothd has received every message that was sent so far, or at the end of a deadline.
    func afterDelivery(_ done: @escaping () -> Void) {
        // A call would start a bluetoothd that was stopped.
        guard owner != nil else { return done() }
        // The call has no deadline of its own as long as it waits behind others (Q9).
        let limit = settings.deadlines.cleanup
        let deadline = bus.schedule(after: limit, done)
        // Later, because some of what was disposed of is sent by work that waits in the context. The bus keeps the order of
        // messages from one sender to one receiver, so the reply comes after all of them.
        bus.perform { [self] in
            call(.ping, deadline: limit) { _ in
                deadline.cancel()
                done()
            }
        }
    }
}
