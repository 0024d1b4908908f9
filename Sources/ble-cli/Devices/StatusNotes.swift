import Rx
import RxBluetooth

/// Notes that a scan prints while Bluetooth is unavailable.
struct StatusNotes {
    let context: CommandContext

    /// Prints when Bluetooth becomes unavailable and available again. Never ends by itself.
    func ofBluetooth() -> Observable<Never> {
        context.manager.state.skip(while: { $0 == .poweredOn })
            .do(onNext: { state in
                context.note(state.obstacle.map { "Waiting: \($0)." } ?? "Bluetooth is available again; continuing.")
            })
            .ignoreElements()
    }
}

/// Notes that a reconnecting command prints: each lost link, each new cause of failed attempts, and each reconnection.
final class LinkStatusNotes: Sendable {
    private struct OutageState {
        /// Why the device is not connected; nil while it is.
        var outage: BluetoothError?
        var isLost = false
    }

    private let state = Guarded(OutageState())

    /// Why the device is not connected; nil while it is, and before the first attempt has failed.
    var outage: BluetoothError? { state.withLock(\.outage) }

    /// Prints why attempts to connect fail, once for each new cause. Never ends by itself.
    func ofAttempts(in context: CommandContext) -> Observable<Never> {
        context.manager.events
            .do(onNext: { [self] event in
                guard case .reconnection(_, let error, _, _) = event.kind, recordFailure(error) else { return }
                context.note("\(error.summary) Trying again.")
            })
            .ignoreElements()
    }

    /// Prints when the link to a connected device is lost, and when it is back. Never ends by itself.
    func ofLink(to peripheral: Peripheral, in context: CommandContext) -> Observable<Never> {
        peripheral.connectionState
            .do(onNext: { [self] connection in
                switch connection {
                case .disconnected(let cause):
                    guard recordLoss(cause) else { return }
                    context.note("\(cause?.summary ?? "\(peripheral): the link was lost.") Reconnecting.")
                case .connected:
                    if recordReturn() { context.note("\(peripheral): connected again.") }
                case .connecting, .disconnecting: break
                }
            })
            .ignoreElements()
    }

    /// Records why an attempt failed. Returns whether the cause is a new one.
    private func recordFailure(_ error: BluetoothError) -> Bool {
        state.withLock { state in
            defer { state.outage = error }
            return state.outage?.kind != error.kind
        }
    }

    /// Records that the link is lost. Returns whether there was one.
    private func recordLoss(_ cause: BluetoothError?) -> Bool {
        state.withLock { state in
            guard !state.isLost else { return false }
            state.isLost = true
            state.outage = cause
            return true
        }
    }

    /// Records that there is a link. Returns whether one was lost before.
    private func recordReturn() -> Bool {
        state.withLock { state in
            defer { state = OutageState() }
            return state.isLost
        }
    }
}

extension ObservableType where Element: Sendable {
    /// The same stream, with side effects that run until it ends.
    func alongside(_ effects: Observable<Never>) -> Observable<Element> {
        let none = effects.materialize().compactMap { _ -> Event<Element>? in nil }
        return Observable<Event<Element>>.merge([materialize(), none])
            .take(until: { $0.isStopEvent }, behavior: .inclusive)
            .dematerialize()
    }
}

extension BluetoothState {
    /// Why Bluetooth is unavailable; nil if it is available.
    fileprivate var obstacle: String? {
        switch self {
        case .poweredOn: nil
        case .poweredOff: "the Bluetooth adapter is off"
        case .blocked: "the Bluetooth adapter is blocked by rfkill"
        case .noAdapter: "there is no matching Bluetooth adapter"
        case .daemonUnavailable: "bluetoothd is not running"
        case .unauthorized: "this process is not allowed to use bluetoothd"
        case .busUnavailable: "there is no system bus"
        }
    }
}
