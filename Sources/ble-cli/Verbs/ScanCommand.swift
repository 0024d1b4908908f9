import ArgumentParser
import Rx
import RxBluetooth

/// `ble-cli scan`
struct ScanCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show the devices that advertise nearby.",
        discussion: """
            On a terminal it shows a table that is kept up to date; columns for which the terminal is too narrow are left out. \
            In a pipe it prints one line for each new device and for each change of its name; with --json, one object for each \
            new device and each change of its name or its services. With --all it prints a line for every advertisement, also \
            on a terminal.

            EXAMPLES:
              ble-cli scan
              ble-cli scan --service 180D --timeout 10
              ble-cli scan --service "Heart Rate"
              ble-cli scan --json --all > advertisements.jsonl
              ble-cli scan --json --reconnect
            """)

    @OptionGroup var common: CommonOptions

    @Option(
        name: .customLong("service"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Show only devices that advertise this service: a UUID, or a name such as \"Heart Rate\". May be given several "
                + "times; then any of them will do.",
            valueName: "service"))
    var services: [String] = []

    @Flag(name: .customLong("all"), help: "Print a line for every advertisement that is heard.")
    var showsAll = false

    @Flag(name: .customLong("known"), help: "Begin with the devices that bluetoothd remembers, near or not.")
    var includesKnown = false

    @Flag(help: "Wait where Bluetooth cannot be used, and go on when it can.")
    var reconnect = false

    func verb() throws(CLIError) -> any Verb {
        var uuids: [BluetoothUUID] = []
        for text in services { uuids.append(try ServiceArgument.parse(text)) }
        return ScanVerb(services: uuids, showsAll: showsAll, includesKnown: includesKnown, reconnects: reconnect)
    }
}

/// Shows what advertises, until the time limit, or without one until it is stopped.
struct ScanVerb: Verb {
    var services: [BluetoothUUID] = []
    /// Whether every advertisement is shown, where lines of JSON are.
    var showsAll = false
    /// Whether to begin with the devices that bluetoothd remembers.
    var includesKnown = false
    /// Whether to wait where Bluetooth cannot be used, and to go on when it can.
    var reconnects = false

    /// How long all devices may be silent before the scan is started anew, where it is to go on by itself (Q42).
    private static let silence = Duration.seconds(90)

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let view = view(in: context)
            let sightings = context.manager.scanForPeripherals(
                withServices: services,
                options: ScanOptions(
                    allowsDuplicates: showsAll || view.wantsAll, includesKnown: includesKnown, resumes: reconnects,
                    restartsAfterSilence: reconnects ? Self.silence : nil))
            let limited =
                context.options.timeout.map { sightings.take(for: $0.interval, scheduler: context.scheduler) }
                ?? sightings
            // A table has the terminal for itself.
            guard reconnects, !view.wantsAll else { return view.show(limited) }
            return view.show(limited.withNotes(StatusNotes(context: context).ofBluetooth()))
        }
    }

    private func view(in context: CommandContext) -> any ScanView {
        if context.options.json { return ScanLines(output: context.output) { $0.json.text } }
        if !showsAll, let table = LiveScanTable(context.output, scheduler: context.scheduler) { return table }
        if showsAll { return ScanLines(output: context.output) { $0.line } }
        return ScanLines(output: context.output, isShown: NewDeviceFilter().isNew) { $0.line }
    }
}

/// A way to show a scan.
protocol ScanView: Sendable {
    /// Whether it makes use of every advertisement.
    var wantsAll: Bool { get }

    /// Shows the sightings until they end.
    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never>
}

/// One line for a sighting.
struct ScanLines: ScanView {
    let output: any Output
    var isShown: @Sendable (ScannedPeripheral) -> Bool = { _ in true }
    let line: @Sendable (ScannedPeripheral) -> String

    var wantsAll: Bool { false }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        sightings.filter(isShown).do(onNext: { try output.line(line($0)) }).ignoreElements()
    }
}

/// Tells which sightings are of a new device, or of one that has changed its name.
final class NewDeviceFilter: Sendable {
    private let names = Guarded<[BluetoothAddress: String?]>([:])
    private static let limit = 10_000

    @Sendable
    func isNew(_ sighting: ScannedPeripheral) -> Bool {
        names.withLock { names in
            let address = sighting.peripheral.address
            // Private addresses change for ever. Beginning anew now and then only shows a device twice.
            if names.count >= Self.limit, names[address] == nil { names.removeAll() }
            guard let name = names.updateValue(sighting.name, forKey: address) else { return true }
            return name != sighting.name
        }
    }
}
