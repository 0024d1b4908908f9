import RxBluetoothMocks

func inAnEvent(strap: SimulatedPeripheral) -> Scenario {
    Scenario(seed: 7) {
        strap
        // error: has no member 'dropLinks'
        at(.seconds(30)) { $0.dropLinks(to: strap.address) }
        Quirk.Q72
    }
}
