import FoundationEssentials
import Rx
import RxBluetooth

/// Reads one value.
struct ReadVerb: Verb {
    let target: Target
    let choice: CharacteristicChoice

    func run(in session: Session) -> Observable<Never> {
        Connecting(session: session, target: target)
            .use { catalogue in
                let characteristic = try catalogue.characteristic(choice)
                return characteristic.readValue().asObservable()
                    .do(onNext: { try session.show($0, of: characteristic) })
            }
            .ignoreElements()
    }
}

extension Session {
    /// Shows a value as one line.
    func show(_ value: [UInt8], of characteristic: Characteristic) throws {
        guard options.json else {
            let bytes = HexBytes.text(value)
            let meaning = ValueText.known(value, of: characteristic.uuid)
            return try output.line(meaning.map { bytes + "  " + $0 } ?? bytes)
        }
        let members = characteristic.jsonMembers(at: scheduler.now) + [("value", .string(HexBytes.text(value)))]
        try output.line(JSON.object(members).text)
    }
}

extension Characteristic {
    /// When, where and what, as each object about a characteristic begins.
    func jsonMembers(at time: Date) -> [(key: String, value: JSON)] {
        [
            ("time", .string(Timestamp.text(time))), ("address", .string(peripheral.address.description)),
            ("characteristic", .string(uuid.description)), ("handle", .string(Handle.text(handle))),
        ]
    }
}
