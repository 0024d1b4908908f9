import RxBluetooth

func inRetry(peripheral: Peripheral) -> Observable<Peripheral> {
    peripheral.connect()
        .retry(when: { errors in
            // error: no member 'time'
            errors.flatMap { _ in Observable<Int>.time(1, scheduler: MainScheduler.instance) }
        })
}
