import FoundationEssentials
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Subscribers who are called in the bus's own context, and ask for more from there.
@Suite(.timeLimit(.minutes(5)))
struct ReentrancyTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation
    private let manager: BluetoothManager
    private let heard = Notebook()
    private let bag = DisposeBag()

    init() {
        simulation = Ground.simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: scheduler)
        manager = BluetoothManager(bus: simulation.connect(), scheduler: AtOnce())
    }

    private var words: [String] { heard.lines }

    @Test(.proves(.S16, .Q23)) func `From within an element anything may be asked for, and is answered`() {
        let (manager, heard, bag) = (manager, heard, bag)
        @Sendable func hear(_ word: String) { heard.note(word) }
        manager.scanForPeripherals().take(1).subscribe(onNext: { scanned in
            hear("scan")
            // Each of these calls back before it returns, or in the same turn.
            manager.state.take(1).subscribe(onNext: { hear("state \($0)") }).disposed(by: bag)
            manager.knownPeripherals().subscribe(onSuccess: { hear("known \($0.count)") }).disposed(by: bag)
            manager.scanForPeripherals().take(1).subscribe(onNext: { _ in hear("scan again") }).disposed(by: bag)
            scanned.peripheral.connect().subscribe(
                onNext: { peripheral in
                    hear("connected")
                    peripheral.connect().subscribe(onError: { _ in hear("refused") }).disposed(by: bag)
                    peripheral.discoverServices([Sensor.service]).flatMap { $0.discoverCharacteristics([Sensor.value]) }
                        .subscribe(onNext: { characteristic in
                            characteristic.readValue().subscribe(onSuccess: { value in
                                hear("read \(value)")
                                characteristic.writeValue([2]).subscribe(onCompleted: {
                                    peripheral.disconnect().subscribe(onCompleted: { hear("disconnected") }).disposed(
                                        by: bag)
                                }).disposed(by: bag)
                            }).disposed(by: bag)
                        }).disposed(by: bag)
                }, onError: { _ in hear("link over") }
            ).disposed(by: bag)
        }).disposed(by: bag)
        scheduler.advanceBy(10_000)
        #expect(
            words.sorted() == [
                "connected", "disconnected", "known 1", "link over", "read [1]", "refused", "scan", "scan again",
                "state poweredOn",
            ])
        end()
    }

    @Test(.proves(.S16)) func `From within an error the same is asked for again, and works`() {
        let (manager, heard, bag) = (manager, heard, bag)
        @Sendable func scan(_ rest: Int) {
            manager.scanForPeripherals().subscribe(
                onNext: { _ in heard.note("heard") },
                onError: { error in
                    heard.note((error as? BluetoothError)?.code ?? "?")
                    if rest > 0 { scan(rest - 1) }
                }
            ).disposed(by: bag)
        }
        scan(2)
        scheduler.advanceBy(1_000)
        simulation.bluez.setPower(false)
        scheduler.advanceBy(3_000)
        // The second and the third fail at once, for the adapter is off.
        #expect(words == ["heard", "adapter-off", "adapter-off", "adapter-off"])
        simulation.bluez.setPower(true)
        scheduler.advanceBy(3_000)
        scan(0)
        scheduler.advanceBy(1_000)
        #expect(words.last == "heard")
        end()
    }

    @Test(.proves(.S16)) func `From within an element everything may be let go`() {
        let (manager, heard) = (manager, heard)
        let subscription = SerialDisposable()
        subscription.disposable = manager.scanForPeripherals().take(1)
            .flatMap { $0.peripheral.connect() }
            .subscribe(onNext: { _ in
                heard.note("connected")
                subscription.dispose()
                manager.close().subscribe(onCompleted: { heard.note("closed") }).disposed(by: bag)
            })
        scheduler.advanceBy(10_000)
        #expect(words == ["connected", "closed"])
        #expect(simulation.recorder.count("Device1.Disconnect") == 1)
        end()
    }

    private func end() { if Ground.isPrivateBus { simulation.bus.shutDown() } }
}

/// Does everything where it is asked to, which is the bus's context: whoever holds a lock there, or waits, would never come back.
private struct AtOnce: SchedulerType {
    var now: RxTime { Date(timeIntervalSince1970: 0) }

    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { action(state) }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { Disposables.create() }
}
