import RxBluetooth

func valueOfObservable(peripheral: Peripheral) async throws -> Service {
    // error: value of type 'Observable<Service>' has no member 'value'
    try await peripheral.discoverServices().value
}
