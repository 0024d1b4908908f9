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

            --value encodes a number, a word or a text as the characteristic requires it. If a value has several \
            fields, give all that are present: --value "Flags=0, Heart Rate=60".

            EXAMPLES:
              ble-cli write Strap 2A39 01
              ble-cli write Strap 2A39 --value reset
              ble-cli write Thermometer 2A6E --value 21.5
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
    var hex: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Encode this value instead of giving its bytes.", valueName: "value"))
    var value: String?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Request a response from the device, or do not. Default: as the characteristic supports.")
    var response: Bool?

    func verb() throws(CLIError) -> any Verb {
        let characteristic = try CharacteristicArgument(parsing: characteristic)
        var verb = WriteVerb(
            target: try Target(parsing: target), characteristic: characteristic, value: [], typed: value,
            type: response.map { $0 ? .withResponse : .withoutResponse })
        switch (hex, value) {
        case (let hex?, nil): verb.value = try HexBytes.parse(hex)
        case (nil, let value?):
            // Reports a wrong value before connecting. The UUID of a handle is not known yet.
            if case .uuid(let uuid) = characteristic { verb.value = try TypedValue.encode(value, for: uuid) }
        case (_?, _?): throw CLIError(.usage, "Give either the bytes or --value.")
        case (nil, nil): throw CLIError(.usage, "Missing expected argument: give the bytes or --value.")
        }
        guard verb.value.count <= Characteristic.longestValue else {
            throw CLIError(
                .usage,
                "The value has \(verb.value.count) bytes, but a characteristic holds at most "
                    + "\(Characteristic.longestValue). Give a shorter one.")
        }
        return verb
    }
}

/// Writes one value. If the write succeeds, prints nothing, or with `--json` one object.
struct WriteVerb: LinkVerb {
    let target: Target
    let characteristic: CharacteristicArgument
    var value: [UInt8]
    /// The text to encode as the characteristic requires it; nil to write the bytes.
    var typed: String?
    /// Whether the device confirms the write; nil to choose a type that the characteristic supports.
    var type: Characteristic.WriteType?

    func run(in context: CommandContext) -> Observable<Never> {
        DeviceConnector(context: context, target: target)
            .use { tree in
                let characteristic = try tree.characteristic(self.characteristic)
                let value = try typed.map { try TypedValue.encode($0, for: characteristic.uuid) } ?? value
                let type = type ?? characteristic.properties.supportedWriteType
                return characteristic.writeValue(value, type: type).asObservable()
                    .do(onCompleted: { try report(value, of: characteristic, type, in: context) })
            }
    }

    private func report(
        _ value: [UInt8], of characteristic: Characteristic, _ type: Characteristic.WriteType,
        in context: CommandContext
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
