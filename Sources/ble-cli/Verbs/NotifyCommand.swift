import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli notify`.
struct NotifyCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Print the values that a device notifies.",
        discussion: """
            Runs until Ctrl-C, until --count values have arrived, or until --timeout, which counts from the start of \
            the command. At the time limit, the exit code is 0 if values have arrived, and 4 if none or fewer than \
            --count have.

            EXAMPLES:
              ble-cli notify Strap "Heart Rate Measurement" --count 10
              ble-cli notify Strap 2A37 --timeout 60 --json
              ble-cli notify Strap 2A37 --reconnect
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String
    @Argument(help: .characteristic) var characteristic: String

    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many values.", valueName: "number"))
    var count: String?

    @Flag(help: "Reconnect and continue after the link is lost or Bluetooth was unavailable.")
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

/// Prints the notifications of a characteristic, up to a count or a time limit.
///
/// The time limit includes finding and connecting. If fewer than `count` values, or none, have arrived by then, the
/// verb fails with a timeout. A lost link is an error, unless the verb reconnects.
struct NotifyVerb: LinkVerb {
    let target: Target
    let characteristic: CharacteristicArgument
    /// The number of values to print; nil for no limit.
    var count: Int?
    /// Whether the verb reconnects and continues after the link is lost.
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
                    return (notes.map { values.alongside($0.ofLink(to: tree.peripheral, in: context)) } ?? values)
                        .do(onNext: { try context.show($0, of: characteristic) })
                        .reduce(0) { shown, _ in shown + 1 }
                        .do(onNext: { try checkCount($0, characteristic, notes?.outage, in: context) })
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

    /// Throws if the stream ended at the time limit with too few values.
    private func checkCount(
        _ shown: Int, _ characteristic: Characteristic, _ outage: BluetoothError?, in context: CommandContext
    ) throws {
        guard let timeout = context.options.timeout, shown < count ?? 1 else { return }
        let source = "\(characteristic.uuid) of \(characteristic.peripheral)"
        let what =
            count.map { "Only \(shown) of \($0) values of \(source) arrived within \(timeout.text)." }
            ?? "No value of \(source) arrived within \(timeout.text)."
        guard let outage else { throw CLIError(.timedOut, what) }
        throw CLIError(.timedOut, "\(what) The device is not connected. Last cause: \(outage.summary)").caused(
            by: outage)
    }
}
