import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli read`.
struct ReadCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read values.",
        discussion: """
            Prints the bytes, followed by their meaning if the characteristic is a known one. With several \
            characteristics, each line begins with the characteristic. --timeout limits the whole command; if a value \
            was not read by then, the exit code is 4. With --every, reads again over the same link until Ctrl-C, or \
            until --timeout. If nothing was read by then, the exit code is 4.

            EXAMPLES:
              ble-cli read Strap 2A19
              ble-cli read Strap "Battery Level" --json
              ble-cli read Strap 2A19 2A29 2A24
              ble-cli read Strap 2A19 --every 5s
              ble-cli read Logger FFE1 --format raw > value.bin
              ble-cli read Thermometer FFE1 --format int16
              ble-cli read Strap @001f
              ble-cli read Strap 2A19 --keep
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @Argument(help: .characteristics) var characteristics: [String]
    @OptionGroup var form: FormatOption
    @OptionGroup var link: KeepOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Read again after this long, such as 5s or 200ms.", valueName: "time"))
    var every: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --every, end after this many readings.", valueName: "number"))
    var count: String?

    func verb() throws(CLIError) -> any Verb {
        var verb = ReadVerb(
            target: try Target(parsing: target),
            characteristics: try CharacteristicArgument.list(characteristics), format: try form.parsed())
        verb.period = try every.map { text throws(CLIError) in try TimeSpan.parse(text, for: "--every") }
        verb.count = try count.map { text throws(CLIError) in try NotifyCommand.count(text) }
        guard verb.count == nil || verb.period != nil else {
            throw CLIError(.usage, "--count limits repeated readings. Give --every, too.")
        }
        verb.keepsLink = link.keep
        return verb
    }
}

/// The option for the format of values that are printed.
struct FormatOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Print the values in this format: \(ValueFormat.choices). Numbers are little-endian unless the name ends "
                + "with be.",
            valueName: "format"), completion: .formats)
    var format: String?

    func parsed() throws(CLIError) -> ValueFormat? {
        guard let format else { return nil }
        return try ValueFormat(parsing: format)
    }
}

/// Reads the values of characteristics, once or periodically over one link.
struct ReadVerb: LinkVerb {
    let target: Target
    let characteristics: [CharacteristicArgument]
    var format: ValueFormat?
    /// The time from one reading to the next; nil to read once.
    var period: Duration?
    /// The number of periodic readings; nil for no limit.
    var count: Int?
    var keepsLink = false

    init(target: Target, characteristics: [CharacteristicArgument], format: ValueFormat? = nil) {
        self.target = target
        self.characteristics = characteristics
        self.format = format
    }

    init(target: Target, characteristic: CharacteristicArgument, keepsLink: Bool = false) {
        self.init(target: target, characteristics: [characteristic])
        self.keepsLink = keepsLink
    }

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            var printer = ValuePrinter(context: context, format: format, showsSource: characteristics.count > 1)
            printer.continuesAfterMismatch = period != nil
            try printer.check()
            let clock = ElapsedClock(context.scheduler)
            let start = clock.time
            let deadline = period == nil ? CommandDeadline(in: context) : nil
            let hasPrinted = Guarded(false)
            var connector = DeviceConnector(context: context, target: target, keepsLink: keepsLink)
            if period == nil { connector.joining = LinkJoining { !hasPrinted.withLock(\.self) } }
            return
                connector
                .use { [printer] tree -> Observable<Never> in
                    let values = Self.values(of: tree.attributes(characteristics), printer, until: deadline)
                        .do(onNext: { _ in hasPrinted.withLock { $0 = true } })
                    guard let period else { return values.ignoreElements() }
                    let repeated = Observable<Int>
                        .timer(.nanoseconds(0), period: period.interval, scheduler: context.scheduler)
                        // A reading that takes longer than the period skips the next one.
                        .flatMapFirst { _ in values }
                        .take(count.map { $0 * characteristics.count } ?? .max)
                    guard let timeout = context.options.timeout else { return repeated.ignoreElements() }
                    let left = timeout - (clock.time - start)
                    return repeated.take(for: left.interval, scheduler: context.scheduler)
                        .reduce(0) { count, _ in count + 1 }
                        .do(onNext: { count in
                            guard count == 0 else { return }
                            throw CLIError(
                                .timedOut,
                                "No value of \(tree.peripheral) was read within \(timeout.text). "
                                    + "Give a longer --timeout.")
                        })
                        .ignoreElements()
                }
        }
    }

    /// Reads the values one after another and prints them.
    ///
    /// - Parameter deadline: The moment from which no further value is read; nil for no limit.
    static func values(
        of attributes: Observable<[GATTAttribute]>, _ printer: ValuePrinter, until deadline: CommandDeadline? = nil
    ) -> Observable<[UInt8]> {
        attributes.flatMap { Observable.from($0) }.concatMap { attribute in
            Observable<[UInt8]>.deferred {
                if let deadline, deadline.isOver {
                    throw CLIError(
                        .timedOut,
                        "Reading \(attribute.target): not read within \(deadline.limit.text). Give a longer --timeout.")
                }
                return attribute.readValue(options: deadline.options).asObservable()
                    .do(onNext: { try printer.show($0, of: attribute) })
            }
        }
    }
}
