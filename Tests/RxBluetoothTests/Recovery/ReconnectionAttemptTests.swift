import RxBluetooth
import RxBluetoothMocks
import Testing

struct ReconnectionAttemptTests {
    @Test func `Failed attempts before an outage do not count after it`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        let policy = Reconnection(initialDelay: .seconds(10), maximumDelay: .seconds(10), jitter: 0, attempts: 2)
        let link = stage.record(peripheral.connect(options: .reconnect(policy)))
        stage.advance(1_000)
        #expect(stage.count("Connect") == 1)
        stage.simulation.bluez.setPower(false)
        stage.advance(20_000)
        #expect(stage.count("Connect") == 1)
        stage.simulation.bluez.setPower(true)
        stage.advance(5_000)
        #expect(stage.count("Connect") == 2)
        #expect(link.isLive)
        stage.advance(15_000)
        #expect(stage.count("Connect") == 3)
        #expect(link.kind == .connectFailed("le-connection-refused"))
    }
}
