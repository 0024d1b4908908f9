import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// A battery service that bluetoothd hides, and whose level it reports by itself.
struct HiddenBatteryTests {
    private func setup(_ job: GATTJob) -> GATTSetup {
        var scenario = Scenario.strap()
        scenario.features = [.hiddenBattery]
        return GATTSetup(scenario, [DeviceSettings(.strap, [job])])
    }

    @Test func `A job reads a hidden battery level at its times`() {
        let setup = setup(GATTJob(.read(every: .seconds(10)), of: "2A19"))
        setup.advance(by: .seconds(60))
        let values = setup.values(of: .strap)
        #expect(values.count >= 4 && values.allSatisfy { $0.bytes == [87] }, "\(values)")
        #expect(setup.failures.isEmpty, "\(setup.failures)")
    }

    @Test func `A job observes a hidden battery level`() {
        let setup = setup(GATTJob(.notify, of: "2A19"))
        setup.advance(by: .seconds(60))
        #expect(setup.values(of: .strap).first?.bytes == [87])
        #expect(setup.failures.isEmpty, "\(setup.failures)")
    }
}
