import Dispatch
import Glibc
import RxBluetooth

let manager = BluetoothManager()
let subscription = manager.ready(within: .seconds(10))
    .andThen(manager.scanForPeripherals(withServices: ["180D"]))
    .take(1)
    .timeout(.seconds(30), scheduler: MainScheduler.instance)
    .flatMap { $0.peripheral.connect() }
    .flatMap { $0.observe(HeartRateMeasurement.self) }
    .subscribe(
        onNext: { print($0.beatsPerMinute, "bpm") }, onError: { print("failed: \($0)") }, onDisposed: { exit(1) })
dispatchMain()
