import Rx
import RxBluetooth

/// Pairs with a device, so that its protected values can be read and written from then on.
struct PairVerb: Verb {
    let target: Target
    /// The passkey that the device wants; nil for a pairing that just works.
    var passkey: UInt32?

    var pairing: PairingPolicy { passkey.map { PairingPolicy(.passkey($0)) } ?? PairingPolicy(.justWorks) }

    func run(in session: Session) -> Observable<Never> {
        let late = session.timer(session.options.patience).map { _ -> Peripheral in
            throw Stage().failure(target, after: session.options.patience)
        }
        return Finder(session: session, target: target).find().amb(late).flatMap { peripheral in
            peripheral.pair().asObservable().do(onCompleted: {
                try session.show(peripheral, "is paired", ("paired", true))
            })
        }
    }
}

extension Session {
    /// Shows what has become of a device, as one line.
    func show(_ peripheral: Peripheral, _ text: String, _ member: (key: String, value: Bool)) throws {
        guard options.json else { return try output.line(Sanitiser.clean("\(peripheral) \(text).")) }
        let members: [(key: String, value: JSON)] = [
            ("time", .string(Timestamp.text(scheduler.now))), ("address", .string(peripheral.address.description)),
            ("name", .string(orNull: peripheral.name)), (member.key, .bool(member.value)),
        ]
        try output.line(JSON.object(members).text)
    }
}
