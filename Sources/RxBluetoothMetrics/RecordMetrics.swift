public import CoreMetrics
import FoundationEssentials
public import Rx
public import RxBluetooth
import Synchronization

extension BluetoothManager {
    /// Records the metrics of the manager until the result is disposed of.
    ///
    /// ``BluetoothMetric`` lists the instruments. The recording subscribes to ``RxBluetooth/BluetoothManager/events``,
    /// which keeps the manager alive, and runs on the manager's queue. If no backend is installed, nothing is
    /// subscribed to, so there is no cost. Install the backend before the call. Example:
    ///
    ///     MetricsSystem.bootstrap(backend)
    ///     let recording = manager.recordMetrics()
    ///
    /// - Parameter factory: The backend. Default: the one that the program has installed.
    public func recordMetrics(to factory: any MetricsFactory = MetricsSystem.factory) -> any Disposable {
        if factory is NOOPMetricsHandler { return Disposables.create() }
        let recorder = MetricsRecorder(factory)
        return events.subscribe(onNext: { recorder.record($0) })
    }
}

extension ObservableType where Element == ScannedPeripheral {
    /// Returns the same stream, and counts its elements as ``BluetoothMetric/scanResults``.
    ///
    /// A backend derives the scan rate from this counter. If no backend is installed, the stream itself is returned.
    ///
    /// - Parameter factory: The backend. Default: the one that the program has installed.
    public func countingScanResults(
        to factory: any MetricsFactory = MetricsSystem.factory
    ) -> Observable<ScannedPeripheral> {
        if factory is NOOPMetricsHandler { return asObservable() }
        let results = Counter(label: BluetoothMetric.scanResults.rawValue, factory: factory)
        return asObservable().do(onNext: { _ in results.increment() })
    }
}

/// Translates events into instruments.
private final class MetricsRecorder: Sendable {
    private let factory: any MetricsFactory
    private let state = Mutex(State())

    private struct State {
        /// The number of the latest event; 0 before the first one.
        var number: UInt64 = 0
        /// When the links of reconnecting connections were lost.
        var losses: [BluetoothAddress: BluetoothEvent] = [:]
    }

    init(_ factory: any MetricsFactory) { self.factory = factory }

    func record(_ event: BluetoothEvent) {
        let lost = state.withLock { state in
            defer { state.number = event.number }
            return state.number == 0 ? 0 : event.number - state.number - 1
        }
        if lost > 0 { count(.eventsLost, by: Int64(lost)) }
        switch event.kind {
        case .operationQueued(_, let waiting):
            Recorder(label: BluetoothMetric.queueDepth.rawValue, factory: factory).record(waiting)
        case .operationStarted(let operation, let waited): time(.operationWait, waited, Self.dimensions(operation))
        case .operationEnded(let operation, let took, let error):
            time(.operationDuration, took, Self.dimensions(operation, error?.code ?? "ok"))
        case .operationDropped(let operation, _, let error):
            count(.operationsDropped, Self.dimensions(operation, error?.code ?? "disposed"))
        case .operationOverdue(let operation, _, _): count(.operationsOverdue, Self.dimensions(operation))
        case .connection(let peripheral, .connected): connected(peripheral, event)
        case .connection(_, .disconnected(let error)): count(.disconnections, [("reason", Self.reason(error))])
        case .reconnection(let peripheral, let error, _, _):
            count(.reconnections, [("result", error.code)])
            state.withLock { $0.losses[peripheral.address] = $0.losses[peripheral.address] ?? event }
        case .valueDropped: count(.valuesDropped)
        case .scanResultsDropped(let number, _): count(.scanResultsDropped, by: Int64(number))
        case .scanRestarted: count(.scanRestarts)
        default: break
        }
    }

    private func connected(_ peripheral: Peripheral, _ event: BluetoothEvent) {
        count(.connections)
        guard let loss = state.withLock({ $0.losses.removeValue(forKey: peripheral.address) }) else { return }
        time(.recoveryTime, .seconds(max(0, event.time.timeIntervalSince(loss.time))), [])
    }

    private func count(_ metric: BluetoothMetric, _ dimensions: [(String, String)] = [], by amount: Int64 = 1) {
        Counter(label: metric.rawValue, dimensions: dimensions, factory: factory).increment(by: amount)
    }

    private func time(_ metric: BluetoothMetric, _ duration: Duration, _ dimensions: [(String, String)]) {
        let timer = Timer(label: metric.rawValue, dimensions: dimensions, factory: factory)
        timer.recordNanoseconds(Int64((duration / .nanoseconds(1)).rounded()))
    }

    private static func dimensions(_ operation: QueuedOperation, _ result: String? = nil) -> [(String, String)] {
        [("operation", operation.operation.rawValue)] + (result.map { [("result", $0)] } ?? [])
    }

    private static func reason(_ error: BluetoothError?) -> String {
        guard case .disconnected(let reason)? = error?.kind else { return error?.code ?? "none" }
        return reason.rawValue
    }
}
