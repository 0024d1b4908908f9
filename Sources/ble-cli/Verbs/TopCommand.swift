import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli top`.
struct TopCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Watch the devices around on the full screen.",
        discussion: """
            Shows each advertising device with its RSSI, the RSSI of its latest advertisements as bars, advertisements \
            a second, the time since the last one, and what it advertises: its decoded values, else its companies \
            and services. The selected device is shown in detail.

            Keys: arrows or j and k select a device; Enter connects to it, shows its services with their values, and \
            disconnects; Esc returns; s changes the order; / filters by name, address or company; p pauses; ? lists \
            the keys; q quits.

            The screen is redrawn four times a second, also with thousands of devices. It needs a terminal with \
            control sequences; for pipes and simple terminals, see ble-cli scan.

            EXAMPLES:
              ble-cli top
              ble-cli top --sort name
              ble-cli top --name ruuvi --rssi -80
              ble-cli top --manufacturer 0499 --keys ~/sensor-keys
              ble-cli top --scenario crowd
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var filter: ScanFilterOptions
    @OptionGroup var list: DeviceListOptions

    @Flag(help: "While Bluetooth is unavailable, wait, and then continue.")
    var reconnect = false

    @OptionGroup var keys: KeyOptions

    func verb() throws(CLIError) -> any Verb {
        guard !common.json else {
            throw CLIError(.usage, "top draws a screen and prints no JSON. Use ble-cli scan --json --all.")
        }
        return TopVerb(
            conditions: try filter.parsed(), duration: try list.parsedDuration(besides: common.timeout),
            sort: try list.parsedSort() ?? .rssi, color: try list.parsedColor(), reconnects: reconnect,
            keys: try keys.parsed(), keyboard: TerminalKeys.present)
    }
}

/// Shows scan results on the full screen until the user quits.
struct TopVerb: LinkVerb {
    var conditions = ScanConditions()
    var duration: Duration?
    var sort = DeviceSort.rssi
    var color = ColorChoice.auto
    /// Whether the scan waits while Bluetooth is unavailable, and then continues.
    var reconnects = false
    /// The keys of devices that encrypt their advertisements.
    var keys = KeyStore()
    /// The keys that the user presses; nil if there is no keyboard.
    var keyboard: (any KeySource)?

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            guard context.output.size != nil else {
                throw CLIError(
                    .usage, "top needs a terminal with control sequences. Use ble-cli scan, or ble-cli scan --json.")
            }
            let scan = ScanVerb(conditions: conditions, reconnects: reconnects)
            let sightings = scan.sightings(in: context, all: true)
            let limit = duration ?? context.options.timeout
            let limited = limit.map { sightings.take(for: $0.interval, scheduler: context.scheduler) } ?? sightings
            return LiveDeviceView(
                context: context, layout: .full, sort: sort, style: color.style(of: context.output),
                keyboard: keyboard
            )
            .show(limited)
        }
    }
}
