import BluetoothValues
import Gateway
import Glibc
import Rx
import RxTest

/// A gateway in virtual time with the real store: it stores readings, while the broker is up and down.
final class Workload {
    static let readings = 300
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    private let server: SimulatedBrokerServer
    private let subscriber: SimulatedSubscriber
    private let delivery: MessageDelivery
    private let store: LoggedStore
    private let log: EventFile

    init(folder: String) throws {
        log = EventFile(folder + "/events")
        let scheduler = scheduler
        let loop = GatewayLoop(scheduler: scheduler, monotonicTime: { .milliseconds(scheduler.clock) })
        server = SimulatedBrokerServer(loop: loop)
        subscriber = server.subscribe(to: "r")
        let sqlite = try SQLiteStore(path: folder + "/readings.db")
        store = LoggedStore(sqlite, log)
        let client = BrokerClient(gateway: "crash", availability: "online", settings: BrokerSettings())
        delivery = MessageDelivery(
            broker: server.client(client), client: client, availability: "online", store: store, seed: 1, loop: loop)
        delivery.onNotice = { [log] in
            switch $0 {
            case .storeFailed: log.write("damaged \($0)")
            case .storeDamaged, .storeReplaced, .recoveryInterrupted, .messagesRecovered, .messagesDamaged:
                log.write("notice \($0)")
            default: break
            }
        }
        subscriber.observer = { [log] in log.write("delivered \(Self.words(of: $0.text))") }
        delivery.start()
    }

    /// The id and the number of a reading.
    private static func words(of text: String) -> String {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 13, parts[1] == "mid" else { return "none \(text)" }
        return "\(parts[3]) \(parts[7])"
    }

    /// Stores readings, and ends in an orderly way.
    func run() {
        for number in 0..<Self.readings {
            if number % 50 == 20 { server.stop() }
            if number % 50 == 40 { server.start() }
            if number % 70 == 60 { server.acknowledgementsToLose = 2 }
            if number % 70 == 65 { server.close("ble-gateway-crash") }
            let filler = String(repeating: "x", count: 200 + number * 7 % 900)
            let text = #"{"n":"\#(number)","filler":"\#(filler)"}"#
            delivery.store(Publication(topic: "r", payload: Array(text.utf8)))
            advance(by: .milliseconds(number % 5 == 0 ? 20 : 700))
        }
        finish()
    }

    /// Delivers what the store contains, and ends in an orderly way.
    func finish() {
        advance(by: .seconds(120))
        var isFinished = false
        delivery.stop { isFinished = true }
        advance(by: .seconds(10))
        if !isFinished || store.summary.count > 0 { log.write("damaged \(store.summary.count) readings are left") }
    }

    private func advance(by duration: Duration) { scheduler.advance(by: RxTimeInterval(duration)) }
}

/// Writes down which readings the store has confirmed.
private final class LoggedStore: PublicationStore {
    private let store: SQLiteStore
    private let log: EventFile

    init(_ store: SQLiteStore, _ log: EventFile) {
        self.store = store
        self.log = log
    }

    var identity: String { store.identity }
    var summary: StoreSummary { store.summary }

    func update(
        appending publications: [Publication], removing numbers: [Int64], saving counters: [EncryptedCounter]
    ) throws(StoreFailure) {
        try store.update(appending: publications, removing: numbers, saving: counters)
        for publication in publications {
            let parts = String(decoding: publication.payload, as: UTF8.self).split(separator: "\"")
            log.write("stored \(parts[3])")
        }
    }

    func takeNotices() -> [DeliveryNotice] { store.takeNotices() }
    func check() { store.check() }
    func close() { store.close() }
    var usedIdentifiers: [UsedIdentifier] { store.usedIdentifiers }
    var sinceConfirmation: Duration? { store.sinceConfirmation }
    var encryptedCounters: [EncryptedCounter] { store.encryptedCounters }
    func save(_ counters: [EncryptedCounter]) throws(StoreFailure) { try store.save(counters) }
    func remember(_ identifier: UsedIdentifier, keeping duration: Duration) throws(StoreFailure) {
        try store.remember(identifier, keeping: duration)
    }

    func messages(
        after number: Int64, limit: Int, priority: Publication.Priority
    ) throws(StoreFailure) -> [StoredPublication] {
        try store.messages(after: number, limit: limit, priority: priority)
    }
}

/// Lines that survive SIGKILL.
final class EventFile: Sendable {
    private let descriptor: Int32

    init(_ path: String) { descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

    deinit { close(descriptor) }

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
        precondition(count == bytes.count, "writing the events failed")
    }
}
