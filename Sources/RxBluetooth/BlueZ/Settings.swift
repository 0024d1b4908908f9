import DBus
import FoundationEssentials
import Logging
import Rx

/// The manager's configuration with its event log and its clock.
///
/// A class, so that reading one value on a hot path does not copy all of them.
final class Settings: Sendable {
    let adapter: AdapterSelection
    let deadlines: Deadlines
    /// Runs work in the order of the delivered events.
    let scheduler: any SchedulerType
    let delivery: DeliveryQueue
    let pairing: PairingPolicy
    let eventLog: EventLog
    let exchanges: ExchangeLog
    /// Decodes advertisements when their readings are requested.
    let sensors: SensorReader
    /// Access to the adapter's controller, for facts that bluetoothd does not report; nil if there is none.
    let controller: (any HostController)?
    /// The source of advertisements besides bluetoothd; nil if there is none.
    let advertisements: (any AdvertisementSource)?
    /// The L2CAP sockets; nil if there are none.
    let channels: (any L2CAPSockets)?
    let followsIdleDevices: Bool
    /// Where operations that bluetoothd has lost are recorded for other processes; nil for nowhere.
    let lostOperations: LostOperationFile?
    /// The clock of the manager's bus, for every decision about time.
    let clock = ManagerClock()

    init(_ configuration: BluetoothManager.Configuration) {
        adapter = configuration.adapter
        deadlines = configuration.deadlines
        delivery = DeliveryQueue(configuration.delivery, on: configuration.scheduler)
        scheduler = delivery.scheduler
        pairing = configuration.pairing
        controller = configuration.controller
        advertisements = configuration.advertisements
        channels = configuration.channels
        followsIdleDevices = configuration.followsIdleDevices
        lostOperations = configuration.lostOperationFile.map(LostOperationFile.init)
        eventLog = EventLog(
            configuration.logger ?? silentLogger, configuration.logContents, by: delivery)
        exchanges = ExchangeLog(by: delivery)
        sensors = SensorReader(configuration.keys, configuration.formats, eventLog)
    }
}

/// The logger of a manager without a logger. It discards all log lines.
let silentLogger = Logger(label: "RxBluetooth") { _ in SwiftLogNoOpLogHandler() }

/// A moment on the manager's monotonic clock.
struct MonotonicTime: Sendable {
    // Half as large as a Duration, because each device has such moments.
    private let nanoseconds: Int64

    init(time: Duration) {
        let (seconds, attoseconds) = time.components
        nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    var time: Duration { .nanoseconds(nanoseconds) }

    func duration(since earlier: MonotonicTime) -> Duration { time - earlier.time }
}

/// The clock of the manager's bus. Decisions use it; the wall clock is for time stamps only.
///
/// Deadlines run on the same clock. It does not advance during a suspend, because neither bluetoothd nor a peripheral
/// can reply then. So a suspend neither uses up a deadline nor counts as silence.
final class ManagerClock: @unchecked Sendable {
    // Guard: `lock` guards `clock`.
    private let lock = Lock()
    private var clock = BusClock.monotonic

    /// Uses the clock of a newly opened bus. All buses of one manager share one time.
    func follow(_ clock: BusClock) { lock.withLock { self.clock = clock } }

    var now: MonotonicTime { MonotonicTime(time: lock.withLock { clock }.now) }

    /// Returns the time since a moment, in whole milliseconds.
    func elapsed(since start: MonotonicTime) -> Duration {
        .milliseconds(Int64((max(.zero, now.time - start.time) / .milliseconds(1)).rounded()))
    }
}

extension Settings {
    /// The present moment, to measure elapsed time from.
    var now: MonotonicTime { clock.now }
    /// The wall clock, for time stamps.
    var date: Date { scheduler.now }

    /// Returns the time since a moment; zero if there was none.
    func elapsed(since start: MonotonicTime?) -> Duration { start.map(clock.elapsed(since:)) ?? .zero }
}
