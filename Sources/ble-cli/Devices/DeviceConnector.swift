import Rx
import RxBluetooth

/// The way to a peripheral's characteristics: finding it, connecting, and discovering what it has, within the time limit.
struct DeviceConnector {
    let context: CommandContext
    let target: Target
    /// What is told of lost links when the connection is to be made again whenever it is lost; nil when it is not.
    var notes: LinkStatusNotes?

    /// Emits what the peripheral has, once, and stays connected while it is subscribed to. Fails when the link is lost.
    func tree() -> Observable<GATTTree> {
        Observable.deferred {
            let stage = ConnectionProgress(notes: notes)
            let connected = DeviceFinder(context: context, target: target).find()
                .do(onNext: { stage.enter(.connecting($0)) })
                .flatMap { ClosingLinkWait(context: context).gone($0.peripheral) }
                .flatMap { $0.connect(options: notes == nil ? ConnectOptions() : .reconnect()) }
                .do(onNext: { stage.enter(.discovering($0)) })
                .flatMap { GATTTree.discover($0) }
            let late = context.timer(context.options.patience).map { _ -> GATTTree in
                throw stage.failure(target, after: context.options.patience)
            }
            // Whichever speaks first: with the tree, the limit is off.
            let limited = connected.amb(late)
            return notes.map { limited.withNotes($0.ofAttempts(in: context)) } ?? limited
        }
    }

    /// Does work with what the peripheral has, then disconnects.
    func use<Element>(_ work: @escaping @Sendable (GATTTree) throws -> Observable<Element>) -> Observable<Element> {
        // The connection never completes by itself; the work's end is made an element, so that it can end both.
        tree()
            .flatMap { try work($0).materialize() }
            .take(until: { $0.isStopEvent }, behavior: .inclusive)
            .dematerialize()
    }
}

/// A link that an earlier run of this program has left to bluetoothd to close, which takes it 2 s.
///
/// Nothing on the bus tells such a link from one that another program uses, and sharing it would end with a lost link. So a
/// device that is connected already is used only when it has stayed so for longer than that.
struct ClosingLinkWait {
    let context: CommandContext

    private static let longest = Duration.milliseconds(2_400)
    private static let pause = Duration.milliseconds(100)

    /// Emits the peripheral and completes: at once if it is not connected, and otherwise when its link is down or has stayed up.
    func gone(_ peripheral: Peripheral) -> Observable<Peripheral> {
        // A time limit that is shorter than the wait leaves half of itself for the rest.
        let patience = context.options.patience
        return wait(for: peripheral, left: patience > Self.longest ? Self.longest : patience / 2)
    }

    private func wait(for peripheral: Peripheral, left: Duration) -> Observable<Peripheral> {
        context.manager.retrieveConnectedPeripherals().asObservable().flatMap { connected -> Observable<Peripheral> in
            guard left > .zero, connected.contains(peripheral) else { return .just(peripheral) }
            return context.timer(Self.pause).flatMap { _ in wait(for: peripheral, left: left - Self.pause) }
        }
    }
}

/// How far a connection has come, to tell what took too long.
final class ConnectionProgress: Sendable {
    enum Step: Sendable {
        case finding
        case connecting(DeviceCandidates.Candidate)
        case discovering(Peripheral)
    }

    private let step = Guarded(Step.finding)
    private let notes: LinkStatusNotes?

    init(notes: LinkStatusNotes? = nil) { self.notes = notes }

    /// A signal that is weaker may be too weak for a connection, in dBm.
    private static let weak: Int16 = -85

    func enter(_ next: Step) { step.withLock { $0 = next } }

    func failure(_ target: Target, after limit: Duration) -> CLIError {
        switch step.withLock({ $0 }) {
        case .finding:
            return CLIError(
                .notFound,
                "No device \(target) was heard within \(limit.text). Check that it is on and near; see ble-cli scan.")
        case .connecting(let device):
            let what = "Connecting \(device.peripheral): it was not connected within \(limit.text)"
            if let cause = notes?.outage {
                return CLIError(.timedOut, "\(what). Last cause: \(cause.summary) Give --timeout more.").after(cause)
            }
            return CLIError(.timedOut, "\(what). \(Self.advice(device.rssi))")
        case .discovering(let peripheral):
            return CLIError(
                .timedOut,
                "Discovering the services of \(peripheral): it took more than \(limit.text). Give --timeout more.")
        }
    }

    private static func advice(_ rssi: Int16?) -> String {
        let accepts = "it may accept no connections, as a beacon, or be connected to another device"
        return switch rssi {
        case let rssi? where rssi < weak: "Its signal is weak (\(rssi) dBm); it may be too far away, or \(accepts)."
        case let rssi?: "It is heard (\(rssi) dBm), but \(accepts)."
        case nil: "Check that it is on and near; \(accepts)."
        }
    }
}
