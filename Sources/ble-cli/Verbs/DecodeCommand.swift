import ArgumentParser
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli decode`, which needs no Bluetooth.
struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Print what bytes mean: a characteristic's value, or an advertisement.",
        discussion: """
            Works without Bluetooth. Bytes are hexadecimal digits, with or without 0x; spaces, colons or dashes may \
            separate them. Encrypted advertisements need --address and a key.

            EXAMPLES:
              ble-cli decode 2A37 105A00080010
              ble-cli decode "Battery Level" 57 --json
              ble-cli decode --manufacturer 0499 \\
                0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F
              ble-cli decode --service-data FCD2 4002CA0903BF13
              ble-cli decode --service-data FCD2 41A47266C95F730011223378237214 \\
                --address 54:48:E6:8F:80:A5 --keys ~/keys
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The bytes are manufacturer data of this company, without its identifier: 4 digits.", valueName: "company"))
    var manufacturer: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The bytes are data of this service: a UUID or a name.", valueName: "service"),
        completion: .services)
    var serviceData: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The address of the sender.", valueName: "address"))
    var address: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The advertised name; Inkbird and ThermoPro are recognised by it.", valueName: "name"))
    var name: String?

    @OptionGroup var keys: KeyOptions

    @Flag(help: "Print a JSON object. See docs/json-output.md.")
    var json = false

    @Argument(help: "The characteristic, unless an option says where the bytes are from, and then the bytes.")
    var bytes: [String]

    func run() throws { try FileOutput.standard.line(try text()) }

    /// Returns the line that the command prints. Throws if the bytes cannot be decoded.
    func text() throws(CLIError) -> String {
        guard let section = try section() else { return try characteristic() }
        var sender: SenderAddress?
        if let address {
            guard let parsed = SenderAddress(address.trimmed) else {
                throw CLIError(.usage, "“\(address)” is not an address. Give one such as C0:FF:EE:00:00:01.")
            }
            sender = parsed
        }
        var decoder = SensorDecoder(keys: try keys.parsed(), formats: CommandLineTool.formats)
        switch decoder.decode(section, from: sender, name: name) {
        case .unknown:
            throw CLIError(
                .usage,
                "The bytes have none of the known formats. Check the identifier, and that the bytes begin after it.")
        case .failure(let error):
            throw CLIError(.usage, advice(for: error) ?? "\(error)")
        case .reading(let reading):
            guard json else { return reading.display }
            return object(section.bytes, nil, ("reading", reading.json))
        }
    }

    /// Returns which option to give for an encrypted advertisement; nil for another error.
    private func advice(for error: ValueDecodingError) -> String? {
        switch error.reason {
        case .missingAddress,
            .missingKey where address == nil:
            "The advertisement is encrypted: give --address, and --key or --keys."
        case .missingKey where keys.file == nil && keys.list.isEmpty:
            "The advertisement is encrypted: give --key or --keys."
        case .missingKey:
            "The advertisement is encrypted, and --key and --keys have no key of \(address ?? "its sender"). Add it."
        default: nil
        }
    }

    /// Returns the part of an advertisement that the options name; nil for a characteristic.
    private func section() throws(CLIError) -> AdvertisedSection? {
        guard manufacturer != nil || serviceData != nil else { return nil }
        guard manufacturer == nil || serviceData == nil else {
            throw CLIError(.usage, "Give either --manufacturer or --service-data.")
        }
        guard bytes.count == 1 else {
            throw CLIError(.usage, "Give the bytes as one argument, without a characteristic.")
        }
        let data = try HexBytes.parse(bytes[0])
        if let serviceData {
            guard let number = try ServiceArgument.parse(serviceData).shortNumber else {
                throw CLIError(.usage, "No known format uses the service “\(serviceData)”. Give a UUID of 4 digits.")
            }
            return .service(number, data)
        }
        return .manufacturer(try CompanyNumber.only(manufacturer ?? ""), data)
    }

    private func characteristic() throws(CLIError) -> String {
        guard bytes.count == 2 else {
            throw CLIError(
                .usage,
                "Give a characteristic and its bytes, or --manufacturer or --service-data with the bytes of an "
                    + "advertisement.")
        }
        let uuid = try Self.uuid(bytes[0])
        let value = try HexBytes.parse(bytes[1])
        let decoded: DecodedValue?
        do throws(ValueDecodingError) { decoded = try DecodedValue(checking: value, of: uuid) } catch {
            throw CLIError(.usage, "\(error)")
        }
        guard let decoded else {
            throw CLIError(.usage, Self.reason(uuid))
        }
        return json ? object(value, uuid, ("decoded", decoded.json)) : decoded.display
    }

    private static func uuid(_ text: String) throws(CLIError) -> BluetoothUUID {
        switch try CharacteristicArgument(parsing: text) {
        case .uuid(let uuid), .named(let uuid, _): return uuid
        case .handle:
            throw CLIError(.usage, "“\(text)” is a handle, which has no meaning without a device. Give a UUID.")
        case .part(let part):
            let named = BluetoothUUID.characteristics(containing: part)
            if let only = named.first, named.count == 1 { return only }
            let list = named.prefix(8).map { "\($0) “\($0.name ?? "")”" }.joined(separator: ", ")
            throw CLIError(
                .usage,
                "“\(part)” matches \(named.count) characteristics: \(list)\(named.count > 8 ? ", …" : ""). Give a UUID, or "
                    + "more of the name.")
        }
    }

    /// Returns why a value has no meaning.
    private static func reason(_ uuid: BluetoothUUID) -> String {
        if DecodedValue.structure(of: uuid) != nil { return "The bytes are no text in UTF-8." }
        guard uuid.shortNumber != nil else {
            return "\(uuid) is not a UUID of the Bluetooth SIG. Only its vendor can say what its values mean."
        }
        let name = uuid.name.map { "\($0) (\(uuid))" } ?? "\(uuid)"
        return "ble-cli does not know how \(name) stores its values. The specification of its service has it."
    }

    private func object(_ value: [UInt8], _ uuid: BluetoothUUID?, _ meaning: (key: String, value: JSON)) -> String {
        JSON.object([
            ("characteristic", .string(orNull: uuid?.description)),
            ("characteristicName", .string(orNull: uuid?.name)), ("value", .string(HexBytes.text(value))),
            ("decoded", meaning.key == "decoded" ? meaning.value : .null),
            ("reading", meaning.key == "reading" ? meaning.value : .null),
        ])
        .text
    }
}
