import DBus
import Rx

/// How the public types reach the bus's context: opens the bus when somebody first needs it, and again after it was lost.
final class BlueZAccess: Sendable {
    let settings: Settings
    private let open: @Sendable () -> any Bus
    private let opened = Guarded<Opened>(.notYet)
    let reports = BehaviorRelay<BlueZClient.Report?>(value: nil)

    private enum Opened {
        case notYet
        case client(BlueZClient)
        case closed
    }

    init(settings: Settings, open: @escaping @Sendable () -> any Bus) {
        self.settings = settings
        self.open = open
    }

    /// The client, opened where it is not yet; opening a bus blocks nobody and calls nobody back.
    func client() throws(BluetoothError) -> BlueZClient {
        let client: BlueZClient? = opened.withLock { opened in
            switch opened {
            case .client(let client): return client
            case .closed: return nil
            case .notYet:
                let client = BlueZClient(bus: open(), settings: settings) { [weak self] in self?.received($0) }
                opened = .client(client)
                return client
            }
        }
        guard let client else { throw BluetoothError(.closed) }
        return client
    }

    private func received(_ report: BlueZClient.Report) {
        reports.accept(report)
        guard report.isFinal else { return }
        // The next subscription opens a new bus. The old client goes outside the lock, for that closes its bus.
        let lost = opened.withLock { opened -> Opened in
            let previous = opened
            if case .client = previous { opened = .notYet }
            return previous
        }
        withExtendedLifetime(lost) {}
    }

    /// Makes all later use fail. Gives the client, where there is one, to be shut down.
    func close() -> BlueZClient? {
        opened.withLock { opened in
            defer { opened = .closed }
            if case .client(let client) = opened { return client }
            return nil
        }
    }

    /// A cold stream whose work happens in the bus's context. Elements are delivered on the manager's scheduler.
    func stream<Element: Sendable>(
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        BlueZClient.stream(on: settings.scheduler, { () throws(BluetoothError) in try self.client() }, begin)
    }
}

extension BlueZClient {
    /// A cold stream whose work happens in the bus's context: `begin` runs there for each subscription, and whatever it
    /// hands to ``Emitter/onEnd(_:)`` undoes it there.
    static func stream<Element: Sendable>(
        on scheduler: any SchedulerType, _ client: @escaping @Sendable () throws(BluetoothError) -> BlueZClient,
        _ begin: @escaping @Sendable (BlueZClient, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        Observable<Element>.create { observer in
            do throws(BluetoothError) {
                let client = try client()
                let emitter = Emitter(observer)
                let isGivenUp = Guarded(false)
                client.bus.perform {
                    // What was given up before its turn is never begun (S57).
                    if !isGivenUp.withLock({ $0 }) { begin(client, emitter) }
                }
                return Disposables.create {
                    isGivenUp.withLock { $0 = true }
                    // The client stays until what this undoes has begun, also where nobody else has it any more.
                    client.bus.perform { withExtendedLifetime(client) { emitter.dispose() } }
                }
            } catch {
                observer.onError(error)
                return Disposables.create()
            }
        }
        .observe(on: scheduler)
    }
}
