public import FoundationEssentials
import Logging
public import Rx
import Synchronization

/// Something that a manager did or observed, for monitoring: waits, retries, losses and queues.
///
/// ``BluetoothManager/events`` emits it. ``description`` contains no address, name or value of a device; the fields do.
public struct BluetoothEvent: Equatable, Sendable {
    /// The number of the event among those that the manager emitted, from 1.
    ///
    /// A gap means that this many events were lost because a subscriber was too slow.
    public let number: UInt64
    /// The time of the event, on the clock of the manager's scheduler.
    public let time: Date
    /// What happened.
    public let kind: Kind

    /// What happened.
    public enum Kind: Equatable, Sendable {
        /// The state has changed.
        case stateChanged(BluetoothState)
        /// The manager now uses this adapter, for example `hci0`; nil for none.
        case adapterChosen(String?)
        /// Reading bluetoothd's objects failed. It is repeated after this time; a late reply counts too.
        case snapshotFailed(BluetoothError, again: Duration?)
        /// A discovery session has started on this adapter. All scans with the adapter share it.
        case scanBegan(adapter: String)
        /// bluetoothd refused to start a discovery session.
        ///
        /// The request is repeated after this time; nil if the scans have failed.
        case scanRefused(adapter: String, BluetoothError, again: Duration?)
        /// A discovery session is restarted, and its scans continue.
        ///
        /// It was silent for ``ScanOptions/restartsAfterSilence``, or bluetoothd has dropped it.
        case scanRestarted(adapter: String)
        /// A discovery session has ended, with the error of its scans; nil if they were disposed.
        case scanEnded(adapter: String, BluetoothError?)
        /// A scan with ``ScanOptions/resumes`` was interrupted.
        ///
        /// It is repeated after this time, and when Bluetooth can be used.
        case scanInterrupted(BluetoothError, again: Duration)
        /// The state of a connection has changed.
        case connection(Peripheral, ConnectionState)
        /// Closing the link of a connection failed, so the link may still be up.
        case linkNotClosed(Peripheral, BluetoothError)
        /// The controller aborted an attempt to connect, this many times in a row.
        ///
        /// The attempt is repeated after this time.
        case connectRepeated(Peripheral, aborts: Int, again: Duration)
        /// A reconnecting connection was lost, or an attempt failed, this many times in a row.
        ///
        /// The next attempt follows after this time, and when Bluetooth can be used.
        case reconnection(Peripheral, BluetoothError, failures: Int, again: Duration)
        /// An operation was queued. This many wait in the queue of its connection.
        case operationQueued(QueuedOperation, waiting: Int)
        /// An operation has started after waiting this long.
        case operationStarted(QueuedOperation, waited: Duration)
        /// An operation that started has ended after this time; the error is nil if it succeeded.
        case operationEnded(QueuedOperation, took: Duration, BluetoothError?)
        /// An operation was removed from the queue before it started.
        ///
        /// The error is the reason, for example a lost link; nil if the subscription was disposed.
        case operationDropped(QueuedOperation, waited: Duration, BluetoothError?)
        /// A notified value was dropped because a subscriber was too slow.
        ///
        /// The total counts the dropped values of the characteristic.
        case valueDropped(Characteristic, total: Int)
        /// bluetoothd refused to register the pairing agent, or to make it the default agent.
        case agentRefused(BluetoothError, asDefault: Bool)
        /// The policy answered a pairing request.
        case pairingAnswered(Peripheral, isAccepted: Bool)
        /// There was no subscriber for a pairing request.
        case pairingUnanswered(Peripheral)
        /// ``Peripheral/pair()`` has paired a device.
        case paired(Peripheral)
        /// bluetoothd sent a malformed message, which was ignored. The total counts since the bus was opened.
        case messageRejected(total: Int)
        /// bluetoothd sent a signal for an object that no longer exists, which is normal.
        ///
        /// The total counts since the bus was opened.
        case signalForUnknownObject(total: Int)
    }
}

/// A GATT operation in the queue of its connection: a read, a write or turning notifications on.
public struct QueuedOperation: Equatable, Sendable {
    /// The number of the operation within its link, from 1.
    public let number: UInt64
    /// What the operation does.
    public let operation: BluetoothError.Operation
    /// The peripheral at the other end of the connection.
    public let peripheral: Peripheral
    /// The attribute, with the text that errors use.
    public let target: String
}

extension BluetoothManager {
    /// The manager's events for monitoring: queues, retries, drops, scan sessions, links and recovery.
    ///
    /// Emits the events that follow the subscription. Never completes and never fails. Hot; subscribing neither
    /// connects nor opens the bus. The subscription keeps the manager alive. Without subscribers no event is created.
    /// Delivers on the manager's queue. At most 1024 events wait there; then the oldest are dropped, which leaves a gap
    /// in ``BluetoothEvent/number``.
    public var events: Observable<BluetoothEvent> { access.keptAlive(by: access.settings.eventLog.events) }
}

/// What log lines may contain.
public enum LogContents: Hashable, Sendable {
    /// No address, name or value of a device, and no text from bluetoothd.
    ///
    /// Names of D-Bus errors are included if BlueZ or D-Bus defines them. Devices are numbered in the order in which
    /// the manager met them.
    case redacted
    /// Everything.
    case full
}

/// Sends each event to the subscribers and to the log. Events that neither needs are not built.
final class EventLog: Sendable {
    private let logger: Logger
    private let contents: LogContents
    private let scheduler: any SchedulerType
    private let subject = PublishSubject<BluetoothEvent>()
    private let count = Atomic<UInt64>(0)

    init(_ logger: Logger, _ contents: LogContents, on scheduler: any SchedulerType) {
        self.logger = logger
        self.contents = contents
        self.scheduler = scheduler
    }

    /// Each method records an event at its log level, on any thread.
    func warning(_ event: @autoclosure () -> BluetoothEvent.Kind) { record(.warning, event) }
    func info(_ event: @autoclosure () -> BluetoothEvent.Kind) { record(.info, event) }
    func debug(_ event: @autoclosure () -> BluetoothEvent.Kind) { record(.debug, event) }
    func trace(_ event: @autoclosure () -> BluetoothEvent.Kind) { record(.trace, event) }

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

    /// The events after the subscription, with a bounded buffer that drops the oldest.
    var events: Observable<BluetoothEvent> {
        subject.observe(
            on: scheduler, within: ValueBuffer(capacity: 1024, overflow: .dropOldest),
            overflow: BluetoothError(.overflow)
        ) {}
    }
}
