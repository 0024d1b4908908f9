import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli scan`.
struct ScanCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show advertising devices.",
        discussion: """
            On a terminal, shows a live table; columns that do not fit are left out. Keys: arrows or j and k select a \
            device, Enter shows its advertisement in detail, s changes the order, / filters by text, p pauses, ? lists \
            the keys, q quits. At the end, the table is printed with all devices. For a full screen with signal \
            histories, see ble-cli top.

            Advertisements of known sensors are decoded; those that are encrypted need their key. In a pipe, prints \
            one line for each new device and each change of its name; with --json, one object for each new device and \
            each change of its name or services. With --all, prints a line for every advertisement, also on a \
            terminal. In a pipe or with --json, --sort prints each device once, at the end, and needs --for.

            EXAMPLES:
              ble-cli scan
              ble-cli scan --for 10s
              ble-cli scan --name strap --rssi -70
              ble-cli scan --manufacturer 0499
              ble-cli scan --sort rssi
              ble-cli scan --for 10s --sort name --json > devices.jsonl
              ble-cli scan --service "Heart Rate"
              ble-cli scan --json --all > advertisements.jsonl
              ble-cli scan --json --reconnect
              ble-cli scan --passive --all
              ble-cli scan --keys ~/sensor-keys
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var filter: ScanFilterOptions
    @OptionGroup var list: DeviceListOptions

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
        let sort = try list.parsedSort()
        guard sort == nil || !showsAll else {
            throw CLIError(.usage, "--all prints advertisements as they arrive. Leave out --sort or --all.")
        }
        return ScanVerb(
            conditions: try filter.parsed(), duration: try list.parsedDuration(besides: common.timeout), sort: sort,
            color: try list.parsedColor(), showsAll: showsAll, includesKnown: includesKnown, reconnects: reconnect,
            isPassive: passive, keys: try keys.parsed(), keyboard: TerminalKeys.present)
    }
}

/// The options of a list of devices: its order, its colours and its duration.
struct DeviceListOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The order: rssi, name, address, or seen, the order of discovery.", valueName: "order"),
        completion: .list(DeviceSort.allCases.map(\.rawValue)))
    var sort: String?

    @Option(
        name: .customLong("for"), parsing: .unconditional, help: .lengthOrTimeout)
    var duration: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use colours: auto, always or never. With auto, the default, on a terminal unless NO_COLOR is set.",
            valueName: "when"), completion: .list(["auto", "always", "never"]))
    var color: String?

    func parsedSort() throws(CLIError) -> DeviceSort? {
        try sort.map { text throws(CLIError) in try DeviceSort.parse(text) }
    }

    func parsedColor() throws(CLIError) -> ColorChoice {
        try color.map { text throws(CLIError) in try ColorChoice.parse(text) } ?? .auto
    }

    /// Returns the duration of `--for`; nil if it is not given. Throws if `--timeout` is given, too.
    func parsedDuration(besides timeout: String?) throws(CLIError) -> Duration? {
        try TimeSpan.duration(duration, besides: timeout)
    }
}

/// Prints scan results until the time limit, or until the verb is stopped.
struct ScanVerb: Verb {
    var conditions = ScanConditions()
    /// How long to scan; nil for the time limit of the context, if it has one.
    var duration: Duration?
    /// The order of the devices; nil for the order of discovery.
    var sort: DeviceSort?
    var color = ColorChoice.auto
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
    /// The keys that the user presses in the live table; nil if there is no keyboard.
    var keyboard: (any KeySource)?

    /// With `reconnects`, discovery restarts after this long without any advertisement (Q42).
    static let silence = Duration.seconds(90)

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let linked = LinkedDevices()
            let view = try view(in: context, linked)
            let limit = duration ?? context.options.timeout
            guard !view.isAtEnd || limit != nil else {
                throw CLIError(
                    .usage, "Without a live table, --sort prints the devices at the end. Give --for, such as --for 10s."
                )
            }
            let sightings = filling(linked, in: context, before: sightings(in: context, all: showsAll || view.wantsAll))
                .do(afterNext: { _ in ProgramPages.startIsReleased })
            let hasResult = Guarded(false)
            let limited = (limit.map { sightings.take(for: $0.interval, scheduler: context.scheduler) } ?? sightings)
                .do(onNext: { _ in hasResult.withLock { $0 = true } })
            // The live table shows the state of Bluetooth itself, because notes would disturb it.
            let isNoting = reconnects && !view.showsState
            return view.show(isNoting ? limited.alongside(StatusNotes(context: context).ofBluetooth()) : limited)
                .notingDrops(of: "advertisements", in: context)
                .do(onCompleted: {
                    guard let limit, !hasResult.withLock(\.self) else { return }
                    let what = conditions.isEmpty ? "No device" : "No device that matches the options"
                    context.note("\(what) advertised within \(limit.text).")
                })
        }
    }

    /// Emits the scan results that match the conditions.
    func sightings(in context: CommandContext, all: Bool) -> Observable<ScannedPeripheral> {
        let sightings = context.manager.scanForPeripherals(
            withServices: conditions.services,
            options: ScanOptions(
                allowsDuplicates: all, includesKnown: includesKnown, resumes: reconnects,
                restartsAfterSilence: reconnects ? Self.silence : nil, filters: conditions.filters,
                mode: isPassive ? .passive(patterns: conditions.patterns) : .active))
        guard conditions.namePart != nil else { return sightings }
        return sightings.filter { [conditions] in conditions.accepts($0) }
    }

    /// The devices to which any program had a link before the scan.
    private final class LinkedDevices: Sendable {
        private let devices = Guarded<Set<Peripheral>>([])

        func store(_ list: [Peripheral]) { devices.withLock { $0 = Set(list) } }

        func contains(_ peripheral: Peripheral) -> Bool { devices.withLock { $0.contains(peripheral) } }
    }

    /// With `includesKnown`, stores the devices with a link before the scan. They are not only remembered.
    private func filling(
        _ linked: LinkedDevices, in context: CommandContext, before sightings: Observable<ScannedPeripheral>
    ) -> Observable<ScannedPeripheral> {
        guard includesKnown else { return sightings }
        return context.manager.retrieveConnectedPeripherals().asObservable()
            .catchAndReturn([])
            .flatMap { list -> Observable<ScannedPeripheral> in
                linked.store(list)
                return sightings
            }
    }

    private func view(in context: CommandContext, _ linked: LinkedDevices) throws -> any ScanView {
        let (output, json) = (context.output, context.options.json)
        let style = color.style(of: output)
        let line: @Sendable (ScannedPeripheral) -> String = { result in
            guard !json else { return result.json.text }
            let isConnected = result.isCached && linked.contains(result.peripheral)
            return result.line(in: style, isConnected: isConnected)
        }
        if showsAll { return ScanLines(output: output, line: line) }
        if !json, output.size != nil {
            return LiveDeviceView(
                context: context, layout: .table, sort: sort ?? .seen, style: style, keyboard: keyboard)
        }
        if let sort { return SortedScanLines(output: output, sort: sort, line: line) }
        return json
            ? ScanLines(output: output, line: line)
            : ScanLines(output: output, isShown: NewDeviceFilter().isNew, line: line)
    }
}
