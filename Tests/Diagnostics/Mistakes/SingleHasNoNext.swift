import RxBluetooth

func singleHasNoNext(characteristic: Characteristic, bag: DisposeBag) {
    characteristic.readValue()
        // error: 'onNext:'
        .subscribe(onNext: { print($0) })
        .disposed(by: bag)
}
