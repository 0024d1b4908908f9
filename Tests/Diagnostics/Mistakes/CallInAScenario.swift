import RxBluetoothMocks

func callInAScenario() -> Scenario {
    Scenario {
        SimulatedAdapter()
        // error: a line of a scenario must be
        print("scenario")
        Quirk.Q72
    }
}
