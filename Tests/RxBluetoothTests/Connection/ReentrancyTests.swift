import FoundationEssentials
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Subscribers that run in the bus context and call the library there.
@Suite(.timeLimit(.minutes(5)))
struct ReentrancyTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    private let simulation: Simulation
    private let manager: BluetoothManager
    private let recorder = LineRecorder()
    private let bag = DisposeBag()

    init() {
        simulation = Ground.simulation(Scenario(peripherals: [Sensor.peripheral]), scheduler: scheduler)
        manager = BluetoothManager(configuration: .init(scheduler: InlineScheduler()), bus: simulation.connect())
    }

    private var lines: [String] { recorder.lines }

    @Test(.proves(.S16, .Q23)) func `Every call made in onNext is answered`() {
        let (manager, recorder, bag) = (manager, recorder, bag)
        @Sendable func note(_ line: String) { recorder.note(line) }
        manager.scanForPeripherals().take(1).subscribe(onNext: { scanned in
            note("scan")
            // Each call below may emit before it returns, or in the same turn of the bus context.
            manager.state.take(1).subscribe(onNext: { note("state \($0)") }).disposed(by: bag)
            manager.knownPeripherals().subscribe(onSuccess: { note("known \($0.count)") }).disposed(by: bag)
            manager.scanForPeripherals().take(1).subscribe(onNext: { _ in note("scan again") }).disposed(by: bag)
            scanned.peripheral.connect().subscribe(
                onNext: { peripheral in
                    note("connected")
                    peripheral.connect().subscribe(onError: { _ in note("refused") }).disposed(by: bag)
                    peripheral.discoverServices([Sensor.service]).flatMap { $0.discoverCharacteristics([Sensor.value]) }
                        .subscribe(onNext: { characteristic in
                            characteristic.readValue().subscribe(onSuccess: { value in
                                note("read \(value)")
                                characteristic.writeValue([2]).subscribe(onCompleted: {
                                    peripheral.disconnect().subscribe(onCompleted: { note("disconnected") }).disposed(
                                        by: bag)
                                }).disposed(by: bag)
                            }).disposed(by: bag)
                        }).disposed(by: bag)
                }, onError: { _ in note("link over") }
            ).disposed(by: bag)
        }).disposed(by: bag)
        scheduler.advanceBy(10_000)
        #expect(
            lines.sorted() == [
                "connected", "disconnected", "known 1", "link over", "read [1]", "refused", "scan", "scan again",
                "state poweredOn",
            ])
        end()
    }

    @Test(.proves(.S16)) func `A scan can be started again in onError`() {
        let (manager, recorder, bag) = (manager, recorder, bag)
        @Sendable func scan(_ rest: Int) {
            manager.scanForPeripherals().subscribe(
                onNext: { _ in recorder.note("element") },
                onError: { error in
                    recorder.note((error as? BluetoothError)?.code ?? "?")
                    if rest > 0 { scan(rest - 1) }
                }
            ).disposed(by: bag)
        }
        scan(2)
        scheduler.advanceBy(1_000)
        simulation.bluez.setPower(false)
        scheduler.advanceBy(3_000)
        // The first scan fails when the adapter is switched off. The second and the third one fail at once.
        #expect(lines == ["element", "powered-off", "powered-off", "powered-off"])
        simulation.bluez.setPower(true)
        scheduler.advanceBy(3_000)
        scan(0)
        scheduler.advanceBy(1_000)
        #expect(lines.last == "element")
        end()
    }

    @Test(.proves(.S16)) func `Disposing and closing the manager in onNext closes the link`() {
        let (manager, recorder) = (manager, recorder)
        let subscription = SerialDisposable()
        subscription.disposable = manager.scanForPeripherals().take(1)
            .flatMap { $0.peripheral.connect() }
            .subscribe(onNext: { _ in
                recorder.note("connected")
                subscription.dispose()
                manager.close().subscribe(onCompleted: { recorder.note("closed") }).disposed(by: bag)
            })
        scheduler.advanceBy(10_000)
        #expect(lines == ["connected", "closed"])
        #expect(simulation.recorder.count("Device1.Disconnect") == 1)
        end()
    }

    private func end() { if Ground.isPrivateBus { simulation.bus.shutDown() } }
}

/// A scheduler that runs each action at once on the caller's thread.
///
/// If the library held a lock or waited there, the tests would deadlock.
private struct InlineScheduler: SchedulerType {
    var now: RxTime { Date(timeIntervalSince1970: 0) }

    func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { action(state) }

    func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable { Disposables.create() }
}
