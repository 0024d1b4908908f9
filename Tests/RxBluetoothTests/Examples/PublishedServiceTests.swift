import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@Test func aThermometerIsPublished() {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)  // a tick is a millisecond
    let simulation = Simulation(.everyday, scheduler: scheduler)
    let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())

    // The central reads the temperature, sets the interval, and receives a value at each interval.
    let interval = BehaviorSubject<[UInt8]>(value: [2])
    let temperature = LocalCharacteristic(
        0x2A1C, [.read, .notify],
        updates: interval.flatMapLatest {
            Observable<Int>.interval(.seconds(Int($0[0])), scheduler: scheduler).map { [0, UInt8(20 + $0)] }
        },
        onRead: { _ in .just([0, 20]) })
    let setting = LocalCharacteristic(
        0x2A21, .write,
        onWrite: { request in
            guard let seconds = request.value.first, seconds > 0 else {
                return .error(ATTError.invalidValueLength)
            }
            interval.onNext([seconds])
            return .empty()
        })
    let thermometer = LocalService(0x1809, characteristics: [temperature, setting])
    let advertisement = Advertisement(services: [0x1809], isConnectable: true)
    let subscription = Observable.merge(
        manager.publish([thermometer]).map { _ in }, manager.advertise(advertisement)
    ).subscribe()
    scheduler.advanceBy(100)

    let central = simulation.bluez.connectCentral()
    let read = central.read("2a1c")
    let write = central.write([], to: "2a21")
    central.subscribe(to: "2a1c")
    scheduler.advanceBy(5_000)
    #expect(read.value == [0, 20])
    #expect(write.error == 0x0D)
    #expect(central.updates.map(\.value) == [[0, 20], [0, 21]])
    subscription.dispose()
}
