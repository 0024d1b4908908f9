import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Quirks of bluetoothd that slow a connection attempt down or make it fail.
struct ConnectQuirkTests {
    private func stage(_ quirk: Quirk) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [Sensor.peripheral])
        scenario.quirks = [quirk]
        let stage = Stage(scenario)
        return (stage, stage.find(Sensor.address))
    }

    @Test(.proves(.Q64)) func `Connecting succeeds slowly during a scan, and quickly after it`() {
        let (stage, peripheral) = stage(.Q64)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(100)
        let link = stage.record(peripheral.connect())
        stage.advance(3_000)
        #expect(link.elements.isEmpty)
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        link.dispose()
        scan.dispose()
        stage.advance(5_000)
        let quick = stage.record(stage.manager.peripheral(Sensor.address))
        stage.advance(500)
        let second = stage.record(peripheral.connect())
        stage.advance(500)
        #expect(quick.isCompleted)
        #expect(second.elements == [peripheral])
    }

    @Test(.proves(.Q79)) func `A cancelled attempt is repeated if we did not cancel it`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", calls: .first(1), .error("org.bluez.Error.Failed", "br-connection-canceled")))
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(link.elements == [peripheral])
        #expect(stage.methods == ["Connect", "Connect"])
    }

    @Test(.proves(.Q83)) func `A Connect over classic Bluetooth fails with advice and can be repeated`() {
        let (stage, peripheral) = stage(.Q83)
        let link = stage.record(peripheral.connect())
        stage.advance(15_000)
        #expect(link.kind == .connectFailed("br-connection-page-timeout"))
        #expect(link.error?.advice?.contains("scan") == true)
        let again = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(again.elements == [peripheral])
    }
}
