import RxBluetooth
import RxTest

func inATest(scheduler: TestScheduler, peripherals: Observable<Peripheral>) {
    let result = scheduler.start {
        peripherals
            .flatMap { $0.discoverServices() }
            // error: value of type 'Service' has no member 'uid'
            .map { $0.uid }
    }
    print(result.events)
}
