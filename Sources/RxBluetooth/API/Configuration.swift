public import Dispatch
public import Logging
public import Rx

extension BluetoothManager {
    /// How a manager works: its adapter, where it delivers, deadlines, pairing and the log.
    ///
    /// Each property has a default. Set only what differs, for example with `.init(adapter: .named("hci1"))`. A manager
    /// copies its configuration: a change of the value afterwards does not affect it.
    public struct Configuration: Sendable {
        /// The adapter to work with. Default: ``AdapterSelection/automatic``.
        public var adapter: AdapterSelection
        /// Delivers the elements, errors and completions of all streams. Default: the main queue.
        ///
        /// Time stamps are its `now`. Deadlines do not run on it, but on the clock of the bus.
        public var scheduler: any SchedulerType
        /// How long to wait for replies. Default: see ``Deadlines``.
        public var deadlines: Deadlines
        /// How to answer pairing requests. Default: decline all, see ``PairingPolicy``.
        public var pairing: PairingPolicy
        /// Where to log, at level warning and below. Default nil: nowhere.
        public var logger: Logger?
        /// Whether log lines may contain data of devices. Default: no address, no name and no value.
        public var logContents: LogContents
        /// The source for what bluetoothd does not report, such as the RSSI of a link. Default: nil.
        ///
        /// If nil, a manager on the system bus asks the adapter's own controller. A manager on a given bus has none,
        /// because the adapters of that bus may be simulated: ``Peripheral/readRSSI()`` then fails with
        /// ``BluetoothError/Kind/unsupported``.
        public var controller: (any HostController)?

        /// Makes a configuration that delivers on a dispatch queue.
        ///
        /// - Parameters:
        ///   - adapter: The adapter to work with. Default: ``AdapterSelection/automatic``.
        ///   - queue: The queue on which streams deliver, one event at a time. Default: the main queue.
        ///   - deadlines: How long to wait for replies. Default: see ``Deadlines``.
        ///   - pairing: How to answer pairing requests. Default: decline all.
        ///   - logger: Where to log. Default nil: nowhere.
        ///   - logContents: Whether log lines may contain data of devices. Default: no.
        public init(
            adapter: AdapterSelection = .automatic, queue: DispatchQueue = .main, deadlines: Deadlines = Deadlines(),
            pairing: PairingPolicy = PairingPolicy(), logger: Logger? = nil, logContents: LogContents = .redacted
        ) {
            self.init(
                adapter: adapter,
                scheduler: SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "RxBluetooth"),
                deadlines: deadlines, pairing: pairing, logger: logger, logContents: logContents)
        }

        /// Makes a configuration that delivers on a scheduler, for example one with virtual time.
        ///
        /// - Parameters:
        ///   - adapter: The adapter to work with. Default: ``AdapterSelection/automatic``.
        ///   - scheduler: The scheduler on which streams deliver. It must be serial.
        ///   - deadlines: How long to wait for replies. Default: see ``Deadlines``.
        ///   - pairing: How to answer pairing requests. Default: decline all.
        ///   - logger: Where to log. Default nil: nowhere.
        ///   - logContents: Whether log lines may contain data of devices. Default: no.
        public init(
            adapter: AdapterSelection = .automatic, scheduler: any SchedulerType, deadlines: Deadlines = Deadlines(),
            pairing: PairingPolicy = PairingPolicy(), logger: Logger? = nil, logContents: LogContents = .redacted
        ) {
            self.adapter = adapter
            self.scheduler = scheduler
            self.deadlines = deadlines
            self.pairing = pairing
            self.logger = logger
            self.logContents = logContents
        }
    }
}

/// Which adapter a manager works with. A gateway may have several.
public enum AdapterSelection: Hashable, Sendable {
    /// The best adapter that is present.
    ///
    /// It is an adapter that can be a central. Adapters that are on take precedence, then those with fewer connected
    /// devices, whichever program connected them, then lower numbers. The choice changes only if the adapter is
    /// removed, or off while another one is on.
    case automatic
    /// The adapter with this name, for example `hci1`.
    ///
    /// Names may change when adapters are plugged in again, so the manager then follows the adapter by its address.
    /// While that adapter is absent, another one with the name is used.
    case named(String)
    /// The adapter with this address, whatever its name.
    case address(BluetoothAddress)

    /// The adapter with this number: 1 is ``named(_:)`` with `hci1`.
    public static func number(_ number: Int) -> AdapterSelection { .named("hci\(number)") }
}

/// How long a manager waits before an operation fails with ``BluetoothError/Kind/timedOut``.
///
/// Deadlines run on the clock of the bus: the kernel's monotonic clock, which stops during a suspend, or virtual time
/// in tests. Setting the wall clock changes nothing. A deadline of zero or less fails at once, and one that is too long
/// to count never ends.
public struct Deadlines: Sendable {
    /// Connecting. Default: 30 s.
    public var connect: Duration = .seconds(30)
    /// Reading the services of a peripheral after connecting. Default: 30 s.
    public var services: Duration = .seconds(30)
    /// A read, a write, or turning notifications on. Default: 30 s, as in ATT.
    ///
    /// It begins when the operation has its turn.
    public var operation: Duration = .seconds(30)
    /// A pairing, with its connection and the time that a person needs to answer. Default: 90 s.
    ///
    /// It begins when the pairing has its turn.
    public var pair: Duration = .seconds(90)
    /// Disconnecting. Default: 5 s.
    public var disconnect: Duration = .seconds(5)
    /// How long to hold back a link loss that the adapter may have caused. Default: 0.25 s.
    ///
    /// If the adapter is switched off meanwhile, the reason of the loss is ``BluetoothError/DisconnectReason/adapter``.
    /// The kernel closes the links of an adapter before it reports that the adapter is off; with one link, this took
    /// 0.07 s. With zero, a loss is emitted at once, and one that the adapter caused has no reason or a wrong one.
    public var disconnectReasonGrace: Duration = .milliseconds(250)
    /// Reading the RSSI of a link from the controller. Default: 5 s.
    public var rssi: Duration = .seconds(5)
    /// Starting a scan. Default: 15 s.
    public var startScan: Duration = .seconds(15)
    /// Stopping a scan. Default: 5 s.
    public var stopScan: Duration = .seconds(5)
    /// The first list of bluetoothd's objects. Default: 8 s.
    ///
    /// After it, ``BluetoothManager/state`` is ``BluetoothState/daemonUnavailable`` until the list arrives. The manager
    /// repeats the request meanwhile.
    public var snapshot: Duration = .seconds(8)
    /// A diagnosis. Default: 2 s. After it, the diagnosis contains what was found until then.
    public var diagnosis: Duration = .seconds(2)
    /// Undoing what a subscription started. Default: 2 s.
    public var cleanup: Duration = .seconds(2)

    /// Makes the defaults.
    public init() {}
}
