import Rx
import RxBluetooth

/// Writes one value. Prints nothing if that succeeds, but for an object with `--json`.
struct WriteVerb: LinkVerb {
    let target: Target
    let choice: CharacteristicChoice
    let value: [UInt8]
    /// Whether the device confirms it; nil for what the characteristic offers, with a confirmation if it offers both.
    var type: Characteristic.WriteType?

    func run(in session: Session) -> Observable<Never> {
        Connecting(session: session, target: target)
            .use { catalogue in
                let characteristic = try catalogue.characteristic(choice)
                let type = type ?? characteristic.properties.offeredWrite
                return characteristic.writeValue(value, type: type).asObservable()
                    .do(onCompleted: { try report(characteristic, type, in: session) })
            }
    }

    private func report(
        _ characteristic: Characteristic, _ type: Characteristic.WriteType, in session: Session
    ) throws {
        guard session.options.json else { return }
        let members =
            characteristic.jsonMembers(value, at: session.scheduler.now) + [
                ("response", .bool(type == .withResponse))
            ]
        try session.output.line(JSON.object(members).text)
    }
}

extension Characteristic.Properties {
    /// The write that is offered. One that is not offered at all is left to the library to refuse.
    fileprivate var offeredWrite: Characteristic.WriteType {
        contains(.writeWithoutResponse) && !contains(.write) ? .withoutResponse : .withResponse
    }
}
