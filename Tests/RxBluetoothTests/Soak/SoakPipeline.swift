import Rx
import RxBluetooth
import RxTest

/// What a gateway does with one sensor: find it, connect, read, take some notifications, and let go.
final class SoakPipeline {
    /// How one came to its end.
    enum Outcome: Hashable {
        case done, givenUp
        case failed(String)
    }

    private let journal = Journal()
    private let subscription: any Disposable
    private(set) var isGivenUp = false
    let address: BluetoothAddress
    let count: Int
    let isReconnecting: Bool

    private final class Journal: Sendable {
        let told = Guarded(Told())

        func reach(_ step: String) { told.withLock { $0.step = step } }
    }

    private struct Told {
        /// How far it came.
        var step = "scanning"
        var values = 0
        var ends = 0
        var error: (any Error)?
        var isGivenUp = false
        var tooLate = 0
    }

    init(
        _ manager: BluetoothManager, _ address: BluetoothAddress, wanting count: Int, reconnecting: Bool
    ) {
        (self.address, self.count, isReconnecting) = (address, count, reconnecting)
        let journal = journal
        subscription = manager.scanForPeripherals(
            withServices: [SoakWorld.service], options: ScanOptions(resumes: reconnecting)
        )
        .map(\.peripheral).filter { $0.address == address }.take(1)
        .do(onNext: { _ in journal.reach("connecting") })
        .flatMap { $0.connect(options: reconnecting ? .reconnect() : ConnectOptions()) }
        .do(onNext: { _ in journal.reach("discovering") })
        .flatMap { $0.discoverServices([SoakWorld.service]) }
        .flatMap { $0.discoverCharacteristics([SoakWorld.reading, SoakWorld.notifying]) }
        .do(onNext: { _ in journal.reach("using") })
        .flatMap { characteristic in
            characteristic.uuid == SoakWorld.reading
                ? characteristic.readValue().asObservable() : characteristic.observeValueUpdates()
        }
        .take(count)
        .subscribe { event in
            journal.told.withLock { told in
                if told.isGivenUp || told.ends > 0 { told.tooLate += 1 }
                switch event {
                case .next: told.values += 1
                case .error(let error): (told.ends, told.error) = (told.ends + 1, error)
                case .completed: told.ends += 1
                }
            }
        }
    }

    func giveUp() {
        guard isLive else { return }
        journal.told.withLock { $0.isGivenUp = true }
        subscription.dispose()
        isGivenUp = true
    }

    var isLive: Bool { journal.told.withLock { $0.ends == 0 } && !isGivenUp }
    var step: String { journal.told.withLock(\.step) }
    var values: Int { journal.told.withLock(\.values) }

    /// What it came to; nil while it runs, or where something was told that must not be.
    var outcome: Outcome? {
        journal.told.withLock { told in
            guard told.tooLate == 0 else { return nil }
            if told.isGivenUp { return .givenUp }
            guard told.ends == 1 else { return nil }
            guard let error = told.error else { return .done }
            return (error as? BluetoothError).map { .failed("\($0.kind)") }
        }
    }
}
