import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// A connection that several subscribers share.
struct SharedConnectionTests {
    @Test(.proves(.S41)) func `Sharing subscribers use one attempt, and the last dispose closes the link`() {
        let (stage, peripheral) = Stage.withSensor()
        let shared = peripheral.connect().share(replay: 1, scope: .whileConnected)
        let waiting = (0..<3).map { _ in stage.record(shared) }
        stage.advance(50)
        waiting[0].dispose()
        stage.advance(500)
        #expect(waiting.map(\.elements) == [[], [peripheral], [peripheral]])
        let late = stage.record(shared)
        stage.advance(1)
        #expect(late.elements == [peripheral])
        waiting[1].dispose()
        waiting[2].dispose()
        stage.advance(5_000)
        #expect(stage.methods == ["Connect"])
        #expect(late.isLive)
        late.dispose()
        stage.advance(5_000)
        #expect(stage.methods == ["Connect", "Disconnect"])
        stage.expectSettled()
    }

    @Test(.proves(.S41)) func `A failed shared attempt fails every subscriber, and the next one connects`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", calls: .first(1), .error("org.bluez.Error.Failed", "le-connection-refused")))
        let shared = peripheral.connect().share(replay: 1, scope: .whileConnected)
        let waiting = [stage.record(shared), stage.record(shared)]
        stage.advance(1_000)
        #expect(
            waiting.map(\.kind) == [.connectFailed("le-connection-refused"), .connectFailed("le-connection-refused")])
        let next = stage.record(shared)
        stage.advance(1_000)
        #expect(next.elements == [peripheral])
        #expect(stage.methods == ["Connect", "Connect"])
    }

    @Test(.proves(.S41)) func `Disposing of all shared subscriptions cancels the attempt with one Disconnect`() {
        let (stage, peripheral) = Stage.withSensor()
        let shared = peripheral.connect().share(replay: 1, scope: .whileConnected)
        let waiting = [stage.record(shared), stage.record(shared)]
        stage.advance(50)
        for one in waiting { one.dispose() }
        stage.advance(5_000)
        #expect(stage.methods == ["Connect", "Disconnect"])
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.S42), .covers(.tasks), .timeLimit(.minutes(5)))
    func `Cancelling an awaiting task throws CancellationError and ends the attempt`() async throws {
        let scheduler = SerialDispatchQueueScheduler(qos: .default)
        let simulation = Simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: scheduler)
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        let peripheral = try await manager.peripheral(Sensor.address).asSingle().value
        simulation.bluez.setInRange(false, Sensor.text)
        try await manager.settled().value
        let attempt = Task { try await peripheral.connect().take(1).asSingle().value }
        for try await state in peripheral.connectionState.values where state == .connecting { break }
        attempt.cancel()
        await #expect(throws: CancellationError.self) { try await attempt.value }
        try await manager.settled().value
        #expect(simulation.recorder.count("Device1.Connect") == 1)
        #expect(simulation.recorder.count("Device1.Disconnect") == 1)
        try await manager.close().value
    }
}
