import Rx
import RxBluetooth

/// Writes one value. Says nothing where that succeeds, but for an object where JSON is asked for.
struct WriteVerb: Verb {
    let target: Target
    let choice: CharacteristicChoice
    let value: [UInt8]
    var type = Characteristic.WriteType.withResponse

    func run(in session: Session) -> Observable<Never> {
        Connecting(session: session, target: target)
            .use { catalogue in
                let characteristic = try catalogue.characteristic(choice)
                return characteristic.writeValue(value, type: type).asObservable()
                    .do(onCompleted: { try report(characteristic, in: session) })
            }
    }

    private func report(_ characteristic: Characteristic, in session: Session) throws {
        guard session.options.json else { return }
        let members =
            characteristic.jsonMembers(at: session.scheduler.now) + [
                ("value", .string(HexBytes.text(value))), ("response", .bool(type == .withResponse)),
            ]
        try session.output.line(JSON.object(members).text)
    }
}
