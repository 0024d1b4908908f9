import RxBluetooth

func nestedMap(services: Observable<Service>, bag: DisposeBag) {
    services
        .flatMap { service in
            service.discoverCharacteristics()
                .flatMap { $0.readValue() }
                // error: value of type 'Service' has no member 'uid'
                .map { (service.uid, $0) }
        }
        .subscribe(onNext: { uuid, value in print(uuid, value) })
        .disposed(by: bag)
}
