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
    func run<Outcome: Sendable>(_ work: @escaping @Sendable () async throws -> Outcome) async throws -> Outcome {
        let transcript = transcript
        transcript.hasEnded.withLock { $0 = false }
        let task = Task {
            defer { transcript.hasEnded.withLock { $0 = true } }
            return try await Transcript.$current.withValue(transcript) { try await work() }
        }
        var elapsed = 0
        while !transcript.hasEnded.withLock({ $0 }) {
            advance(1)
            elapsed += 1
            if elapsed == Self.limit { task.cancel() }
            for _ in 0..<10 where !transcript.hasEnded.withLock({ $0 }) { await Task.yield() }
        }
        return try await task.value
    }

    /// The first peripheral that advertises a service.
    func find(_ service: BluetoothUUID = "180D") async throws -> Peripheral {
        try await run { [manager] in
            try await manager.scanForPeripherals(withServices: [service]).take(1).asSingle().value.peripheral
        }
    }
}

/// The lines that the examples of one test print, and whether their task has ended.
final class Transcript: Sendable {
    @TaskLocal static var current: Transcript?

    let lines = Mutex<[String]>([])
    let hasEnded = Mutex(false)
}

/// Takes the place of Swift's `print`, so that a test can compare what an example prints.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
    let line = items.map { "\($0)" }.joined(separator: separator)
    Transcript.current?.lines.withLock { $0.append(line) }
}
