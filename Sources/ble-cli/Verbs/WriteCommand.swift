import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli write`.
struct WriteCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a value.",
        discussion: """
            Prints nothing if the write succeeds. By default, the device confirms the write; if the characteristic \
            supports only writes without a response, one of those is sent. An empty value ("") has no bytes.

            --value encodes a number, a word or a text as the characteristic requires it. If a value has several \
            fields, give all that are present: --value "Flags=0, Heart Rate=60".

            With --format, the value is text of that format, and several numbers are separated by spaces or commas. \
            @FILE reads the value from a file, and - from standard input; a line break at its end does not count. \
            With --format raw, all their bytes are written unchanged.

            EXAMPLES:
              ble-cli write Strap 2A39 01
              ble-cli write Strap 2A39 --value reset
              ble-cli write Thermometer 2A6E --value 21.5
              ble-cli write Lamp @0021 "0x01 ff:80:00" --no-response
              ble-cli write Strap 2A39 ""
              ble-cli write Display FFE1 "Hello" --format utf8
              ble-cli write Thermostat FFE1 --format int16 --value -5
              ble-cli write Lamp FFE1 @value.bin --format raw
              ble-cli write Lamp @0023 "Kitchen" --format utf8
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @OptionGroup var arguments: WriteArguments
    @OptionGroup var link: KeepOption

    func verb() throws(CLIError) -> any Verb {
        WriteVerb(
            target: try Target(parsing: target), request: try arguments.parsed(read: InputFile.read),
            keepsLink: link.keep)
    }
}

/// The arguments for one write: the characteristic, the value and the type of write.
struct WriteArguments: ParsableArguments {
    @Argument(help: .characteristic) var characteristic: String

    @Argument(
        help: ArgumentHelp(
            "Bytes of two hexadecimal digits each, with or without 0x. Spaces, colons or dashes may separate them. Or "
                + "a text of --format, @FILE, or - for standard input."))
    var bytes: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Encode this value instead of giving its bytes.", valueName: "value"))
    var value: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The format of the value: \(ValueFormat.choices). Numbers are little-endian unless the name ends with be.",
            valueName: "format"), completion: .formats)
    var format: String?

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Request a response from the device, or do not. Default: as the characteristic supports.")
    var response: Bool?

    /// Returns the arguments as values. Throws if an argument is invalid.
    ///
    /// - Parameter read: Reads a file; nil means standard input.
    func parsed(read: (String?) throws(CLIError) -> [UInt8]) throws(CLIError) -> WriteRequest {
        let characteristic = try CharacteristicArgument(parsing: characteristic)
        var request = WriteRequest(
            characteristic: characteristic, type: response.map { $0 ? .withResponse : .withoutResponse })
        let format = try format.map { text throws(CLIError) in try ValueFormat(parsing: text) }
        switch (bytes, value, format) {
        case (_?, _?, _): throw CLIError(.usage, "Give either the bytes or --value.")
        case (nil, nil, _): throw CLIError(.usage, "Missing expected argument: give the bytes or --value.")
        case (let text?, nil, _), (nil, let text?, _?):
            request.value = try ValueArgument.parse(text, format, read: read)
        case (nil, let text?, nil):
            request.typed = text
            // Reports a wrong value before connecting. The UUID of a handle is not known yet.
            if case .uuid(let uuid) = characteristic { request.value = try TypedValue.encode(text, for: uuid) }
            try ValueArgument.check(request.value)
        }
        return request
    }
}

/// One write to a characteristic.
struct WriteRequest: Sendable {
    let characteristic: CharacteristicArgument
    var value: [UInt8] = []
    /// The text to encode as the characteristic requires it; nil to write the bytes.
    var typed: String?
    /// Whether the device confirms the write; nil to choose a type that the characteristic supports.
    var type: Characteristic.WriteType?

    /// Whether the value fits into one packet of every link, so that the device confirms it at once.
    var isShort: Bool { max(value.count, typed?.utf8.count ?? 0) <= Peripheral.smallestMTU - 3 }

    /// Writes the value. If the write succeeds, prints nothing, or with `--json` one object.
    ///
    /// - Parameters:
    ///   - deadline: The moment at which the write fails; nil for the usual deadline.
    ///   - onStart: Called before the value is sent.
    func run(
        on tree: GATTTree, in context: CommandContext, until deadline: CommandDeadline? = nil,
        onStart: @escaping @Sendable () -> Void = {}
    ) -> Observable<Never> {
        tree.attributes([characteristic]).flatMap { attributes -> Observable<Never> in
            guard let attribute = attributes.first else { return .empty() }
            let value = try typed.map { try TypedValue.encode($0, for: attribute.uuid) } ?? value
            let written: Completable
            let type: Characteristic.WriteType
            switch attribute {
            case .characteristic(let characteristic):
                type = self.type ?? characteristic.properties.supportedWriteType
                written = characteristic.writeValue(value, type: type, options: deadline.options)
            case .descriptor(let descriptor):
                guard self.type != .withoutResponse else {
                    throw CLIError(.usage, "The device confirms each write of a descriptor. Leave out --no-response.")
                }
                // The library's error names a function of Swift.
                guard descriptor.uuid != 0x2902 else {
                    throw CLIError(
                        BluetoothError(
                            .notPermitted, operation: .writeDescriptor, target: attribute.target,
                            detail: "only bluetoothd writes it"),
                        advice: "Use ble-cli notify instead.")
                }
                type = .withResponse
                written = descriptor.writeValue(value, options: deadline.options)
            }
            onStart()
            return written.asObservable().do(onCompleted: { [type] in
                try report(value, of: attribute, type, in: context)
            })
        }
    }

    private func report(
        _ value: [UInt8], of attribute: GATTAttribute, _ type: Characteristic.WriteType,
        in context: CommandContext
    ) throws {
        guard context.options.json else { return }
        let members =
            attribute.jsonMembers(value, at: context.scheduler.now) + [
                ("response", .bool(type == .withResponse))
            ]
        try context.output.line(JSON.object(members).text)
    }
}

/// Connects, writes one value, and disconnects.
struct WriteVerb: LinkVerb {
    let target: Target
    let request: WriteRequest
    let keepsLink: Bool

    init(target: Target, request: WriteRequest, keepsLink: Bool = false) {
        self.target = target
        self.keepsLink = keepsLink
        self.request = request
    }

    init(
        target: Target, characteristic: CharacteristicArgument, value: [UInt8], typed: String? = nil,
        type: Characteristic.WriteType? = nil
    ) {
        self.init(
            target: target,
            request: WriteRequest(characteristic: characteristic, value: value, typed: typed, type: type))
    }

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let hasBegun = Guarded(false)
            let deadline = CommandDeadline(in: context)
            var connector = DeviceConnector(
                context: context, target: target, keepsLink: keepsLink, changesDevice: true)
            // A value that a lost link has interrupted may have arrived, so it is not written twice.
            if request.isShort { connector.joining = LinkJoining(upTo: 1) { !hasBegun.withLock(\.self) } }
            return connector.use { tree in
                request.run(on: tree, in: context, until: deadline) { hasBegun.withLock { $0 = true } }
            }
        }
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
