import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Deadlines of the library that include the time in which a call is queued in the bus connection.
struct QueuedCallDeadlineTests {
    private func manager(_ stage: Stage) -> (CrowdedBus, BluetoothManager) {
        let bus = CrowdedBus(stage.simulation.connect())
        return (bus, BluetoothManager(configuration: .init(scheduler: stage.scheduler, deadlines: .prompt), bus: bus))
    }

    @Test(.proves(.Q9)) func `delivered completes within the cleanup deadline while its call is queued`() {
        let (stage, _) = Stage.withSensor()
        let (bus, manager) = manager(stage)
        let state = stage.record(manager.state)
        stage.advance(100)
        #expect(state.elements == [.poweredOn])
        bus.isCrowded = true
        let delivered = stage.record(manager.delivered())
        stage.advance(1_999)
        #expect(delivered.isLive)
        stage.advance(1)
        #expect(delivered.isCompleted)
        bus.isCrowded = false
        let again = stage.record(manager.delivered())
        stage.advance(0)
        #expect(again.isCompleted)
        stage.advance(5_000)
        #expect(again.times.count == 1)
    }

    @Test(.proves(.Q9, .Q32)) func `A lost link is reported within half a second while its query is queued`() {
        let (stage, _) = Stage.withSensor()
        let (bus, manager) = manager(stage)
        let found = stage.record(manager.peripheral(Sensor.address))
        stage.advance(500)
        let link = stage.record(found.elements[0].connect())
        stage.advance(500)
        #expect(link.elements.count == 1)
        bus.isCrowded = true
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(499)
        #expect(link.isLive)
        stage.advance(1)
        #expect(link.kind == .linkLost(.remote))
        #expect(link.times.count == 2)
    }
}
