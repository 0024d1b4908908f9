import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli notify`.
struct NotifyCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Print the values that a device notifies.",
        discussion: """
            Runs until Ctrl-C, until --count values have arrived, or until the time of --for or --timeout. With both, \
            --timeout limits the time until the notifications are on, and --for the time from then on. At the time \
            limit, the exit code is 0 if values have arrived, and 4 if none or fewer than --count have. With several \
            characteristics, all notify over one link, and each line begins with the characteristic.

            EXAMPLES:
              ble-cli notify Strap "Heart Rate Measurement" --count 10
              ble-cli notify Strap 2A37 --timeout 60 --json
              ble-cli notify Strap 2A37 --for 10s --timeout 20s
              ble-cli notify Strap 2A37 --reconnect
              ble-cli notify Strap 2A37 2A19
              ble-cli notify Thermometer FFE1 --format int16
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @Argument(help: .characteristics) var characteristics: [String]
    @OptionGroup var form: FormatOption

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many values.", valueName: "number"))
    var count: String?

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: .length("It begins when the notifications are on; beside it, --timeout limits the time until then."))
    var length: String?

    @Flag(help: "Reconnect and continue after the link is lost or Bluetooth was unavailable.")
    var reconnect = false
    @OptionGroup var link: KeepOption

    func verb() throws(CLIError) -> any Verb {
        let number = try count.map { text throws(CLIError) in try Self.count(text) }
        var verb = NotifyVerb(
            target: try Target(parsing: target),
            characteristics: try CharacteristicArgument.list(characteristics), format: try form.parsed(),
            count: number, reconnects: reconnect, keepsLink: link.keep)
        verb.duration = try length.map { text throws(CLIError) in try TimeSpan.parse(text, for: "--for") }
        return verb
    }

    /// Reads a number of values. Throws if it is not positive.
    static func count(_ text: String) throws(CLIError) -> Int {
        guard let value = Int(text), value > 0 else {
            throw CLIError(.usage, "“\(text)” is not a number of values. Give 1 or more.")
        }
        return value
    }
}

/// Prints the notifications of characteristics, up to a count or a time limit.
///
/// ``duration`` begins when the notifications are on, and the time limit then applies only until this moment. Without
/// it, the time limit applies to the whole verb. If fewer than `count` values, or none, have arrived by the end, the
/// verb fails with a timeout. A lost link is an error, unless the verb reconnects.
struct NotifyVerb: LinkVerb {
    let target: Target
    let characteristics: [CharacteristicArgument]
    var format: ValueFormat?
    /// The number of values of all characteristics to print; nil for no limit.
    var count: Int?
    /// Whether the verb reconnects and continues after the link is lost.
    var reconnects = false
    var keepsLink = false
    /// How long to run with notifications; nil for the time limit of the context, if it has one.
    var duration: Duration?

    init(
        target: Target, characteristics: [CharacteristicArgument], format: ValueFormat? = nil, count: Int? = nil,
        reconnects: Bool = false, keepsLink: Bool = false
    ) {
        self.keepsLink = keepsLink
        self.target = target
        self.characteristics = characteristics
        self.format = format
        self.count = count
        self.reconnects = reconnects
    }

    init(target: Target, characteristic: CharacteristicArgument, count: Int? = nil, reconnects: Bool = false) {
        self.init(target: target, characteristics: [characteristic], count: count, reconnects: reconnects)
    }

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let printer = ValuePrinter(
                context: context, format: format, showsSource: characteristics.count > 1, continuesAfterMismatch: true)
            try printer.check()
            let clock = ElapsedClock(context.scheduler)
            let start = clock.time
            let notes = reconnects ? LinkStatusNotes() : nil
            // bluetoothd turns no notifications on while it closes a link, so the command waits for the next link.
            return DeviceConnector(context: context, target: target, notes: notes, keepsLink: keepsLink)
                .use { tree in
                    let characteristics = try tree.characteristics(self.characteristics)
                    let left = context.options.timeout.map { $0 - (clock.time - start) }
                    let begin = NotificationStart(of: characteristics)
                    let values = limitedUpdates(of: characteristics, begin, within: left, notes, in: context)
                    return (notes.map { values.alongside($0.ofLink(to: tree.peripheral, in: context)) } ?? values)
                        .notingDrops(of: "values", in: context)
                        .do(onNext: { try printer.show($0.1, of: $0.0) })
                        .reduce(0) { shown, _ in shown + 1 }
                        .do(onNext: { try checkCount($0, characteristics, begin, notes?.outage, in: context) })
                }
                .ignoreElements()
        }
    }

    typealias Update = (Characteristic, [UInt8])

    /// Emits the values that characteristics notify, each with its characteristic.
    static func updates(of characteristics: [Characteristic]) -> Observable<Update> {
        Observable.merge(
            characteristics.map { characteristic in
                characteristic.observeValueUpdates().map { (characteristic, $0) }
            })
    }

    /// Emits at most `count` values, until the end of ``duration`` or of the time limit.
    ///
    /// - Parameters:
    ///   - start: Records which notifications are on.
    ///   - left: The rest of the time limit; nil if there is none.
    private func limitedUpdates(
        of characteristics: [Characteristic], _ start: NotificationStart, within left: Duration?,
        _ notes: LinkStatusNotes?, in context: CommandContext
    ) -> Observable<Update> {
        let updates = Self.updates(of: characteristics).do(onNext: { start.record($0.0) })
        let wanted = count.map { updates.take($0) } ?? updates
        guard let duration else {
            guard let left else { return wanted }
            return wanted.take(for: left.interval, scheduler: context.scheduler)
                .alongside(start.recording(in: context.manager))
        }
        let latest = context.timer(left ?? context.options.setupTimeout).map { _ in
            // Without a time limit, --for also begins if a lost link keeps the notifications from being on.
            guard let timeout = context.options.timeout, let error = start.error(within: timeout) else { return }
            throw Self.timeoutError(CLIError(error), notes?.outage)
        }
        let end = start.observe(in: context.manager).amb(latest).flatMap { _ in context.timer(duration) }
        return wanted.take(until: end)
    }

    /// Throws if the stream ended at the time limit with too few values.
    private func checkCount(
        _ shown: Int, _ characteristics: [Characteristic], _ start: NotificationStart, _ outage: BluetoothError?,
        in context: CommandContext
    ) throws {
        guard let timeout = duration ?? context.options.timeout, shown < count ?? .max, !characteristics.isEmpty else {
            return
        }
        let error = start.error(within: context.options.timeout ?? context.options.setupTimeout + timeout)
        if count == nil, shown > 0 {
            if let error { context.note(CLIError(error).text) }
            return
        }
        if shown == 0, let error { throw Self.timeoutError(CLIError(error), outage) }
        let names = characteristics.map(\.uuid.description).joined(separator: ", ")
        let source = characteristics.first.map { "\(names) of \($0.peripheral)" } ?? names
        let what =
            count.map { "Only \(shown) of \($0) values of \(source) arrived within \(timeout.text)." }
            ?? "No value of \(source) arrived within \(timeout.text)."
        let cause = error.map { CLIError($0).text } ?? (shown == 0 ? start.missingDescriptors : nil)
        let text = [what, cause].compactMap(\.self).joined(separator: " ")
        throw Self.timeoutError(CLIError(.timedOut, text), outage)
    }

    private static func timeoutError(_ error: CLIError, _ outage: BluetoothError?) -> CLIError {
        guard let outage else { return error }
        let what = error.cause?.summary ?? error.text
        let last = "Last cause: \(outage.summary)\(outage.noteOnLostBond)"
        return CLIError(.timedOut, "\(what) The device is not connected. \(last)").caused(by: outage)
    }
}
