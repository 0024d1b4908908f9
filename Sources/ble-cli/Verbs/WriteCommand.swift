import Rx
import RxBluetooth

/// Writes one value. Prints nothing if that succeeds, but for an object with `--json`.
struct WriteVerb: LinkVerb {
    let target: Target
    let characteristic: CharacteristicArgument
    let value: [UInt8]
    /// Whether the device confirms it; nil for what the characteristic offers, with a confirmation if it offers both.
    var type: Characteristic.WriteType?

    func run(in context: CommandContext) -> Observable<Never> {
        DeviceConnector(context: context, target: target)
            .use { tree in
                let characteristic = try tree.characteristic(self.characteristic)
                let type = type ?? characteristic.properties.offeredWrite
                return characteristic.writeValue(value, type: type).asObservable()
                    .do(onCompleted: { try report(characteristic, type, in: context) })
            }
    }

    private func report(
        _ characteristic: Characteristic, _ type: Characteristic.WriteType, in context: CommandContext
    ) throws {
        guard context.options.json else { return }
        let members =
            characteristic.jsonMembers(value, at: context.scheduler.now) + [
                ("response", .bool(type == .withResponse))
            ]
        try context.output.line(JSON.object(members).text)
    }
}

extension Characteristic.Properties {
    /// The write that is offered. One that is not offered at all is left to the library to refuse.
    fileprivate var offeredWrite: Characteristic.WriteType {
        contains(.writeWithoutResponse) && !contains(.write) ? .withoutResponse : .withResponse
    }
}
