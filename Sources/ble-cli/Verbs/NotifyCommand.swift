import ArgumentParser
import Rx
import RxBluetooth

/// `ble-cli notify`
struct NotifyCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Print the values that a device sends by itself.",
        discussion: """
            It goes on until Ctrl-C, until --count values came, or until --timeout, which counts from the start. At the \
            time limit it ends with 0 where values came, and with 4 where none came or fewer than --count.

            EXAMPLES:
              ble-cli notify Strap "Heart Rate Measurement" --count 10
              ble-cli notify Strap 2A37 --timeout 60 --json
              ble-cli notify Strap 2A37 --reconnect
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @Argument(help: .characteristic) var characteristic: String

    @Option(parsing: .unconditional, help: ArgumentHelp("End after so many values.", valueName: "number"))
    var count: String?

    @Flag(help: "Connect again when the link is lost, or Bluetooth was away, and go on.")
    var reconnect = false

    func verb() throws(CLIError) -> any Verb {
        var number: Int?
        if let count {
            guard let value = Int(count), value > 0 else {
                throw CLIError(.usage, "“\(count)” is not a number of values. Give 1 or more.")
            }
            number = value
        }
        return NotifyVerb(
            target: try Target(parsing: target), characteristic: try CharacteristicArgument(parsing: characteristic),
            count: number, reconnects: reconnect)
    }
}

/// Shows the values that a characteristic sends: so many of them, or until the time limit, or until it is stopped.
///
/// The limit counts from the start, so it bounds finding and connecting too. At the limit it is done where values
/// came, and all of them where a number was asked for; where not, it took too long. A lost link
/// is a failure at any time, unless it is to be made again.
struct NotifyVerb: LinkVerb {
    let target: Target
    let characteristic: CharacteristicArgument
    /// How many values to wait for; nil for no end.
    var count: Int?
    /// Whether to connect again when the link is lost, and to go on.
    var reconnects = false

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let clock = ElapsedClock(context.scheduler)
            let start = clock.time
            let notes = reconnects ? LinkStatusNotes() : nil
            return DeviceConnector(context: context, target: target, notes: notes)
                .use { tree in
                    let characteristic = try tree.characteristic(self.characteristic)
                    let values = limited(characteristic.observeValueUpdates(), after: clock.time - start, in: context)
                    return (notes.map { values.withNotes($0.ofLink(to: tree.peripheral, in: context)) } ?? values)
                        .do(onNext: { try context.show($0, of: characteristic) })
                        .reduce(0) { shown, _ in shown + 1 }
                        .do(onNext: { try judge($0, characteristic, notes?.outage, in: context) })
                }
                .ignoreElements()
        }
    }

    private func limited(
        _ values: Observable<[UInt8]>, after elapsed: Duration, in context: CommandContext
    ) -> Observable<[UInt8]> {
        let wanted = count.map { values.take($0) } ?? values
        guard let timeout = context.options.timeout else { return wanted }
        return wanted.take(for: (timeout - elapsed).interval, scheduler: context.scheduler)
    }

    private func judge(
        _ shown: Int, _ characteristic: Characteristic, _ outage: BluetoothError?, in context: CommandContext
    ) throws {
        guard let timeout = context.options.timeout, shown < count ?? 1 else { return }
        let source = "\(characteristic.uuid) of \(characteristic.peripheral)"
        let what =
            count.map { "Only \(shown) of \($0) values of \(source) came within \(timeout.text)." }
            ?? "No value of \(source) came within \(timeout.text)."
        guard let outage else { throw CLIError(.timedOut, what) }
        throw CLIError(.timedOut, "\(what) There is no link. Last cause: \(outage.summary)").after(outage)
    }
}
