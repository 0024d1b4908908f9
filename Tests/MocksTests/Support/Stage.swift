import DBus
import Rx
import RxBluetoothMocks
import RxTest

/// A simulation in virtual time with one client, which logs signals and replies as lines.
final class Stage: Sendable {
    let scheduler: TestScheduler
    let simulation: Simulation
    let client: Client

    /// - Parameter version: The version of BlueZ. Most tests describe 5.66; `VersionTests` describe what differs.
    init(_ scenario: Scenario = .everyday, starting: Bool = true, bluez version: SimulatedBlueZ.Version = .v5_66) {
        scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        simulation = Simulation(scenario, scheduler: scheduler, starting: starting, bluez: version)
        client = Client(simulation.connect())
        run(.milliseconds(10))
        client.log.clear()
    }

    /// Returns another client on the bus, with an empty log.
    func another() -> Client {
        let client = Client(simulation.connect())
        run(.milliseconds(1))
        client.log.clear()
        return client
    }

    /// Advances virtual time.
    func run(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        scheduler.advanceBy(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }

    /// Returns and clears the client's log.
    func seen() -> [String] { client.log.take() }
}

/// The reply to a call, which is open until the reply arrives.
final class Answer: Sendable {
    private let result = Guarded<Result<Message, DBusError>?>(nil)

    func settle(_ answer: Result<Message, DBusError>) { result.withLock { $0 = answer } }

    var isOpen: Bool { result.withLock { $0 == nil } }

    var message: Message? { try? result.withLock { $0 }?.get() }

    var values: [Value] { (try? message?.read { (body) throws(DBusError) in try body.values() }) ?? [] }

    var error: DBusError? {
        if case .failure(let error)? = result.withLock({ $0 }) { return error }
        return nil
    }

    /// The reply as a line: "ok" with the values, or the last component of the error's name with its text.
    var line: String {
        if isOpen { return "no answer" }
        if let error { return "\(error.name.split(separator: ".").last ?? ""): \(error.message)" }
        return (["ok"] + values.map(\.line)).joined(separator: " ")
    }
}

/// A log of lines.
final class Log: Sendable {
    private let lines = Guarded<[@Sendable () -> String]>([])

    // Most lines are never read, so their text is made when they are.
    func write(_ line: @escaping @autoclosure @Sendable () -> String) { lines.withLock { $0.append(line) } }

    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }.map { $0() }
    }

    func clear() { lines.withLock { $0 = [] } }
}
