import RxBluetooth

func singleFlatMapToObservable(peripheral: Peripheral) -> Observable<[UInt8]> {
    peripheral.characteristic(0x2A37)
        // error: Write asObservable().flatMap
        .flatMap { $0.observeValueUpdates() }
        .take(3)
}
