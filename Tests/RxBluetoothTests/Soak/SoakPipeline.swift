import Rx
import RxBluetooth
import RxTest

/// The work of a gateway with one sensor: scan, connect, read, receive notifications and disconnect.
final class SoakPipeline {
    /// How a pipeline ended.
    enum Outcome: Hashable {
        case done, givenUp
        case failed(String)
    }

    /// How a pipeline finds its sensor, and how it reads.
    struct Plan: Sendable {
        var count: Int
        var isReconnecting: Bool
        /// Whether the manager connects by address instead of scanning.
        var isDirect = false
        var use = Use.read
        var options = OperationOptions()
    }

    /// How a pipeline gets its first values.
    enum Use: CaseIterable, Sendable {
        case read, exclusive, channel
    }

    private let log = EventLog()
    private let subscription: any Disposable
    private(set) var isGivenUp = false
    let address: BluetoothAddress
    let plan: Plan

    private final class EventLog: Sendable {
        let state = Guarded(State())

        func reach(_ step: String) { state.withLock { $0.step = step } }
    }

    private struct State {
        /// The step that the pipeline has reached.
        var step = "scanning"
        var values = 0
        var ends = 0
        var error: (any Error)?
        var isGivenUp = false
        var lateEvents = 0
    }

    init(_ manager: BluetoothManager, _ address: BluetoothAddress, _ plan: Plan) {
        (self.address, self.plan) = (address, plan)
        let log = log
        let options = plan.isReconnecting ? .reconnect() : ConnectOptions()
        let found = manager.scanForPeripherals(
            withServices: [SoakRunner.service], options: ScanOptions(resumes: plan.isReconnecting)
        )
        .map(\.peripheral).filter { $0.address == address }.take(1)
        .do(onNext: { _ in log.reach("connecting") })
        .flatMap { $0.connect(options: options) }
        let connected = plan.isDirect ? manager.connect(to: address, kind: .random, options: options) : found
        subscription = connected.do(onNext: { _ in log.reach("discovering") })
            .flatMap { $0.discoverServices([SoakRunner.service]) }
            .flatMap { $0.discoverCharacteristics([SoakRunner.reading, SoakRunner.notifying]) }
            .do(onNext: { _ in log.reach("using") })
            .flatMap { characteristic in
                characteristic.uuid == SoakRunner.reading
                    ? Self.values(of: characteristic, plan) : characteristic.observeValueUpdates()
            }
            .take(plan.count)
            .subscribe { event in
                log.state.withLock { state in
                    if state.isGivenUp || state.ends > 0 { state.lateEvents += 1 }
                    switch event {
                    case .next: state.values += 1
                    case .error(let error): (state.ends, state.error) = (state.ends + 1, error)
                    case .completed: state.ends += 1
                    }
                }
            }
    }

    private static func values(of characteristic: Characteristic, _ plan: Plan) -> Observable<[UInt8]> {
        let peripheral = characteristic.peripheral
        switch plan.use {
        case .read: return characteristic.readValue(options: plan.options).asObservable()
        case .exclusive:
            return peripheral.exclusively(options: plan.options) { operations in
                operations.readValue(for: characteristic).asObservable()
                    .concat(operations.readValue(for: characteristic).asObservable())
            }
        case .channel:
            return peripheral.openL2CAPChannel(psm: SoakRunner.psm).flatMap { channel in
                Observable.merge(channel.received, channel.send([1]).andThen(.never()))
            }
            .take(1)
        }
    }

    func giveUp() {
        guard isLive else { return }
        log.state.withLock { $0.isGivenUp = true }
        subscription.dispose()
        isGivenUp = true
    }

    var isLive: Bool { log.state.withLock { $0.ends == 0 } && !isGivenUp }
    var step: String { log.state.withLock(\.step) }
    var values: Int { log.state.withLock(\.values) }

    /// The outcome; nil while the pipeline runs, or if it emitted an event after its end or disposal.
    var outcome: Outcome? {
        log.state.withLock { state in
            guard state.lateEvents == 0 else { return nil }
            if state.isGivenUp { return .givenUp }
            guard state.ends == 1 else { return nil }
            guard let error = state.error else { return .done }
            return (error as? BluetoothError).map { .failed("\($0.kind)") }
        }
    }
}
