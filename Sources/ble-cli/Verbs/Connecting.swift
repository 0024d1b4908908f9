import Rx
import RxBluetooth

/// The way to a peripheral's characteristics: finding it, connecting, and discovering what it has, within the time limit.
struct Connecting {
    let session: Session
    let target: Target
    /// Whether to connect again when the link is lost, for as long as it takes.
    var reconnects = false

    /// Emits what the peripheral has, once, and stays connected while it is subscribed to. Fails when the link is lost.
    func catalogue() -> Observable<Catalogue> {
        Observable.deferred {
            let stage = Stage()
            let connected = Finder(session: session, target: target).find()
                .do(onNext: { stage.enter(.connecting($0)) })
                .flatMap { $0.connect(options: reconnects ? .reconnect() : ConnectOptions()) }
                .do(onNext: { stage.enter(.discovering($0)) })
                .flatMap { Catalogue.discover($0) }
            let late = session.timer(session.options.patience).map { _ -> Catalogue in
                throw stage.failure(target, after: session.options.patience)
            }
            // Whichever speaks first: with the catalogue, the limit is off.
            return connected.amb(late)
        }
    }

    /// Does work with what the peripheral has, then disconnects.
    func use<Element>(_ work: @escaping @Sendable (Catalogue) throws -> Observable<Element>) -> Observable<Element> {
        // The connection never completes by itself; the work's end is made an element, so that it can end both.
        catalogue()
            .flatMap { try work($0).materialize() }
            .take(until: { $0.isStopEvent }, behavior: .inclusive)
            .dematerialize()
    }
}

/// How far a connection has come, to tell what took too long.
final class Stage: Sendable {
    enum Step: Sendable {
        case finding
        case connecting(Peripheral)
        case discovering(Peripheral)
    }

    private let step = Guarded(Step.finding)

    func enter(_ next: Step) { step.withLock { $0 = next } }

    func failure(_ target: Target, after limit: Duration) -> Failure {
        switch step.withLock({ $0 }) {
        case .finding:
            Failure(
                .notFound,
                "No device \(target) was heard within \(limit.text). Check that it is on and near; see ble-cli scan.")
        case .connecting(let peripheral):
            Failure(
                .timedOut,
                "Connecting \(peripheral): it was not connected within \(limit.text). Move closer, or give --timeout more."
            )
        case .discovering(let peripheral):
            Failure(
                .timedOut,
                "Discovering the services of \(peripheral): it took more than \(limit.text). Give --timeout more.")
        }
    }
}
