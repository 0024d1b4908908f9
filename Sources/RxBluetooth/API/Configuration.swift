public import BluetoothValues
public import Dispatch
public import Logging
public import Rx

extension BluetoothManager {
    /// The settings of a manager: adapter, scheduler, deadlines, pairing and log.
    ///
    /// Each property has a default. Set only what differs, for example with `.init(adapter: .named("hci1"))`. A manager
    /// copies its configuration, so later changes of the value do not affect the manager.
    public struct Configuration: Sendable {
        /// The adapter that the manager works with. Default: ``AdapterSelection/automatic``.
        public var adapter: AdapterSelection
        /// The scheduler on which streams deliver elements, errors and completions. Default: the main queue.
        ///
        /// With ``Delivery/inBusContext``, streams do not use the scheduler; its clock and timers are still used.
        /// Time stamps are the `now` of the scheduler. Deadlines run on the clock of the bus, see ``Deadlines``.
        public var scheduler: any SchedulerType
        /// When and where streams deliver their events. Default: ``Delivery/immediate``.
        public var delivery: Delivery = .immediate
        /// The time between two readings of messages while they arrive quickly. Default: 20 ms.
        ///
        /// At more than about 200 messages a second, waking up for each costs more than handling it. So while messages
        /// follow each other in less than 5 ms, and less than half of this time, the manager reads all that have
        /// arrived in this time together: each advertisement or value is at most this late. The first message after a
        /// quiet time is read at once, and so is everything while a call to bluetoothd waits for its reply. With zero,
        /// each message is read at once; values over 1 s count as 1 s. Applies to managers that open the system bus
        /// themselves.
        public var readingInterval: Duration = .milliseconds(20)
        /// Whether the properties of devices are followed while there is no scan and no link.
        package var followsIdleDevices = true
        /// How long to wait for replies. Default: see ``Deadlines``.
        public var deadlines: Deadlines
        /// How to answer pairing requests. Default: decline all, see ``PairingPolicy``.
        public var pairing: PairingPolicy
        /// The logger for events; its most severe level is warning. Default: nil, no log.
        public var logger: Logger?
        /// Whether log lines may contain addresses, names and values of devices. Default: no.
        public var logContents: LogContents
        /// The source of values that bluetoothd does not report, such as the RSSI of a link. Default: nil.
        ///
        /// If nil, a manager on the system bus reads these values from the adapter's own controller. A manager on a
        /// given bus cannot read them, because the adapters of that bus may be simulated: ``Peripheral/readRSSI()``
        /// fails with ``BluetoothError/Kind/unsupported``.
        public var controller: (any HostController)?
        /// The source of advertisements besides bluetoothd, see ``ScanSource``. Default: nil.
        ///
        /// If nil, a manager on the system bus uses the kernel's management socket. A manager on a given bus scans over
        /// D-Bus only, because the adapters of that bus may be simulated; the same applies if the environment variable
        /// `DBUS_SYSTEM_BUS_ADDRESS` names another bus than the one of the system.
        public var advertisements: (any AdvertisementSource)?
        /// The L2CAP sockets, see ``Peripheral/openL2CAPChannel(psm:options:)``. Default: nil.
        ///
        /// If nil, a manager on the system bus uses the sockets of the kernel. A manager on a given bus has no L2CAP
        /// channels, because the adapters of that bus may be simulated. If the environment variable
        /// `DBUS_SYSTEM_BUS_ADDRESS` names another bus than the one of the system, a simulation on that bus opens the
        /// channels, and a manager cannot listen.
        public var channels: (any L2CAPSockets)?
        /// The keys of devices that encrypt their advertisements. Default: none.
        ///
        /// See ``ScannedPeripheral/reading``.
        ///
        /// Keys are in no log line, error or description. `KeyStore(file:)` reads them from a file.
        public var keys = KeyStore()
        /// The formats of advertisements that the program adds to those of the library. Default: none.
        ///
        /// ``ScannedPeripheral/reading`` then has them. ``BluetoothManager/scan(for:options:)`` adds its format itself.
        public var formats: [any AdvertisementFormat.Type] = []

        /// The path of a file in which managers record the operations that bluetoothd has lost. Default nil: none.
        ///
        /// From BlueZ 5.67 on, bluetoothd never answers an operation that waits for encryption when the link ends. A
        /// later operation on the same attribute of a bonded peripheral can crash bluetoothd, which shows no sign of
        /// the earlier one. A manager never sends such an operation; with this file it knows those of earlier processes
        /// too. The file belongs in a folder that is emptied when the computer starts, such as `$XDG_RUNTIME_DIR`.
        /// Its folder is made if it is missing. Several managers and processes can use one file.
        ///
        /// Example:
        /// ```swift
        /// var configuration = BluetoothManager.Configuration()
        /// configuration.lostOperationFile = "/run/my-gateway/lost-operations"
        /// ```
        public var lostOperationFile: String?

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

/// When and where a manager's streams deliver elements, errors and completions.
///
/// In all modes, the streams of one manager deliver one event at a time, in the order in which the events occurred,
/// also across streams. After a subscription is disposed of on the delivering thread, it delivers nothing.
public struct Delivery: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case immediate
        case batched(Duration)
        case inBusContext
    }

    let kind: Kind

    /// Events are delivered on the scheduler as soon as possible.
    ///
    /// Messages that arrive together cause one wake-up of the scheduler.
    public static let immediate = Delivery(kind: .immediate)

    /// Events are delivered on the scheduler, at the latest after a time window.
    ///
    /// The window begins with the first waiting event. At its end, all waiting events are delivered at once. At high
    /// rates, this saves most wake-ups; each event may be late by the window.
    ///
    /// - Parameter window: The longest time that an event waits. Zero or less is the same as ``immediate``.
    public static func batched(within window: Duration) -> Delivery {
        Delivery(kind: window > .zero ? .batched(window) : .immediate)
    }

    /// Events are delivered on the thread of the bus connection, without a change of threads.
    ///
    /// This is the cheapest mode, for handlers that only compute, store or send. The contract:
    ///
    /// - All streams of the manager deliver on this one thread, at the end of a turn in which the thread has handled
    ///   messages of the bus. A handler may use all methods of the library, subscribe and dispose.
    /// - A handler must not block. While it runs, the manager receives nothing, sends nothing and detects no time-out.
    /// - A handler must not wait for another event of the same manager, for example with a semaphore, a synchronous
    ///   dispatch or a blocking read. The event cannot arrive, so the program deadlocks.
    /// - A handler must not wait for a lock or a queue that a thread holds while it waits for the manager.
    /// - Timers of the library run on the scheduler. What they cause is then delivered on the bus thread.
    ///
    /// Before the first bus is opened, and after the last bus is released, streams deliver on the scheduler.
    public static let inBusContext = Delivery(kind: .inBusContext)
}

/// Which adapter a manager works with, if the machine has several.
public enum AdapterSelection: Hashable, Sendable {
    /// The best adapter that is present.
    ///
    /// The manager chooses among the adapters that support the central role. Adapters that are on take precedence, then
    /// adapters with fewer devices that any program has connected, then adapters with lower numbers. The choice changes
    /// only if the adapter is removed, or is off while another adapter is on. Scans and new connections then use the
    /// other adapter; a connection with ``ConnectOptions/reconnection`` waits for its own one.
    case automatic
    /// The adapter with this name, for example `hci1`.
    ///
    /// Names may change when adapters are plugged in again, so the manager remembers the address of the adapter that
    /// first had the name. While that adapter is absent, the manager uses the adapter that has the name now.
    case named(String)
    /// The adapter with this address, independent of its name.
    case address(BluetoothAddress)

    /// Returns the selection of an adapter by number: 1 stands for the name `hci1`, see ``named(_:)``.
    public static func number(_ number: Int) -> AdapterSelection { .named("hci\(number)") }
}

/// How long a manager waits before an operation fails with ``BluetoothError/Kind/timedOut``.
///
/// Deadlines run on the clock of the bus: the kernel's monotonic clock, which stops during a suspend, or virtual time
/// in tests. Changes of the wall clock do not affect deadlines. A deadline of zero or less has passed at once. A
/// deadline that is too long for the clock never passes.
public struct Deadlines: Sendable {
    /// The deadline for connecting. Default: 30 s.
    public var connect: Duration = .seconds(30)
    /// The deadline for reading the services of a peripheral. Default: 30 s.
    ///
    /// The time begins with the subscription to each discovery, not with the connection. A connection with
    /// ``ConnectOptions/reconnection`` discovers the services by itself when its link is up.
    public var services: Duration = .seconds(30)
    /// The deadline for a read, a write, or turning notifications on. Default: 30 s, as in ATT.
    ///
    /// The time begins when the operation starts, after the operations of the connection that precede it. One operation
    /// can have another deadline, see ``OperationOptions/deadline``.
    public var operation: Duration = .seconds(30)
    /// The deadline for the answer to a request of a central, see ``ATTRequest``. Default: 4 s.
    ///
    /// bluetoothd itself waits 5 s, so a longer deadline has no effect on the central.
    public var request: Duration = .seconds(4)
    /// The deadline for all operations of an exclusive access together. Default: 60 s.
    ///
    /// The time begins when the access of `Peripheral.exclusively(options:_:)` begins.
    public var exclusiveAccess: Duration = .seconds(60)
    /// The deadline for a pairing, including connecting and the user's answer. Default: 90 s.
    ///
    /// The time begins when the pairing starts, after the pairings that it has to wait for.
    public var pair: Duration = .seconds(90)
    /// The deadline for the reply to a disconnection, and then for the end of the link. Default: 5 s.
    ///
    /// bluetoothd replies before it shows the link as down. Closing a link can therefore take twice this time. Give
    /// more than 2 s: bluetoothd itself needs 2 s, and with less, each link is reported as
    /// ``BluetoothEvent/Kind/linkNotClosed(_:_:)``.
    public var disconnect: Duration = .seconds(5)
    /// How long to delay a link loss, to find out whether the adapter caused it. Default: 0.25 s.
    ///
    /// The kernel closes the links of an adapter before it reports that the adapter is off; with one link, the report
    /// was 0.07 s later. If the adapter is switched off during the delay, the reason of the link loss is
    /// ``BluetoothError/DisconnectReason/adapter``. With zero, a link loss is emitted at once, so a loss that the
    /// adapter caused has no reason or a wrong reason.
    public var disconnectReasonGrace: Duration = .milliseconds(250)
    /// The deadline for reading the RSSI or the facts of a link, and for changing its timing. Default: 5 s.
    public var rssi: Duration = .seconds(5)
    /// The deadline for starting a scan. Default: 15 s.
    ///
    /// A passive scan has this deadline for each of its two steps: the registration and the activation of its monitor.
    public var startScan: Duration = .seconds(15)
    /// The deadline for stopping a scan. Default: 5 s.
    public var stopScan: Duration = .seconds(5)
    /// The deadline for the first list of bluetoothd's objects. Default: 8 s.
    ///
    /// After the deadline, ``BluetoothManager/state`` is ``BluetoothState/daemonUnavailable`` until the list arrives.
    /// The manager repeats the request until then.
    public var snapshot: Duration = .seconds(8)
    /// The deadline for a diagnosis. Default: 2 s.
    ///
    /// At the deadline, the diagnosis is emitted with the facts that are known by then.
    public var diagnosis: Duration = .seconds(2)
    /// The deadline for opening an L2CAP channel, including a pairing. Default: 30 s.
    public var openChannel: Duration = .seconds(30)
    /// The deadline for switching an adapter, until bluetoothd shows the new state. Default: 10 s.
    ///
    /// The time begins when the request is sent, after the earlier requests for the adapter.
    public var power: Duration = .seconds(10)
    /// The deadline for undoing what a subscription started, and for short requests. Default: 2 s.
    ///
    /// Limits turning notifications off, cancelling a pairing, ending an advertisement, reading the MTU, most reads of
    /// a property, and ``BluetoothManager/delivered()``. Stopping a scan has the deadline ``stopScan``, and closing a
    /// link has the deadline ``disconnect``.
    public var cleanup: Duration = .seconds(2)

    /// Creates deadlines with the default values.
    public init() {}
}
