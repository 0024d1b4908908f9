import ArgumentParser
import FoundationEssentials
import Rx
import RxBluetooth

/// The command `ble-cli read`.
struct ReadCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read a value.",
        discussion: """
            Prints the bytes, followed by their meaning if the characteristic is a known one.

            EXAMPLES:
              ble-cli read Strap 2A19
              ble-cli read Strap "Battery Level" --json
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @Argument(help: .characteristic) var characteristic: String

    func verb() throws(CLIError) -> any Verb {
        ReadVerb(
            target: try Target(parsing: target), characteristic: try CharacteristicArgument(parsing: characteristic))
    }
}

/// Reads one value.
struct ReadVerb: LinkVerb {
    let target: Target
    let characteristic: CharacteristicArgument

    func run(in context: CommandContext) -> Observable<Never> {
        DeviceConnector(context: context, target: target)
            .use { tree in
                let characteristic = try tree.characteristic(self.characteristic)
                return characteristic.readValue().asObservable()
                    .do(onNext: { try context.show($0, of: characteristic) })
            }
            .ignoreElements()
    }
}

extension CommandContext {
    /// Prints a value as one line.
    func show(_ value: [UInt8], of characteristic: Characteristic) throws {
        guard options.json else { return try output.line(ValueText.line(value, of: characteristic.uuid)) }
        try output.line(JSON.object(characteristic.jsonMembers(value, at: scheduler.now)).text)
    }
}

extension Characteristic {
    /// Returns the first members of every JSON object about a value of this characteristic.
    func jsonMembers(_ value: [UInt8], at time: Date) -> [(key: String, value: JSON)] {
        [
            ("time", .string(Timestamp.text(time))), ("adapter", .string(orNull: peripheral.adapterName)),
            ("address", .string(peripheral.address.description)), ("name", .string(orNull: peripheral.name)),
            ("service", .string(service.uuid.description)), ("serviceName", .string(orNull: service.uuid.name)),
            ("characteristic", .string(uuid.description)), ("characteristicName", .string(orNull: uuid.name)),
            ("handle", .string(AttributeHandle.text(handle))), ("value", .string(HexBytes.text(value))),
            ("decoded", DecodedValue(value, of: uuid)?.json ?? .null),
        ]
    }
}
