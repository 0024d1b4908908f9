import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// L2CAP channels that simulated devices open.
struct L2CAPListenerTests {
    private static func stage(failure: BluetoothError? = nil) -> (Stage, SimulatedL2CAP) {
        let sockets = SimulatedL2CAP(failure: failure)
        let stage = Stage(Scenario(peripherals: [Sensor.peripheral, Sensor.other]), channels: sockets)
        sockets.use(stage.simulation)
        return (stage, sockets)
    }

    @Test(.proves(.S116), .covers(.listening)) func `A device opens a channel, and data passes in both directions`()
        throws
    {
        let (stage, sockets) = Self.stage()
        let publishing = stage.record(
            stage.manager.publishL2CAPChannel(options: L2CAPChannelOptions(security: .authenticated)))
        stage.advance(10)
        let listener = try #require(publishing.elements.first)
        #expect(listener.psm == 128 && publishing.isLive)
        #expect(sockets.requests.first?.psm == 0 && sockets.requests.first?.peer == nil)
        #expect(sockets.requests.first?.security == .authenticated)
        // The attempt waits until there is a subscriber.
        stage.simulation.bluez.openChannel(.echo(mtu: 300), from: Sensor.text, psm: 128, sending: [[9], [8]])
        stage.advance(100)
        let channels = stage.record(listener.channels)
        stage.advance(10)
        let channel = try #require(channels.elements.first)
        #expect(channel.peripheral.address == Sensor.address && channel.mtu == 300)
        let received = stage.record(channel.received)
        let sent = stage.record(channel.send([1, 2, 3]))
        stage.advance(100)
        #expect(sent.isCompleted && received.elements == [[9], [8], [1, 2, 3]])
    }

    @Test(.proves(.S116)) func `Disposing closes the socket and all channels`() throws {
        let (stage, _) = Self.stage()
        let publishing = stage.record(stage.manager.publishL2CAPChannel(psm: 200))
        stage.advance(10)
        let listener = try #require(publishing.elements.first)
        let channels = stage.record(listener.channels)
        stage.advance(10)
        for address in [Sensor.text, "C0:FF:EE:00:00:22"] {
            stage.simulation.bluez.openChannel(.echo(), from: address, psm: 200)
        }
        stage.advance(10)
        #expect(channels.elements.count == 2)
        let received = channels.elements.map { stage.record($0.received) }
        stage.advance(10)
        publishing.dispose()
        stage.advance(100)
        #expect(channels.isCompleted)
        #expect(received.map(\.isCompleted) == [true, true])
        // The PSM is free again.
        let again = stage.record(stage.manager.publishL2CAPChannel(psm: 200))
        stage.advance(10)
        #expect(again.elements.first?.psm == 200)
        stage.expectSettled()
    }

    @Test(.proves(.S116)) func `A device that closes its channel does not end the listener`() throws {
        let (stage, _) = Self.stage()
        let publishing = stage.record(stage.manager.publishL2CAPChannel(psm: 200))
        stage.advance(10)
        let channels = stage.record(try #require(publishing.elements.first).channels)
        stage.simulation.bluez.openChannel(
            SimulatedChannel(closesAfter: 1), from: Sensor.text, psm: 200, sending: [[5]])
        stage.advance(10)
        let channel = try #require(channels.elements.first)
        let received = stage.record(channel.received)
        let sent = stage.record(channel.send([1]))
        stage.advance(100)
        #expect(sent.isCompleted && received.elements == [[5]] && received.isCompleted)
        #expect(publishing.isLive && channels.isLive)
        stage.simulation.bluez.openChannel(.echo(), from: Sensor.text, psm: 200)
        stage.advance(10)
        #expect(channels.elements.count == 2)
    }

    @Test(.proves(.S116)) func `A PSM in use, an invalid one and a missing permission are typed errors`() {
        let (stage, sockets) = Self.stage()
        let first = stage.record(stage.manager.publishL2CAPChannel(psm: 200))
        let second = stage.record(stage.manager.publishL2CAPChannel(psm: 200))
        stage.advance(10)
        #expect(first.elements.count == 1)
        #expect(second.kind == .registrationFailed("The PSM is in use"))
        #expect(second.error?.description.contains("another PSM") == true)
        for psm in [0, 256] as [UInt16] {
            #expect(stage.record(stage.manager.publishL2CAPChannel(psm: psm)).outcome(stage) == .invalidArgument)
        }
        #expect(sockets.requests.count == 2)
        let (other, _) = Self.stage(failure: BluetoothError(.unauthorized))
        let refused = other.record(other.manager.publishL2CAPChannel(psm: 3))
        #expect(refused.outcome(other) == .unauthorized)
        #expect(refused.error?.advice?.contains("PSM from 128") == true)
        #expect(refused.error?.operation == .publishChannel)
    }

    @Test(.proves(.S116), arguments: [BluetoothState.poweredOff, .noAdapter, .blocked])
    func `Losing the adapter ends the listener`(state: BluetoothState) throws {
        let (stage, _) = Self.stage()
        let publishing = stage.record(stage.manager.publishL2CAPChannel())
        stage.advance(10)
        let channels = stage.record(try #require(publishing.elements.first).channels)
        stage.bringAbout(state)
        stage.advance(100)
        #expect(publishing.error != nil && publishing.error?.operation == .publishChannel)
        #expect(channels.isCompleted)
    }

    @Test(.proves(.S5, .S116)) func `Neither a listener nor a channel keeps the manager alive`() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: scheduler)
        let sockets = SimulatedL2CAP()
        sockets.use(simulation)
        var configuration = BluetoothManager.Configuration(scheduler: scheduler)
        configuration.channels = sockets
        let bus = simulation.connect()
        let isClosed = Guarded(false)
        _ = bus.whenDisconnected { _ in isClosed.withLock { $0 = true } }
        var manager: BluetoothManager? = BluetoothManager(configuration: configuration, bus: bus)
        var publishing = manager.map { Recording($0.publishL2CAPChannel(psm: 200), scheduler) }
        scheduler.advanceBy(100)
        let listener = try #require(publishing?.elements.first)
        var channels: Recording<L2CAPChannel>? = Recording(listener.channels, scheduler)
        simulation.bluez.openChannel(.echo(), from: Sensor.text, psm: 200)
        scheduler.advanceBy(100)
        let channel = try #require(channels?.elements.first)
        manager = nil
        scheduler.advanceBy(100)
        #expect(!isClosed.withLock { $0 })
        publishing?.dispose()
        channels?.dispose()
        (publishing, channels) = (nil, nil)
        scheduler.advanceBy(5_000)
        #expect(isClosed.withLock { $0 })
        let late = Recording(listener.channels, scheduler)
        let sent = Recording(channel.send([1]).asObservable(), scheduler)
        let closed = Recording(channel.close().asObservable(), scheduler)
        scheduler.advanceBy(10)
        #expect(late.kind == .closed && sent.kind == .closed && closed.isCompleted)
        #expect(manager == nil)
    }

    @Test(.proves(.S116)) func `A restart of bluetoothd does not end the listener, and closing the manager does`() {
        let (stage, _) = Self.stage()
        let publishing = stage.record(stage.manager.publishL2CAPChannel())
        stage.advance(10)
        stage.simulation.bluez.crash()
        stage.advance(1_000)
        stage.simulation.bluez.start()
        stage.advance(1_000)
        #expect(publishing.isLive)
        let closed = stage.record(stage.manager.close())
        stage.advance(100)
        #expect(publishing.kind == .closed && closed.isCompleted)
    }
}
