import RxBluetoothMocks

func inAScenario(strap: SimulatedPeripheral) -> Scenario {
    Scenario(seed: 7) {
        strap
        Quirk.Q72
        // error: type 'Fault.Effect' has no member 'lte'
        Fault("Device1.Connect", calls: .first(1), .lte)
        at(.seconds(30)) { $0.dropLink(to: strap.address, reason: .timeout) }
    }
}
