import Rx
import RxBluetooth

/// What a person is told on stderr while a verb waits for Bluetooth, or for a device, to come back.
struct Interruptions {
    let session: Session

    /// Tells when Bluetooth cannot be used and when it can again. Never ends by itself.
    func ofBluetooth() -> Observable<Never> {
        session.manager.state.skip(while: { $0 == .poweredOn })
            .do(onNext: { state in
                session.note(state.obstacle.map { "Waiting: \($0)." } ?? "Bluetooth is back; going on.")
            })
            .ignoreElements()
    }

    /// Tells when the link to a device that is connected is lost and when it is back. Never ends by itself.
    func ofLink(to peripheral: Peripheral) -> Observable<Never> {
        peripheral.connectionState.scan(into: Link()) { $0.enter($1) }
            .do(onNext: { link in
                guard let change = link.change else { return }
                let text =
                    switch change {
                    case .lost(let cause): "\(cause.map(\.summary) ?? "\(peripheral): no link.") Connecting again."
                    case .back: "\(peripheral): connected again."
                    }
                session.note(text)
            })
            .ignoreElements()
    }

    private struct Link: Sendable {
        enum Change: Sendable {
            case lost(BluetoothError?)
            case back
        }

        private var isLost = false
        private(set) var change: Change?

        mutating func enter(_ state: ConnectionState) {
            change = nil
            switch state {
            case .disconnected(let cause) where !isLost:
                isLost = true
                change = .lost(cause)
            case .connected where isLost:
                isLost = false
                change = .back
            case .disconnected, .connecting, .connected, .disconnecting: break
            }
        }
    }
}

extension ObservableType where Element: Sendable {
    /// The stream, with something to be told beside it until it ends.
    func telling(_ notes: Observable<Never>) -> Observable<Element> {
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
