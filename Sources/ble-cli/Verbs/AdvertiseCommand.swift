import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli advertise`.
struct AdvertiseCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise", abstract: "Advertise this computer, so that other devices find it.",
        discussion: """
            Runs until Ctrl-C, or for the time of --for or --timeout. Several commands can advertise at a time, as many as the \
            adapter has room for. An advertisement has 31 bytes; the name is sent in the scan response, which has 31 \
            more.

            EXAMPLES:
              ble-cli advertise --name "Test sensor" --service 180F
              ble-cli advertise --manufacturer ffff=0102 --interval 100ms --for 1m
              ble-cli advertise --service-data 181a=2e09 --connectable
            """)

    @OptionGroup var common: CommonOptions

    @Option(parsing: .unconditional, help: "The name to advertise.") var name: String?

    @Option(
        name: .customLong("service"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A service to advertise: a UUID or a name. May be repeated.", valueName: "UUID"),
        completion: .services)
    var services: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Manufacturer data: the company number in hexadecimal digits, and bytes. May be repeated.",
            valueName: "ID=HEX"))
    var manufacturer: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Service data: the service, and bytes. May be repeated.", valueName: "UUID=HEX"))
    var serviceData: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time from one advertisement to the next, from 20ms to 10485s. Default: the adapter chooses.",
            valueName: "time"))
    var interval: String?

    @Option(
        name: .customLong("for"), parsing: .unconditional, help: .lengthOrTimeout)
    var length: String?

    @Flag(help: "Let other devices connect to this computer.") var connectable = false

    func verb() throws(CLIError) -> any Verb {
        guard name?.isEmpty != true else {
            throw CLIError(.usage, "The name of --name is empty. Give a name, or leave out --name.")
        }
        var advertisement = Advertisement(localName: name, isConnectable: connectable)
        for text in services { advertisement.services.append(try ServiceArgument.parse(text)) }
        for text in manufacturer {
            let (key, bytes) = try Self.pair(text, for: "--manufacturer", example: "ffff=0102")
            let digits = key.lowercased().hasPrefix("0x") ? String(key.dropFirst(2)) : key
            guard (1...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ HexBytes.value($0) != nil }),
                let company = UInt16(digits, radix: 16)
            else {
                throw CLIError(
                    .usage, "“\(key)” is not a company number. Give one to four hexadecimal digits, such as 004c.")
            }
            guard advertisement.manufacturerData.updateValue(bytes, forKey: company) == nil else {
                throw Self.repeated(key, "--manufacturer")
            }
        }
        for text in serviceData {
            let (key, bytes) = try Self.pair(text, for: "--service-data", example: "181a=2e09")
            guard advertisement.serviceData.updateValue(bytes, forKey: try ServiceArgument.parse(key)) == nil else {
                throw Self.repeated(key, "--service-data")
            }
        }
        if let interval {
            let time = try TimeSpan.parse(interval, for: "--interval")
            guard (Duration.milliseconds(20) ... .seconds(10_485)).contains(time) else {
                throw CLIError(.usage, "--interval \(interval) is out of range. Give 20ms to 10485s.")
            }
            advertisement.interval = time...time
        }
        guard advertisement != Advertisement(isConnectable: connectable, interval: advertisement.interval) else {
            throw CLIError(
                .usage, "There is nothing to advertise. Give --name, --service, --manufacturer or --service-data.")
        }
        return AdvertiseVerb(
            advertisement: advertisement, length: try TimeSpan.duration(length, besides: common.timeout))
    }

    /// Splits a text at its first equals sign, and reads the bytes after it.
    private static func pair(
        _ text: String, for option: String, example: String
    ) throws(CLIError) -> (key: String, bytes: [UInt8]) {
        guard let sign = text.firstIndex(of: "=") else {
            throw CLIError(.usage, "“\(text)” has no equals sign. Give, for example, \(option) \(example).")
        }
        let bytes = try HexBytes.parse(String(text[text.index(after: sign)...]).trimmed)
        guard !bytes.isEmpty else {
            throw CLIError(.usage, "“\(text)” has no bytes. Give, for example, \(option) \(example).")
        }
        return (String(text[..<sign]).trimmed, bytes)
    }

    private static func repeated(_ key: String, _ option: String) -> CLIError {
        CLIError(.usage, "\(option) has “\(key)” twice. Give each only once.")
    }
}

/// Advertises until it is disposed of, or for a time.
struct AdvertiseVerb: Verb {
    let advertisement: Advertisement
    /// How long to advertise; nil for the time limit of the context, if it has one.
    var length: Duration?

    func run(in context: CommandContext) -> Observable<Never> {
        let power = context.manager.adapterPower.take(1)
        let active = context.manager.advertise(advertisement).catch { throw Self.withAdvice($0) }
            .flatMap { _ in power.do(onNext: { try show($0.adapterName, in: context) }) }
        guard let length = length ?? context.options.timeout else { return active.ignoreElements() }
        // The time begins when the advertisement is registered.
        return active.flatMap { _ in context.timer(length) }.take(1).ignoreElements()
    }

    /// Returns the error of a registration, with advice for data that bluetoothd refuses.
    private static func withAdvice(_ error: any Error) -> any Error {
        guard let error = error as? BluetoothError, error.kind == .invalidArgument else { return error }
        return CLIError(
            error, advice: "It may be too long: all data and 2 bytes for each field have to fit into 31 bytes.")
    }

    private func show(_ adapter: String?, in context: CommandContext) throws {
        guard !context.options.json else { return try context.output.line(json(adapter, in: context).text) }
        let name = advertisement.localName.map { " as “\(Sanitiser.clean($0))”" } ?? ""
        try context.output.prose("\(adapter ?? "The adapter") advertises\(name).")
    }

    private func json(_ adapter: String?, in context: CommandContext) -> JSON {
        let data = advertisement
        let interval = data.interval?.lowerBound.components
        return .object([
            ("time", .string(Timestamp.text(context.scheduler.now))), ("adapter", .string(orNull: adapter)),
            ("name", .string(orNull: data.localName)),
            ("services", .array(data.services.map { .string($0.description) })),
            ("manufacturerData", .bytes(of: data.manufacturerData)), ("serviceData", .bytes(of: data.serviceData)),
            ("connectable", .bool(data.isConnectable)),
            (
                "intervalMilliseconds",
                .number(orNull: interval.map { $0.seconds * 1000 + $0.attoseconds / 1_000_000_000_000_000 })
            ),
        ])
    }
}
