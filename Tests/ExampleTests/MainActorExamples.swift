import RxBluetooth
import RxBluetoothMocks
import Testing

/// A view model: Swift checks that its state changes on the main actor only.
@MainActor final class StrapModel {
    private(set) var state = BluetoothState.poweredOff
    private(set) var beatsPerMinute: Double?
    private(set) var message: String?
    private let bag = DisposeBag()

    func show(_ manager: BluetoothManager) {
        manager.state
            .subscribeOnMainActor(with: self, onNext: { model, state in model.state = state })
            .disposed(by: bag)
    }

    func show(_ strap: Peripheral) {
        strap.connect(options: .reconnect())
            .flatMap { $0.observe(HeartRateMeasurement.self) }
            .subscribeOnMainActor(
                with: self,
                onNext: { model, heart in model.beatsPerMinute = heart.beatsPerMinute },
                onError: { model, error in model.message = "\(error)" }
            )
            .disposed(by: bag)
    }

    /// The closure runs on the main actor, because this method does.
    func measure(_ strap: Peripheral) async throws {
        try await strap.withConnection { strap in
            self.beatsPerMinute = try await strap.observe(HeartRateMeasurement.self).take(1).asSingle().value
                .beatsPerMinute
        }
    }
}

/// State of your own that closures share: an actor, or a lock. Swift rejects a captured variable.
actor Statistics {
    private(set) var count = 0

    func add(_ value: [UInt8]) { count += value.count }

    /// A loop in a method of the actor can change the state of the actor.
    func follow(_ values: Observable<[UInt8]>) async throws {
        for try await value in values.values { add(value) }
    }
}

struct MainActorExampleTests {
    @Test @MainActor func `A view model shows the state and the heart rate`() throws {
        let stage = ExampleStage()
        let model = StrapModel()
        model.show(stage.manager)
        let found = stage.scheduler.createObserver(ScannedPeripheral.self)
        let scan = stage.manager.scanForPeripherals(withServices: ["180D"]).subscribe(found)
        stage.advance(1_000)
        scan.dispose()
        #expect(model.state == .poweredOn)
        model.show(try #require(found.events.first?.value.element?.peripheral))
        stage.advance(3_000)
        #expect(model.beatsPerMinute == 62 || model.beatsPerMinute == 63)
        stage.simulation.bluez.setPower(false)
        stage.advance(1_000)
        #expect(model.state == .poweredOff && model.message == nil)
    }

    @Test func `An actor follows a stream`() async throws {
        let statistics = Statistics()
        try await statistics.follow(.from([[1, 2], [3]]))
        #expect(await statistics.count == 3)
    }
}
