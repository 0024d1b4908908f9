import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

/// Decides by the kind of an error. Texts are for people: compare kinds, never texts.
func report(_ error: any Error) {
    guard let error = error as? BluetoothError else { return print("another error:", error) }
    switch error.kind {
    case .disconnected(let reason): print("the link is lost:", reason)
    case .attError: print("the peripheral refuses with ATT code", error.attCode ?? 0)
    case .needsPairing: print(error.isBondTooWeak ? "forget, then pair with a passkey" : "pair first")
    case .blocked: print(error.isHardwareBlocked ? "turn on the hardware switch" : "rfkill unblock bluetooth")
    default: print(error.code, error.operation?.rawValue ?? "", error.target ?? "")
    }
}

/// Repeats an operation while its error is temporary and it certainly had no effect.
func repeating<Value>(_ operation: Single<Value>, on scheduler: any SchedulerType) -> Single<Value> {
    operation.retry { (errors: Observable<any Error>) in
        errors.enumerated().flatMap { attempt, error -> Observable<Int> in
            guard let error = error as? BluetoothError, error.isTransient, !error.outcomeUnknown, attempt < 3 else {
                return .error(error)
            }
            return .timer(.seconds(1 << attempt), scheduler: scheduler)
        }
    }
}

/// The lines of a log entry: bluetoothd's own error helps its developers, and advice helps the user.
func logLines(_ error: BluetoothError) -> [String] {
    var lines = [error.summary]
    if let advice = error.advice { lines.append(advice) }
    if let detail = error.detail { lines.append(detail) }
    if let name = error.dbusName { lines.append("\(name): \(error.dbusMessage ?? "")") }
    return lines
}

struct ErrorExampleTests {
    @Test func `Errors are reported by their kind`() async throws {
        let stage = ExampleStage()
        let strap = try stage.find()
        let failures = stage.scheduler.createObserver([UInt8].self)
        let reading = strap.connect().flatMap { $0.characteristic("2A37") }.flatMap { $0.observeValueUpdates() }
            .do(onError: { report($0) }).subscribe(failures)
        stage.advance(2_000)
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        stage.advance(1_000)
        #expect(stage.lines == ["the link is lost: unknown"])
        let error = failures.events.last?.value.error as? BluetoothError
        #expect(error?.advice != nil && error?.isTransient == false)
        reading.dispose()
    }

    @Test func `A temporary error is repeated`() async throws {
        let stage = ExampleStage(
            Scenario(seed: 1) {
                Scenario.everyday.peripherals.map { .peripheral($0) }
                Fault("GattCharacteristic1.ReadValue", calls: .first(2), .error("org.bluez.Error.InProgress"))
            })
        let strap = try stage.find()
        let values = stage.scheduler.createObserver([UInt8].self)
        let reading = strap.connect().flatMap { $0.characteristic("2A38") }
            .flatMap { repeating($0.readValue(), on: stage.scheduler) }.subscribe(values)
        stage.advance(10_000)
        #expect(values.events.first?.value.element == [1])
        reading.dispose()
    }

    @Test func `The lines of a log have summary, advice and the error of bluetoothd`() {
        let error = BluetoothError(
            .poweredOff, operation: .scan, dbusName: "org.bluez.Error.NotReady", dbusMessage: "Resource Not Ready")
        #expect(logLines(error).count == 3)
        report(BluetoothError(.attError, attCode: 0x80))
    }
}
