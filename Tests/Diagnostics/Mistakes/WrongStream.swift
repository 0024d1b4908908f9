import RxBluetooth

func wrongStream(peripherals: Single<Peripheral>) -> Single<Service> {
    peripherals
        // error: cannot convert value of type 'Observable<Service>'
        .flatMap { $0.discoverServices() }
}
