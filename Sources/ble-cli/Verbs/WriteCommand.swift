import ArgumentParser
import Rx
import RxBluetooth

/// `ble-cli write`
struct WriteCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a value.",
        discussion: """
            It prints nothing when the value is written. Without an option it is written as the characteristic offers: with a \
            confirmation by the device, or if it offers only that, without. An empty value ("") is a value of no bytes.

            EXAMPLES:
              ble-cli write Strap 2A39 01
              ble-cli write Lamp @0021 "0x01 ff:80:00" --no-response
              ble-cli write Strap 2A39 ""
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @Argument(help: .characteristic) var characteristic: String

    @Argument(
        help:
            "The bytes, two hexadecimal digits each, with or without 0x in front and blanks, colons or dashes between.")
    var hex: String

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Ask the device for a confirmation, or do not. Default: as the characteristic offers.")
    var response: Bool?

    func verb() throws(CLIError) -> any Verb {
        let value = try HexBytes.parse(hex)
        guard value.count <= Characteristic.longestValue else {
            throw CLIError(
                .usage,
                "The value has \(value.count) bytes, and a characteristic holds "
                    + "\(Characteristic.longestValue) at most.")
        }
        return WriteVerb(
            target: try Target(parsing: target), characteristic: try CharacteristicArgument(parsing: characteristic),
            value: value,
            type: response.map { $0 ? .withResponse : .withoutResponse })
    }
}

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
