import RxBluetooth

func inSingle(peripherals: Single<Peripheral>) -> Single<Int> {
    peripherals
        // error: value of type 'Peripheral' has no member 'readRSI'
        .flatMap { $0.readRSI() }
        .map { $0 + 100 }
}
