import RxBluetooth

func forgottenReturn(peripherals: Observable<Peripheral>) -> Observable<Service> {
    peripherals
        // error: cannot conform to 'ObservableConvertibleType'
        .flatMap { peripheral in
            print("connected to \(peripheral)")
            peripheral.discoverServices()
        }
}
