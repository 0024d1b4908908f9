import RxBluetooth

func renamedConnected(peripheral: Peripheral) -> Bool {
    // error: 'isConnected' has been renamed to 'connectionState'
    peripheral.isConnected
}
