public import FoundationEssentials
import Logging
public import Rx
import Synchronization

/// Something that a manager does or meets, for whoever watches how it works: waits, retries, losses, and what queues.
///
/// ``BluetoothManager/events`` tells them. Its description names no address, no name and no value (S84); its fields do.
public struct BluetoothEvent: Equatable, Sendable {
    /// Counts the events that this manager told, from 1. A gap says that so many were lost on a subscriber who is too slow.
    public let number: UInt64
    /// When it happened, on the clock of the manager's scheduler.
    public let time: Date
    /// What happened.
    public let kind: Kind

    /// What can happen.
    public enum Kind: Equatable, Sendable {
        /// Bluetooth can be used from now on, or something else stands in the way.
        case stateChanged(BluetoothState)
        /// The manager works with this adapter from now on, for example `hci0`; nil for none.
        case adapterChosen(String?)
        /// bluetoothd did not tell its objects. It is asked again after that time, and a late answer counts too.
        case snapshotFailed(BluetoothError, again: Duration?)
        /// A discovery session with bluetoothd has begun on this adapter, shared by all scans over it.
        case scanBegan(adapter: String)
        /// bluetoothd refused to begin one (Q38). It is asked again after that time; nil where the scans have failed.
        case scanRefused(adapter: String, BluetoothError, again: Duration?)
        /// The session is begun anew, under those who share it: nothing was heard for as long as
        /// ``ScanOptions/restartsAfterSilence`` allows (Q42), or bluetoothd has dropped it without a word (Q34).
        case scanRestarted(adapter: String)
        /// The session has ended: with the error of its scans, or nil where nobody scans any more.
        case scanEnded(adapter: String, BluetoothError?)
        /// A scan with ``ScanOptions/resumes`` was interrupted and is tried again after that time, once Bluetooth can be used.
        case scanInterrupted(BluetoothError, again: Duration)
        /// A connection has changed: links that come up, and go down with the cause.
        case connection(Peripheral, ConnectionState)
        /// The controller gave an attempt to connect up; so many times in a row now. It is repeated after that time (Q77).
        case connectRepeated(Peripheral, aborts: Int, again: Duration)
        /// A connection that is made again whenever it is lost was lost, or an attempt failed; so many in a row now. The next
        /// comes after that time, once Bluetooth can be used.
        case reconnection(Peripheral, BluetoothError, failures: Int, again: Duration)
        /// An operation has come into the queue of its connection, in which so many wait now.
        case operationQueued(QueuedOperation, waiting: Int)
        /// It is the operation's turn, after it waited so long.
        case operationStarted(QueuedOperation, waited: Duration)
        /// An operation that had its turn is over after so long: nil where it went well.
        case operationEnded(QueuedOperation, took: Duration, BluetoothError?)
        /// An operation never had its turn: its link was lost, or nil where it was disposed of (S57).
        case operationDropped(QueuedOperation, waited: Duration, BluetoothError?)
        /// A notified value was lost, since its subscriber is too slow (S81); so many of the characteristic now.
        case valueDropped(Characteristic, total: Int)
        /// bluetoothd does not take the agent that answers for pairings, or not as the default one.
        case agentRefused(BluetoothError, asDefault: Bool)
        /// The policy answered what bluetoothd asked about a pairing.
        case pairingAnswered(Peripheral, isAccepted: Bool)
        /// bluetoothd asked about a pairing, and nobody was there to answer.
        case pairingUnanswered(Peripheral)
        /// A device is paired.
        case paired(Peripheral)
        /// bluetoothd sent something malformed, which was ignored; so many since the bus was opened.
        case messageRejected(total: Int)
        /// bluetoothd sent something about an object that is gone, which is normal (Q19); so many since the bus was opened.
        case signalForUnknownObject(total: Int)
    }
}

/// A read, a write, or turning notifications on, as it goes through the queue of its connection.
public struct QueuedOperation: Equatable, Sendable {
    /// Tells it from the others of its connection.
    public let number: UInt64
    /// What it does.
    public let operation: BluetoothError.Operation
    /// Over whose connection.
    public let peripheral: Peripheral
    /// To which attribute, as errors name it.
    public let target: String
}

extension BluetoothManager {
    /// What the manager does and meets, from the moment of subscription: what waits in queues and how long, retries, drops, scan
    /// sessions, links, and steps of recovery.
    ///
    /// Never fails and never completes. Hot; subscribing neither connects nor opens the bus. Delivered on the manager's
    /// queue, where 1024 may wait; of more the eldest are lost, which leaves a gap in ``BluetoothEvent/number``. While nobody
    /// subscribes no event is made.
    public var events: Observable<BluetoothEvent> { access.settings.eventLog.events }
}

/// What log lines may tell (S84).
public enum LogContents: Hashable, Sendable {
    /// No address, no name and no value of any device, and no text of bluetoothd, which may quote one; nor a name of an error
    /// that neither BlueZ nor D-Bus has. Devices are numbered in the order in which the manager met them.
    case redacted
    /// Everything.
    case full
}

/// Where everything that is worth telling is told, once: to who watches the events, and to the log. What neither wants is not even
/// made.
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

    /// Each tells an event, on any thread, at its level of the log.
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

    /// The events from the moment of subscription, with room for many that wait; then the eldest are lost.
    var events: Observable<BluetoothEvent> {
        subject.observe(
            on: scheduler, within: ValueBuffer(capacity: 1024, overflow: .dropOldest),
            overflow: BluetoothError(.overflow)
        ) {}
    }
}
