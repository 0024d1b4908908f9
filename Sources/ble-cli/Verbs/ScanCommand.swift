import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli scan`.
struct ScanCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show advertising devices.",
        discussion: """
            On a terminal, shows a live table; columns that do not fit are left out. Advertisements of known sensors \
            are decoded; those that are encrypted need their key. In a pipe, prints one line for \
            each new device and each change of its name; with --json, one object for each new device and each change \
            of its name or services. With --all, prints a line for every advertisement, also on a terminal.

            EXAMPLES:
              ble-cli scan
              ble-cli scan --service 180D --timeout 10
              ble-cli scan --service "Heart Rate"
              ble-cli scan --json --all > advertisements.jsonl
              ble-cli scan --json --reconnect
              ble-cli scan --passive --all
              ble-cli scan --keys ~/sensor-keys
            """)

    @OptionGroup var common: CommonOptions

    @Option(
        name: .customLong("service"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Show only devices that advertise this service: a UUID, or a name such as \"Heart Rate\". If given several "
                + "times, a device with any of the services is shown.",
            valueName: "service"))
    var services: [String] = []

    @Flag(name: .customLong("all"), help: "Print a line for every advertisement.")
    var showsAll = false

    @Flag(name: .customLong("known"), help: "Start with the devices that bluetoothd remembers, near or not.")
    var includesKnown = false

    @Flag(help: "While Bluetooth is unavailable, wait, and then continue.")
    var reconnect = false

    @Flag(
        help: ArgumentHelp(
            "Only listen, without requests to the devices. Most names are missing, and devices without flags. Needs "
                + "bluetoothd -E."))
    var passive = false

    @OptionGroup var keys: KeyOptions

    func verb() throws(CLIError) -> any Verb {
        var uuids: [BluetoothUUID] = []
        for text in services { uuids.append(try ServiceArgument.parse(text)) }
        return ScanVerb(
            services: uuids, showsAll: showsAll, includesKnown: includesKnown, reconnects: reconnect,
            isPassive: passive, keys: try keys.parsed())
    }
}

/// Prints scan results until the time limit, or until the verb is stopped.
struct ScanVerb: Verb {
    var services: [BluetoothUUID] = []
    /// Whether every advertisement is printed, not only new devices and new names.
    var showsAll = false
    /// Whether the devices that bluetoothd remembers are printed first.
    var includesKnown = false
    /// Whether the scan waits while Bluetooth is unavailable, and then continues.
    var reconnects = false
    /// Whether the scan only listens, without requests to the devices.
    var isPassive = false
    /// The keys of devices that encrypt their advertisements.
    var keys = KeyStore()

    /// With `reconnects`, discovery restarts after this long without any advertisement (Q42).
    private static let silence = Duration.seconds(90)

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let view = view(in: context)
            let sightings = context.manager.scanForPeripherals(
                withServices: services,
                options: ScanOptions(
                    allowsDuplicates: showsAll || view.wantsAll, includesKnown: includesKnown, resumes: reconnects,
                    restartsAfterSilence: reconnects ? Self.silence : nil,
                    mode: isPassive ? .passive(patterns: AdvertisementPattern.almostAll) : .active))
            let limited =
                context.options.timeout.map { sightings.take(for: $0.interval, scheduler: context.scheduler) }
                ?? sightings
            // Prints no notes while the live table is shown, because notes would disturb the table.
            guard reconnects, !view.wantsAll else { return view.show(limited) }
            return view.show(limited.alongside(StatusNotes(context: context).ofBluetooth()))
        }
    }

    private func view(in context: CommandContext) -> any ScanView {
        if context.options.json { return ScanLines(output: context.output) { $0.json.text } }
        if !showsAll, let table = LiveScanTable(context.output, scheduler: context.scheduler) { return table }
        if showsAll { return ScanLines(output: context.output) { $0.line } }
        return ScanLines(output: context.output, isShown: NewDeviceFilter().isNew) { $0.line }
    }
}

/// A way to print scan results.
protocol ScanView: Sendable {
    /// Whether the view needs every advertisement.
    var wantsAll: Bool { get }

    /// Prints the results until they end.
    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never>
}

/// Prints each scan result as one line.
struct ScanLines: ScanView {
    let output: any Output
    var isShown: @Sendable (ScannedPeripheral) -> Bool = { _ in true }
    let line: @Sendable (ScannedPeripheral) -> String

    var wantsAll: Bool { false }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        sightings.filter(isShown).do(onNext: { try output.line(line($0)) }).ignoreElements()
    }
}

/// A filter that passes a scan result if its device is new or has changed its name.
final class NewDeviceFilter: Sendable {
    private let names = Guarded<[BluetoothAddress: String?]>([:])
    private static let limit = 10_000

    @Sendable
    func isNew(_ sighting: ScannedPeripheral) -> Bool {
        names.withLock { names in
            let address = sighting.peripheral.address
            // Bounds the list, because private addresses change all the time.
            // If the list is cleared, devices are only printed once more.
            if names.count >= Self.limit, names[address] == nil { names.removeAll() }
            guard let name = names.updateValue(sighting.name, forKey: address) else { return true }
            return name != sighting.name
        }
    }
}
