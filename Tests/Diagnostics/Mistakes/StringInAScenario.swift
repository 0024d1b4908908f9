import RxBluetoothMocks

func stringInAScenario() -> Scenario {
    Scenario {
        SimulatedAdapter()
        // error: a line of a scenario must be
        "Q72"
    }
}
