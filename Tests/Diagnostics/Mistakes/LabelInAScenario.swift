import RxBluetoothMocks

func labelInAScenario() -> Scenario {
    Scenario {
        // error: incorrect argument label in call (have '_:adress:_:', expected '_:address:_:')
        SimulatedPeripheral("Strap", adress: "C0:FF:EE:00:00:01") {
            SimulatedService("180f") {
                SimulatedCharacteristic("2a19", .read([87]))
            }
        }
    }
}
