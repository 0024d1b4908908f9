import FoundationEssentials
import Logging
import Rx
import Synchronization

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
