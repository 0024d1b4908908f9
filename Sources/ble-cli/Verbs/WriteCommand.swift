import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli write`.
struct WriteCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a value.",
        discussion: """
            Prints nothing if the write succeeds. By default, the device confirms the write; if the characteristic \
            supports only writes without a response, one of those is sent. An empty value ("") has no bytes.

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
            "Bytes of two hexadecimal digits each, with or without 0x. Spaces, colons or dashes may separate them."
    )
    var hex: String

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Request a response from the device, or do not. Default: as the characteristic supports.")
    var response: Bool?

    func verb() throws(CLIError) -> any Verb {
        let value = try HexBytes.parse(hex)
        guard value.count <= Characteristic.longestValue else {
            throw CLIError(
                .usage,
                "The value has \(value.count) bytes, but a characteristic holds at most "
                    + "\(Characteristic.longestValue). Give a shorter one.")
        }
        return WriteVerb(
            target: try Target(parsing: target), characteristic: try CharacteristicArgument(parsing: characteristic),
            value: value,
            type: response.map { $0 ? .withResponse : .withoutResponse })
    }
}

/// Writes one value. If the write succeeds, prints nothing, or with `--json` one object.
struct WriteVerb: LinkVerb {
    let target: Target
    let characteristic: CharacteristicArgument
    let value: [UInt8]
    /// Whether the device confirms the write; nil to choose a type that the characteristic supports.
    var type: Characteristic.WriteType?

    func run(in context: CommandContext) -> Observable<Never> {
        DeviceConnector(context: context, target: target)
            .use { tree in
                let characteristic = try tree.characteristic(self.characteristic)
                let type = type ?? characteristic.properties.supportedWriteType
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
    /// The default type of write: with a response, unless only writes without a response are supported.
    ///
    /// If neither type is supported, the library rejects the write.
    fileprivate var supportedWriteType: Characteristic.WriteType {
        contains(.writeWithoutResponse) && !contains(.write) ? .withoutResponse : .withResponse
    }
}
