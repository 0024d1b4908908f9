import RxBluetooth
import RxBluetoothMocks
import RxTest
import Synchronization
import Testing

/// A manager on a simulation, in virtual time. The examples of the documentation run with it.
struct ExampleStage {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation: Simulation
    let manager: BluetoothManager
    private let transcript = Transcript()

    /// The number of milliseconds after which a task is cancelled.
    private static let limit = 300_000

    /// The address of the heart-rate strap of `Scenario.everyday`.
    static let strap: BluetoothAddress = "C0:FF:EE:00:00:01"

    init(
        _ scenario: Scenario = .everyday, channels: (any L2CAPSockets)? = nil,
        _ change: (inout BluetoothManager.Configuration) -> Void = { _ in }
    ) {
        simulation = Simulation(scenario, scheduler: scheduler)
        var configuration = BluetoothManager.Configuration(scheduler: scheduler)
        configuration.channels = channels
        change(&configuration)
        manager = BluetoothManager(configuration: configuration, bus: simulation.connect())
    }

    /// The lines that examples have printed.
    var lines: [String] { transcript.lines.withLock { $0 } }

    /// Advances the clock by a number of milliseconds.
    func advance(_ milliseconds: Int) {
        Transcript.$current.withValue(transcript) { scheduler.advanceBy(milliseconds) }
    }

    /// Runs work in a task, and advances the clock until the work has ended.
    func run<Outcome: Sendable>(_ work: @escaping @Sendable () async throws -> Outcome) throws -> Outcome {
        try Transcript.$current.withValue(transcript) { try scheduler.run(limit: Self.limit, work) }
    }

    /// Advances the clock until a task that the scheduler has not started has ended.
    func end<Outcome: Sendable>(of task: Task<Outcome, any Error>) async throws -> Outcome {
        let ended = TaskResult<Outcome>()
        Task { [ended] in
            let result = await task.result
            ended.result.withLock { $0 = result }
        }
        while true {
            if let result = ended.result.withLock({ $0 }) { return try result.get() }
            advance(1)
            await Task.yield()
        }
    }

    /// The first peripheral that advertises a service.
    func find(_ service: BluetoothUUID = "180D") throws -> Peripheral {
        try run { [manager] in
            try await manager.scanForPeripherals(withServices: [service]).take(1).asSingle().value.peripheral
        }
    }
}

/// The lines that the examples of one test print.
final class Transcript: Sendable {
    @TaskLocal static var current: Transcript?

    let lines = Mutex<[String]>([])
}

/// The result of a task, if it has ended.
private final class TaskResult<Outcome: Sendable>: Sendable {
    let result = Mutex<Result<Outcome, any Error>?>(nil)
}

/// Takes the place of Swift's `print`, so that a test can compare what an example prints.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    let line = items.map { "\($0)" }.joined(separator: separator)
    Transcript.current?.lines.withLock { $0.append(line) }
}
