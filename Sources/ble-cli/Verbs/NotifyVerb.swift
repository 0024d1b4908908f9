import Rx
import RxBluetooth

/// Shows the values that a characteristic sends: so many of them, or until the time limit, or until it is stopped.
///
/// The limit counts from the start, so it bounds finding and connecting too. At the limit it is done where values
/// came, and all of them where a number was asked for; where not, it took too long. A lost link
/// is a failure at any time, unless it is to be made again.
struct NotifyVerb: LinkVerb {
    let target: Target
    let choice: CharacteristicChoice
    /// How many values to wait for; nil for no end.
    var count: Int?
    /// Whether to connect again when the link is lost, and to go on.
    var reconnects = false

    func run(in session: Session) -> Observable<Never> {
        Observable.deferred {
            let clock = ElapsedClock(session.scheduler)
            let start = clock.time
            let notes = reconnects ? LinkNotes() : nil
            return Connecting(session: session, target: target, notes: notes)
                .use { catalogue in
                    let characteristic = try catalogue.characteristic(choice)
                    let values = limited(characteristic.observeValueUpdates(), after: clock.time - start, in: session)
                    return (notes.map { values.telling($0.ofLink(to: catalogue.peripheral, in: session)) } ?? values)
                        .do(onNext: { try session.show($0, of: characteristic) })
                        .reduce(0) { shown, _ in shown + 1 }
                        .do(onNext: { try judge($0, characteristic, notes?.outage, in: session) })
                }
                .ignoreElements()
        }
    }

    private func limited(
        _ values: Observable<[UInt8]>, after elapsed: Duration, in session: Session
    ) -> Observable<[UInt8]> {
        let wanted = count.map { values.take($0) } ?? values
        guard let timeout = session.options.timeout else { return wanted }
        return wanted.take(for: (timeout - elapsed).interval, scheduler: session.scheduler)
    }

    private func judge(
        _ shown: Int, _ characteristic: Characteristic, _ outage: BluetoothError?, in session: Session
    ) throws {
        guard let timeout = session.options.timeout, shown < count ?? 1 else { return }
        let source = "\(characteristic.uuid) of \(characteristic.peripheral)"
        let what =
            count.map { "Only \(shown) of \($0) values of \(source) came within \(timeout.text)." }
            ?? "No value of \(source) came within \(timeout.text)."
        guard let outage else { throw Failure(.timedOut, what) }
        throw Failure(.timedOut, "\(what) There is no link. Last cause: \(outage.summary)").after(outage)
    }
}
