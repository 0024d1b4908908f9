import DBus
import RxBluetoothMocks
import Testing

/// The same scenario with the same seed shows the same events.
struct DeterminismTests {
    private func events(seed: UInt64) -> [String] {
        var scenario = Scenario.everyday
        scenario.seed = seed
        let stage = Stage(scenario)
        stage.scan()
        stage.run(.seconds(5))
        stage.device(Stage.strap, "Connect")
        stage.run(.seconds(1))
        stage.characteristic(Stage.strap + "/service000a/char000b", "StartNotify")
        stage.run(.seconds(10))
        stage.simulation.bluez.crash()
        stage.simulation.bluez.start()
        stage.scan()
        stage.run(.seconds(10))
        return stage.seen()
    }

    @Test func `The same seed twice, and another seed`() {
        let first = events(seed: 7)
        #expect(first.count > 300)
        #expect(first == events(seed: 7))
        #expect(first != events(seed: 8))
    }

    @Test func `Simulations side by side do not know of each other`() {
        let one = Stage()
        let other = Stage()
        one.scan()
        one.run(.seconds(1))
        other.run(.seconds(1))
        #expect(other.objects() == ["hci0"])
        #expect(one.objects().count == 6)
    }
}
