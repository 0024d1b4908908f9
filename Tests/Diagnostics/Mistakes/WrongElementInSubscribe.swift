import RxBluetooth

func show(_ text: String) { print(text) }

func wrongElementInSubscribe(characteristic: Characteristic, bag: DisposeBag) {
    characteristic.observeValueUpdates()
        // error: cannot convert value of type '[UInt8]' to expected argument type 'String'
        .subscribe(onNext: { show($0) })
        .disposed(by: bag)
}
