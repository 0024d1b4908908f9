import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

@testable import RxBluetooth

/// Connections for the time of an asynchronous closure.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionScopeTests {
    private struct Failure: Error {}

    /// The times of the virtual clock at which the work and the whole scope have begun and ended.
    private final class Times: Sendable {
        private struct Moments {
            var begin: Int?
            var end: Int?
            var returned: Int?
            var state: ConnectionState?
        }

        private let state = Guarded(Moments())

        var hasBegun: Bool { state.withLock { $0.begin != nil } }
        /// How long the scope has lasted after the end of its work; nil if the work has not run.
        var closing: Int? {
            state.withLock { state in state.end.flatMap { end in state.returned.map { $0 - end } } }
        }
        /// The state of the connection at the end of the scope.
        var stateAtEnd: ConnectionState? { state.withLock { $0.state } }

        func begin(_ time: Int) { state.withLock { $0.begin = time } }
        func end(_ time: Int) { state.withLock { $0.end = time } }
        func returned(_ time: Int, _ present: ConnectionState?) {
            state.withLock { state in (state.returned, state.state) = (time, present) }
        }
    }

    private let stage: Stage
    private let peripheral: Peripheral
    private let times = Times()

    init() {
        (stage, peripheral) = Stage.withSensor()
        // The closing takes half a second, so that returning before its end would be noticed.
        stage.simulation.bluez.add(Fault("Device1.Disconnect", .late(.milliseconds(500))))
    }

    /// Starts a task that runs work with a connection.
    private func use<Outcome: Sendable>(
        options: ConnectOptions = ConnectOptions(), _ work: @escaping @Sendable (Peripheral) async throws -> Outcome
    ) -> Task<Outcome, any Error> {
        let (scheduler, peripheral, times) = (stage.scheduler, peripheral, times)
        return scheduler.startTask {
            defer { times.returned(scheduler.clock, try? peripheral.connection.value()) }
            return try await peripheral.withConnection(options: options) { peripheral in
                times.begin(scheduler.clock)
                defer { times.end(scheduler.clock) }
                return try await work(peripheral)
            }
        }
    }

    /// Checks that the link was closed once, and that the task has waited for it.
    private func expectClosed(_ location: SourceLocation = #_sourceLocation) {
        #expect(!stage.isLinked(), sourceLocation: location)
        #expect(stage.count("Connect") == 1 && stage.count("Disconnect") == 1, sourceLocation: location)
        guard case .disconnected? = times.stateAtEnd else {
            Issue.record("The state at the end is \(times.stateAtEnd as Any).", sourceLocation: location)
            return
        }
        stage.expectSettled(location)
    }

    @Test(.proves(.S120), .covers(.connectionScope)) func `The result is returned after the link is closed`()
        throws
    {
        let result = try stage.end(
            of: use { peripheral in
                try await peripheral.discoverServices([Sensor.service]).flatMap { $0.discoverCharacteristics() }
                    .filter { $0.uuid == Sensor.value }.flatMap { $0.readValue() }.asSingle().value
            })
        #expect(try result.get() == [1])
        expectClosed()
        #expect(times.closing ?? 0 >= 500)
    }

    @Test(.proves(.S120)) func `An error of the work is thrown after the link is closed`() throws {
        let result = try stage.end(of: use { _ -> Int in throw Failure() })
        #expect(throws: Failure.self) { try result.get() }
        expectClosed()
        #expect(times.closing ?? 0 >= 500)
    }

    @Test(.proves(.S121)) func `Cancelling the task cancels the work, and waits for the closed link`() throws {
        let task = use { _ in try await Single<Int>.never().value }
        stage.advance { times.hasBegun }
        task.cancel()
        let result = try stage.end(of: task)
        #expect(throws: CancellationError.self) { try result.get() }
        expectClosed()
        #expect(times.closing ?? 0 >= 500)
    }

    @Test(.proves(.S121)) func `Cancelling the task while it connects ends the attempt, and waits for its end`() throws
    {
        stage.simulation.bluez.setInRange(false, Sensor.text)
        let task = use { _ in 1 }
        stage.advance { stage.count("Connect") == 1 }
        task.cancel()
        let result = try stage.end(of: task)
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(!times.hasBegun)
        expectClosed()
    }

    /// Waits for the result of a read, also after the task is cancelled.
    private static func readWithoutCancellation(
        _ characteristic: Characteristic, _ read: @Sendable (Characteristic) -> Single<[UInt8]>
    ) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            _ = read(characteristic).subscribe(
                onSuccess: { continuation.resume(returning: $0) }, onFailure: { continuation.resume(throwing: $0) })
        }
    }

    // The link closes before the work notices the cancellation, so that its read fails with the end of the link.
    @Test(.proves(.S121)) func `A cancelled task throws CancellationError, also if the closed link ends its work`()
        throws
    {
        let hasBegun = Guarded(false)
        let task = use { peripheral in
            let slow = try await peripheral.discoverServices([Sensor.service])
                .flatMap { $0.discoverCharacteristics([Sensor.slow]) }.asSingle().value
            hasBegun.withLock { $0 = true }
            return try await Self.readWithoutCancellation(slow) { $0.readValue() }
        }
        stage.advance { hasBegun.withLock { $0 } }
        task.cancel()
        let result = try stage.end(of: task)
        #expect(throws: CancellationError.self) { try result.get() }
        expectClosed()
    }

    @Test(.proves(.S121)) func `A cancelled exclusive access throws CancellationError`() throws {
        let link = stage.connect(peripheral)
        let slow = stage.characteristic(Sensor.slow, of: peripheral)
        let hasBegun = Guarded(false)
        let task = stage.scheduler.startTask { [peripheral] in
            try await peripheral.exclusively { operations -> [UInt8] in
                hasBegun.withLock { $0 = true }
                return try await Self.readWithoutCancellation(slow) { operations.readValue(for: $0) }
            }
        }
        stage.advance { hasBegun.withLock { $0 } }
        task.cancel()
        let result = try stage.end(of: task)
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(link.isLive)
    }

    @Test(.proves(.S121)) func `A task that is cancelled already does not connect`() throws {
        let task = use { _ in 1 }
        task.cancel()
        let result = try stage.end(of: task)
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(!times.hasBegun)
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.S121)) func `A link loss cancels the work, and its error is thrown`() throws {
        let task = use { _ in try await Single<Int>.never().value }
        stage.advance { times.hasBegun }
        stage.simulation.bluez.dropLink(to: Sensor.text)
        let result = try stage.end(of: task)
        let error = #expect(throws: BluetoothError.self) { try result.get() }
        #expect(error?.kind == .linkLost(.remote))
        #expect(error?.operation == .connect)
        #expect(stage.count("Disconnect") == 0)
    }

    @Test(.proves(.S121), arguments: [false, true])
    func `What the work returns or throws after a link loss counts`(isFailing: Bool) throws {
        let task = use { _ -> Int in
            do { return try await Single<Int>.never().value } catch {
                if isFailing { throw Failure() }
                return 3
            }
        }
        stage.advance { times.hasBegun }
        stage.simulation.bluez.dropLink(to: Sensor.text)
        let result = try stage.end(of: task)
        if isFailing {
            #expect(throws: Failure.self) { try result.get() }
        } else {
            #expect(try result.get() == 3)
        }
    }

    @Test(.proves(.S120)) func `If connecting fails, its error is thrown and the work is not called`() throws {
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        let result = try stage.end(of: use { _ in 1 })
        let error = #expect(throws: BluetoothError.self) { try result.get() }
        #expect(error?.kind == .connectFailed("le-connection-refused"))
        #expect(!times.hasBegun)
        stage.expectSettled()
    }

    @Test(.proves(.S120)) func `A second connection fails at once, and the first one stays`() throws {
        let link = stage.connect(peripheral)
        let result = try stage.end(of: use { _ in 1 })
        let error = #expect(throws: BluetoothError.self) { try result.get() }
        #expect(error?.kind == .alreadyConnected)
        #expect(link.isLive && stage.isLinked())
        #expect(stage.count("Disconnect") == 0)
    }

    @Test(.proves(.S120)) func `A link of another program stays open`() throws {
        let other = stage.otherProgram("Connect")
        stage.advance(1_000)
        stage.simulation.bluez.forgetCalls()
        let result = try stage.end(of: use { _ in 1 })
        #expect(try result.get() == 1)
        #expect(stage.isLinked())
        #expect(stage.count("Disconnect") == 0)
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.S121)) func `With reconnection, a link loss does not cancel the work`() throws {
        let (continuing, proceed) = AsyncStream<Void>.makeStream()
        let task = use(options: .reconnect()) { _ -> Bool in
            for await _ in continuing { break }
            return Task.isCancelled
        }
        stage.advance { times.hasBegun }
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5_000)
        #expect(stage.count("Connect") == 2)
        proceed.yield()
        let result = try stage.end(of: task)
        #expect(try result.get() == false)
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.S120)) func `Several connections in a row each have their own link`() throws {
        for number in 1...3 {
            let result = try stage.end(of: use { _ in number })
            #expect(try result.get() == number)
            #expect(!stage.isLinked())
        }
        #expect(stage.count("Connect") == 3 && stage.count("Disconnect") == 3)
    }

    @Test(.proves(.S122)) func `A loop over connection states ends with its task`() throws {
        let states = Guarded<[ConnectionState]>([])
        let loop = stage.scheduler.startTask { [peripheral] in
            for try await state in peripheral.connectionState.values { states.withLock { $0.append(state) } }
        }
        stage.advance { !states.withLock(\.isEmpty) }
        let result = try stage.end(of: use { _ in 1 })
        #expect(try result.get() == 1)
        stage.advance { states.withLock(\.count) == 5 }
        let closed = BluetoothError(.disconnected(.requested), target: Sensor.text)
        #expect(
            states.withLock { $0 }
                == [.disconnected(nil), .connecting, .connected, .disconnecting, .disconnected(closed)])
        loop.cancel()
        let end = try stage.end(of: loop)
        #expect(throws: CancellationError.self) { try end.get() }
    }
}
