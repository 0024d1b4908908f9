import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Controllers that report nothing although bluetoothd scans.
struct SilentControllerTests {
    private let stage = Stage()

    /// The number of signals about devices in the next seconds.
    private func signals() -> Int {
        _ = stage.seen()
        stage.run(.seconds(5))
        return stage.seen().count { $0.contains("dev_") }
    }

    private func restartScan() {
        stage.adapter("StopDiscovery")
        stage.run(.seconds(1))
        stage.scan()
    }

    @Test(.proves(.Q42), arguments: ControllerRemedy.allCases)
    func `A silent controller reports again after its remedy, not after a weaker one`(_ remedy: ControllerRemedy) {
        let bluez = stage.simulation.bluez
        stage.scan()
        #expect(signals() > 0)
        bluez.silenceController(until: remedy)
        #expect(signals() == 0)
        restartScan()
        #expect((signals() > 0) == (remedy <= .discoveryStart))
        bluez.setPower(false)
        bluez.setPower(true)
        stage.scan()
        #expect((signals() > 0) == (remedy <= .powerOn))
        bluez.setBlocked(true)
        bluez.setBlocked(false)
        stage.scan()
        #expect((signals() > 0) == (remedy <= .unblock))
        bluez.replugAdapter(as: 0)
        stage.run(.seconds(2))
        stage.scan()
        #expect(signals() > 0)
    }

    @Test func `A silence of the controller can end by itself`() {
        stage.scan()
        stage.simulation.bluez.silenceController(until: .plugIn)
        #expect(signals() == 0)
        stage.simulation.bluez.endSilence()
        #expect(signals() > 0)
    }
}
