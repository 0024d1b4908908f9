import Rx
import RxBluetooth

/// What a person is told while a scan waits for Bluetooth to come back.
struct StatusNotes {
    let context: CommandContext

    /// Tells when Bluetooth cannot be used and when it can again. Never ends by itself.
    func ofBluetooth() -> Observable<Never> {
        context.manager.state.skip(while: { $0 == .poweredOn })
            .do(onNext: { state in
                context.note(state.obstacle.map { "Waiting: \($0)." } ?? "Bluetooth is back; going on.")
            })
            .ignoreElements()
    }
}

/// What a person is told while a connection that is lost is made again: each loss, each new cause why it is not made, and its
/// return.
final class LinkStatusNotes: Sendable {
    private struct State {
        /// Why there is no link; nil while there is one.
        var outage: BluetoothError?
        var isLost = false
    }

    private let state = Guarded(State())

    /// Why there is no link at present; nil while there is one, and before the first attempt has failed.
    var outage: BluetoothError? { state.withLock(\.outage) }

    /// Tells why attempts fail, each cause once. Never ends by itself.
    func ofAttempts(in context: CommandContext) -> Observable<Never> {
        context.manager.events
            .do(onNext: { [self] event in
                guard case .reconnection(_, let error, _, _) = event.kind, isNew(error) else { return }
                context.note("\(error.summary) Trying again.")
            })
            .ignoreElements()
    }

    /// Tells when the link to a device that is connected is lost and when it is back. Never ends by itself.
    func ofLink(to peripheral: Peripheral, in context: CommandContext) -> Observable<Never> {
        peripheral.connectionState
            .do(onNext: { [self] connection in
                switch connection {
                case .disconnected(let cause):
                    guard hasLost(cause) else { return }
                    context.note("\(cause?.summary ?? "\(peripheral): the link was lost.") Connecting again.")
                case .connected:
                    if isBack() { context.note("\(peripheral): connected again.") }
                case .connecting, .disconnecting: break
                }
            })
            .ignoreElements()
    }

    /// Notes why there is no link. Tells whether that is another cause than before.
    private func isNew(_ error: BluetoothError) -> Bool {
        state.withLock { state in
            defer { state.outage = error }
            return state.outage?.kind != error.kind
        }
    }

    /// Notes that there is no link. Tells whether there was one.
    private func hasLost(_ cause: BluetoothError?) -> Bool {
        state.withLock { state in
            guard !state.isLost else { return false }
            state.isLost = true
            state.outage = cause
            return true
        }
    }

    /// Notes that there is a link. Tells whether one was lost before.
    private func isBack() -> Bool {
        state.withLock { state in
            defer { state = State() }
            return state.isLost
        }
    }
}

extension ObservableType where Element: Sendable {
    /// The stream, with something to be told beside it until it ends.
    func withNotes(_ notes: Observable<Never>) -> Observable<Element> {
        let none = notes.materialize().compactMap { _ -> Event<Element>? in nil }
        return Observable<Event<Element>>.merge([materialize(), none])
            .take(until: { $0.isStopEvent }, behavior: .inclusive)
            .dematerialize()
    }
}

extension BluetoothState {
    /// What stands in the way, in words; nil where nothing does.
    fileprivate var obstacle: String? {
        switch self {
        case .poweredOn: nil
        case .poweredOff: "the Bluetooth adapter is off"
        case .blocked: "the Bluetooth adapter is blocked by rfkill"
        case .noAdapter: "there is no fitting Bluetooth adapter"
        case .daemonUnavailable: "bluetoothd is not running"
        case .unauthorized: "this process is not allowed to use bluetoothd"
        case .busUnavailable: "the system bus is not there"
        }
    }
}
