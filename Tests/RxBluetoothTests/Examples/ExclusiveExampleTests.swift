import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Examples of the documentation for priorities, deadlines and exclusive access, in real time over the simulation.
struct ExclusiveExampleTests {
    let simulation: Simulation
    let manager: BluetoothManager

    init() {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        simulation = Simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: scheduler)
        manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
    }

    /// Runs work with two characteristics of the connected sensor.
    private func withSensor(
        _ work: (Peripheral, _ control: Characteristic, _ response: Characteristic) async throws -> Void
    ) async throws {
        let peripheral = try await manager.peripheral(Sensor.address).asSingle().value
        let link = peripheral.connect().subscribe()
        for try await state in peripheral.connectionState.values where state == .connected { break }
        let found = try await peripheral.discoverServices().flatMap { $0.discoverCharacteristics() }.toArray().value
        let control = try #require(found.first { $0.uuid == Sensor.value })
        let response = try #require(found.first { $0.uuid == Sensor.notifying })
        try await work(peripheral, control, response)
        link.dispose()
        try await manager.close().value
    }

    @Test(.proves(.S104), .timeLimit(.minutes(20)))
    func `A task writes a request and reads the response without interruption`() async throws {
        try await withSensor { peripheral, control, response in
            let answer = try await peripheral.exclusively { operations in
                try await operations.writeValue([0x01], for: control).value
                return try await operations.readValue(for: response).value
            }
            #expect(answer == [7])
            let stream = peripheral.exclusively { operations in
                operations.writeValue([0x01], for: control).andThen(operations.readValue(for: response))
            }
            let streamed = try await stream.asSingle().value
            #expect(streamed == [7])
            let urgent = OperationOptions(deadline: .seconds(2), priority: .high)
            let urgentValue = try await control.readValue(options: urgent).value
            #expect(urgentValue == [1])
        }
    }

    @Test(.proves(.S104), .timeLimit(.minutes(20)))
    func `A cancelled task ends its exclusive access after its closure has ended`() async throws {
        try await withSensor { peripheral, control, response in
            let (beginnings, beginning) = AsyncStream<Void>.makeStream()
            let hasEnded = Guarded(false)
            let task = Task {
                try await peripheral.exclusively { _ -> Int in
                    defer { hasEnded.withLock { $0 = true } }
                    beginning.yield()
                    return try await Single<Int>.never().value
                }
            }
            for await _ in beginnings { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(hasEnded.withLock { $0 })
            // The next operation is not delayed by the cancelled access.
            let later = try await response.readValue().value
            #expect(later == [7])
        }
    }

    @Test(.proves(.S104), .timeLimit(.minutes(20)))
    func `At the deadline the task of an exclusive access is cancelled`() async throws {
        try await withSensor { peripheral, control, response in
            let options = OperationOptions(deadline: .milliseconds(20))
            let error = await #expect(throws: BluetoothError.self) {
                try await peripheral.exclusively(options: options) { operations -> Int in
                    while true { _ = try await operations.readValue(for: control).value }
                }
            }
            #expect(error?.kind == .timedOut && error?.operation == .exclusiveAccess)
            let later = try await response.readValue().value
            #expect(later == [7])
        }
    }

    @Test(.proves(.S104), .timeLimit(.minutes(20)))
    func `The errors of a task's closure and of its connection are thrown`() async throws {
        struct Failure: Error {}
        try await withSensor { peripheral, control, response in
            await #expect(throws: Failure.self) {
                try await peripheral.exclusively { operations -> [UInt8] in
                    _ = try await operations.readValue(for: control).value
                    throw Failure()
                }
            }
            simulation.bluez.dropLink(to: Sensor.text)
            let error = await #expect(throws: BluetoothError.self) {
                try await peripheral.exclusively { operations in
                    try await operations.readValue(for: control).value
                }
            }
            // The operation is submitted before or after the link is shown as lost.
            #expect(error?.kind == .disconnected(.unknown) || error?.kind == .notConnected)
        }
    }
}
