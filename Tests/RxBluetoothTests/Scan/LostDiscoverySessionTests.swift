import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Discovery sessions that bluetoothd drops without an error. Only `Discovering` shows the loss.
struct LostDiscoverySessionTests {
    private static func scanning() -> (Stage, ScriptedDaemon, Recording<ScannedPeripheral>) {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .oneDevice)
        daemon.always("SetDiscoveryFilter")
        daemon.always("StartDiscovery")
        daemon.always("StopDiscovery") {
            $0.fail(DBusError(name: "org.bluez.Error.Failed", message: "No discovery started"))
        }
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(0)
        show(true, daemon)
        stage.advance(0)
        return (stage, daemon, scan)
    }

    private static func show(_ isDiscovering: Bool, _ daemon: ScriptedDaemon) {
        daemon.change(
            ScriptedDaemon.Objects.adapterPath, "org.bluez.Adapter1", ["Discovering": .bool(isDiscovering)])
    }

    @Test(.proves(.Q34, .Q39)) func `A silently dropped discovery session is restarted for its subscribers`() {
        let (stage, daemon, scan) = Self.scanning()
        // The adapter was off and on again within one turn of bluetoothd's main loop, so no signal shows it as off.
        Self.show(false, daemon)
        stage.advance(9_999)
        #expect(daemon.count("StartDiscovery") == 1)
        stage.advance(1)
        #expect(daemon.count("StopDiscovery") == 1)
        #expect(daemon.count("StartDiscovery") == 2)
        Self.show(true, daemon)
        daemon.deviceChanges(["RSSI": .int16(-40)])
        stage.advance(60_000)
        #expect(scan.elements.map(\.rssi) == [-40])
        #expect(daemon.count("StartDiscovery") == 2)
        scan.dispose()
        stage.advance(0)
        stage.expectNoTimers()
    }

    @Test(.proves(.Q41)) func `A pause of discovery by bluetoothd causes no restart`() {
        let (stage, daemon, scan) = Self.scanning()
        for _ in 0..<5 {
            Self.show(false, daemon)
            stage.advance(5_000)
            Self.show(true, daemon)
            stage.advance(10_000)
        }
        #expect(daemon.count("StartDiscovery") == 1)
        #expect(daemon.count("StopDiscovery") == 0)
        #expect(scan.isLive)
    }

    @Test(.proves(.Q40)) func `A scan that ends in a discovery pause leaves no timer for the next scan`() {
        let (stage, daemon, scan) = Self.scanning()
        Self.show(false, daemon)
        stage.advance(5_000)
        scan.dispose()
        stage.advance(0)
        stage.expectNoTimers()
        let next = stage.record(stage.manager.scanForPeripherals())
        stage.advance(60_000)
        #expect(next.isLive)
        #expect(daemon.count("StartDiscovery") == 2)
        #expect(daemon.count("StopDiscovery") == 1)
    }
}
