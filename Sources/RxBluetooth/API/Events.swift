public import BluetoothValues
public import FoundationEssentials
import Logging
public import Rx
import Synchronization

/// An event for monitoring a manager: waits, retries, losses and queues.
///
/// ``BluetoothManager/events`` emits the events. ``kind`` may contain addresses and names of devices; ``description``
/// contains no data of devices.
public struct BluetoothEvent: Equatable, Sendable {
    /// The number of the event among all events that the manager emitted, from 1.
    ///
    /// A gap in the numbers means that events were lost because the subscriber was too slow.
    public let number: UInt64
    /// The time of the event, on the clock of the manager's scheduler.
    public let time: Date
    /// What happened.
    public let kind: Kind

    /// What happened.
    public enum Kind: Equatable, Sendable {
        /// The state of Bluetooth has changed.
        case stateChanged(BluetoothState)
        /// The manager now uses the adapter with this name, for example `hci0`; nil for no adapter.
        case adapterChosen(String?)
        /// bluetoothd has shown its version. Emitted after each start of bluetoothd, see
        /// ``BluetoothManager/daemonVersion``.
        case daemonVersionKnown(BlueZVersion)
        /// Reading the list of bluetoothd's objects failed.
        ///
        /// The request is repeated after `again`. A late reply to the failed request is also used.
        case snapshotFailed(BluetoothError, again: Duration?)
        /// A discovery session has started. All scans with the adapter share the session.
        ///
        /// For passive scans, the session of this event and the next ones is a monitor in bluetoothd.
        case scanBegan(adapter: String)
        /// bluetoothd refused to start a discovery session.
        ///
        /// The request is repeated after `again`; nil if it is not repeated and the scans fail.
        case scanRefused(adapter: String, BluetoothError, again: Duration?)
        /// A discovery session is restarted, and its scans continue.
        ///
        /// The session was silent for ``ScanOptions/restartsAfterSilence``, or bluetoothd has dropped it.
        case scanRestarted(adapter: String)
        /// A discovery session has ended. The error is that of its scans; nil if they were disposed of.
        case scanEnded(adapter: String, BluetoothError?)
        /// A scan with ``ScanOptions/resumes`` was interrupted.
        ///
        /// The scan is repeated after `again`, as soon as Bluetooth can be used.
        case scanInterrupted(BluetoothError, again: Duration)
        /// bluetoothd has ended twice soon after this manager set a discovery filter with the same services.
        ///
        /// The manager sets no such filter any more. Its scans continue, and compare the services themselves.
        case serviceFilterAvoided
        /// The ``AdvertisementSource`` failed or was closed while scans used it.
        ///
        /// Scans with the source ``ScanSource/automatic`` continue over D-Bus, the others fail.
        case advertisementSourceLost(BluetoothError)
        /// The state of a connection has changed.
        case connection(Peripheral, ConnectionState)
        /// Closing the link of a connection failed, so the link may still be up.
        case linkNotClosed(Peripheral, BluetoothError)
        /// The controller aborted an attempt to connect; `aborts` counts the aborts in a row.
        ///
        /// The attempt is repeated after `again`.
        case connectRepeated(Peripheral, aborts: Int, again: Duration)
        /// A connection with reconnection lost its link, or an attempt to reconnect failed.
        ///
        /// The number of consecutive failures is `failures`; it is 0 after a link that lasted for
        /// ``Reconnection/minimumStableDuration``, and after an outage. The next attempt follows after `again`, as soon
        /// as Bluetooth can be used; after an attempt that timed out, up to ``Deadlines/disconnect`` later, because
        /// bluetoothd first ends that attempt. The library connects by itself, so do not show the error's advice.
        case reconnection(Peripheral, BluetoothError, failures: Int, again: Duration)
        /// An operation was queued; `waiting` counts the operations in its queue, including the new one.
        case operationQueued(QueuedOperation, waiting: Int)
        /// An operation has started after it waited in the queue.
        case operationStarted(QueuedOperation, waited: Duration)
        /// A started operation takes much longer than usual: eight times as long, and at least 1 s.
        ///
        /// It continues until its reply or its deadline. `usual` is the average of the earlier operations of this kind
        /// over the connection; nil if none has succeeded, and the event is then emitted after 10 s.
        case operationOverdue(QueuedOperation, runningFor: Duration, usual: Duration?)
        /// A started operation has ended; the error is nil if the operation succeeded.
        case operationEnded(QueuedOperation, took: Duration, BluetoothError?)
        /// An operation was removed from the queue before it started.
        ///
        /// The error is the reason for the removal, for example a lost link; nil if the subscription was disposed of.
        case operationDropped(QueuedOperation, waited: Duration, BluetoothError?)
        /// A notified value was dropped because a subscriber was too slow.
        ///
        /// The number of dropped values of the characteristic is `total`.
        case valueDropped(Characteristic, total: Int)
        /// Scan results were dropped because the subscriber of a scan was too slow.
        ///
        /// `count` results were dropped at once; the number of dropped results of this scan is `total`.
        case scanResultsDropped(count: Int, total: Int)
        /// The advertisement of a known format was refused, because it is malformed, for example.
        ///
        /// Emitted when the reading is requested, see ``ScannedPeripheral/readingFailure``.
        case readingRefused(Peripheral, ValueDecodingError)
        /// bluetoothd refused to register the pairing agent, or to make it the default agent.
        case agentRefused(BluetoothError, asDefault: Bool)
        /// The policy answered a pairing request.
        case pairingAnswered(Peripheral, isAccepted: Bool)
        /// There was no subscriber for a pairing request.
        case pairingUnanswered(Peripheral)
        /// ``Peripheral/pair()`` has paired a device.
        case paired(Peripheral)
        /// bluetoothd sent a malformed message, which was ignored.
        ///
        /// The number of such messages since the bus was opened is `total`.
        case messageRejected(total: Int)
        /// bluetoothd sent a signal for an object that no longer exists. This is normal.
        ///
        /// The number of such signals since the bus was opened is `total`.
        case signalForUnknownObject(total: Int)
        /// A request of a central was refused, because 256 requests of the published services wait for answers.
        ///
        /// The number of such requests since the services were published is `total`.
        case requestDropped(total: Int)
    }
}

/// A GATT operation in the queue of its connection: a read, a write or turning notifications on.
public struct QueuedOperation: Equatable, Sendable {
    /// The number of the operation within its link, from 1.
    public let number: UInt64
    /// The kind of operation.
    public let operation: BluetoothError.Operation
    /// The peripheral at the other end of the connection.
    public let peripheral: Peripheral
    /// The attribute that the operation accesses, as text; errors contain the same text.
    public let target: String
}

extension BluetoothManager {
    /// The manager's events for monitoring: queues, retries, drops, scan sessions, links and recovery.
    ///
    /// Emits each event after the subscription. Never completes and never fails, also if the manager is closed. Hot;
    /// subscribing neither connects nor opens the bus. The subscription keeps the manager alive. Delivers on the
    /// manager's queue. At most 1024 events wait for a slow subscriber. If there are more, the oldest are dropped, and
    /// ``BluetoothEvent/number`` has a gap.
    public var events: Observable<BluetoothEvent> { access.keptAlive(by: access.settings.eventLog.events) }
}

/// What log lines may contain.
public enum LogContents: Hashable, Sendable {
    /// No address, name or value of a device, and no text from bluetoothd.
    ///
    /// Names of D-Bus errors are included if BlueZ or D-Bus defines them. Devices have numbers, in the order in which
    /// the manager first received data of them.
    case redacted
    /// All details, including addresses, names and values of devices.
    case full
}

/// The sink of a manager's events, which sends them to the subscribers and to the log.
///
/// An event is created only if there is a subscriber or the logger accepts its log level.
final class EventLog: Sendable {
    private let logger: Logger
    private let contents: LogContents
    private let delivery: DeliveryQueue
    private let scheduler: any SchedulerType
    private let subject = PublishSubject<BluetoothEvent>()
    private let count = Atomic<UInt64>(0)

    init(_ logger: Logger, _ contents: LogContents, by delivery: DeliveryQueue) {
        self.logger = logger
        self.contents = contents
        self.delivery = delivery
        scheduler = delivery.scheduler
    }

    /// Records an event at the log level of the method's name. All four methods may run on any thread.
    func warning(_ event: @autoclosure () -> BluetoothEvent.Kind) { record(.warning, event) }
    func info(_ event: @autoclosure () -> BluetoothEvent.Kind) { record(.info, event) }
    func debug(_ event: @autoclosure () -> BluetoothEvent.Kind) { record(.debug, event) }
    func trace(_ event: @autoclosure () -> BluetoothEvent.Kind) { record(.trace, event) }

    /// Whether events of the level info have a subscriber or are logged.
    var isRecordingInfo: Bool { subject.hasObservers || logger.logLevel <= .info }

    private func record(_ level: Logger.Level, _ event: () -> BluetoothEvent.Kind) {
        let isWatched = subject.hasObservers
        let isLogged = logger.logLevel <= level
        guard isWatched || isLogged else { return }
        let kind = event()
        if isLogged { logger.log(level: level, "\(kind.text)", metadata: kind.details(contents)) }
        guard isWatched else { return }
        let number = count.add(1, ordering: .relaxed).newValue
        subject.onNext(BluetoothEvent(number: number, time: scheduler.now, kind: kind))
    }

    /// The events after the subscription, with a bounded buffer that drops the oldest events.
    var events: Observable<BluetoothEvent> {
        subject.observe(by: delivery, within: DeliveryBuffer(capacity: 1024, overflow: .dropOldest))
    }
}
