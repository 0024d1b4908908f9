import Rx
import RxBluetooth

/// Notes that a scan prints while Bluetooth is unavailable.
struct StatusNotes {
    let context: CommandContext

    /// Prints a note when Bluetooth becomes unavailable or available again. Never ends by itself.
    func ofBluetooth() -> Observable<Never> { notes(of: context.manager.obstacle) }

    /// Prints a note when bluetoothd or the bus becomes unavailable or available again. Never ends by itself.
    func ofDaemon() -> Observable<Never> {
        notes(
            of: context.manager.obstacle.map { error in
                switch error?.kind {
                case .daemonUnavailable, .busUnavailable, .unauthorized: error
                default: nil
                }
            })
    }

    private func notes(of obstacles: Observable<BluetoothError?>) -> Observable<Never> {
        obstacles.map { $0?.obstacle }.distinctUntilChanged().skip(while: { $0 == nil })
            .do(onNext: { obstacle in
                context.note(obstacle.map { "Waiting: \($0)." } ?? "Bluetooth is available again; continuing.")
            })
            .ignoreElements()
    }
}

/// Notes that a reconnecting command prints about its link.
///
/// There is a note for each lost link, each new cause of failed attempts, and each reconnection.
final class LinkStatusNotes: Sendable {
    private struct OutageState {
        /// Why the device is not connected; nil while the device is connected.
        var outage: BluetoothError?
        var isLost = false
    }

    private let state = Guarded(OutageState())

    /// Why the device is not connected; nil while connected, and until the first attempt has failed.
    var outage: BluetoothError? { state.withLock(\.outage) }

    /// Prints why attempts to connect fail, once for each new cause. Never ends by itself.
    func ofAttempts(in context: CommandContext) -> Observable<Never> {
        context.manager.events
            .do(onNext: { [self] event in
                guard case .reconnection(_, let error, _, _) = event.kind, recordFailure(error) else { return }
                context.note("\(error.summary) Trying again.\(error.noteOnLostBond)")
            })
            .ignoreElements()
    }

    /// Prints a note when the link to a device is lost, and when it is back. Never ends by itself.
    func ofLink(to peripheral: Peripheral, in context: CommandContext) -> Observable<Never> {
        peripheral.connectionState
            .do(onNext: { [self] connection in
                switch connection {
                case .disconnected(let cause):
                    guard recordLoss(cause) else { return }
                    let summary = cause?.summary ?? "\(peripheral): the link was lost."
                    context.note("\(summary) Reconnecting.\(cause?.noteOnLostBond ?? "")")
                case .connected:
                    if recordReturn() { context.note("\(peripheral): connected again.") }
                case .connecting, .disconnecting: break
                }
            })
            .ignoreElements()
    }

    /// Records why an attempt failed. Returns whether the cause differs from the recorded one.
    private func recordFailure(_ error: BluetoothError) -> Bool {
        state.withLock { state in
            defer { state.outage = error }
            let isNewSuspicion = error.mayHaveLostBond && state.outage?.mayHaveLostBond == false
            return state.outage?.kind != error.kind || isNewSuspicion
        }
    }

    /// Records that the link is lost. Returns false if the loss was already recorded.
    private func recordLoss(_ cause: BluetoothError?) -> Bool {
        state.withLock { state in
            guard !state.isLost else { return false }
            state.isLost = true
            state.outage = cause
            return true
        }
    }

    /// Records that the device is connected. Returns whether a lost link was recorded before.
    private func recordReturn() -> Bool {
        state.withLock { state in
            defer { state = OutageState() }
            return state.isLost
        }
    }
}

extension ObservableType where Element: Sendable {
    /// Returns the same stream, which also subscribes to `effects` until the stream ends.
    func alongside(_ effects: Observable<Never>) -> Observable<Element> {
        let none = effects.materialize().compactMap { _ -> Event<Element>? in nil }
        return Observable<Event<Element>>.merge([materialize(), none])
            .take(until: { $0.isStopEvent }, behavior: .inclusive)
            .dematerialize()
    }
}

extension BluetoothError {
    /// Why Bluetooth is unavailable, as a phrase.
    var obstacle: String {
        switch kind {
        case .poweredOff: "the Bluetooth adapter is off"
        case .blocked: "the Bluetooth adapter is blocked by rfkill"
        case .noAdapter: "there is no matching Bluetooth adapter"
        // Only a bluetoothd that runs has a detail.
        case .daemonUnavailable where detail != nil: "bluetoothd runs, but does not reply"
        case .daemonUnavailable: "bluetoothd is not running"
        case .unauthorized: "this process is not allowed to use bluetoothd"
        case .busUnavailable: "there is no system bus"
        default: "Bluetooth cannot be used: \(code)"
        }
    }
}
