import RxBluetooth

final class Gateway: Sendable {
    func withWeakSelf(manager: BluetoothManager, bag: DisposeBag) {
        manager.scanForPeripherals()
            .flatMap { [weak self] found -> Observable<Peripheral> in
                guard let self else { return .empty() }
                // error: value of type 'Gateway' has no member 'conect'
                return self.conect(found.peripheral)
            }
            .subscribe(onNext: { print($0) })
            .disposed(by: bag)
    }

    func connect(_ peripheral: Peripheral) -> Observable<Peripheral> { peripheral.connect() }
}
