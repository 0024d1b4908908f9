import RxBluetooth

func wrongReturnType(peripherals: Observable<Peripheral>) -> Observable<String> {
    peripherals
        // error: requires that 'String?' conform to 'ObservableConvertibleType'
        .flatMap { $0.name }
}
