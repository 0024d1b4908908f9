import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli adapters`.
struct AdaptersCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters", abstract: "List this machine's Bluetooth adapters.",
        discussion: """
            Each line shows the adapter's name, its address, whether it is on, whether it scans, and its alias. With \
            --watch, an adapter that changes is printed again, and a line with “removed” follows when it is gone.

            EXAMPLES:
              ble-cli adapters
              ble-cli adapters --watch --json
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Continue, and print each adapter again when it changes, until Ctrl-C or --timeout.")
    var watch = false

    func verb() throws(CLIError) -> any Verb { AdaptersVerb(watches: watch) }
}

/// Lists the machine's Bluetooth adapters, once or with all changes.
struct AdaptersVerb: Verb {
    var watches = false

    func run(in context: CommandContext) -> Observable<Never> {
        watches ? watch(in: context) : list(in: context)
    }

    private func list(in context: CommandContext) -> Observable<Never> {
        context.manager.adapters.take(1)
            .flatMap { adapters -> Observable<Adapter> in
                guard adapters.isEmpty else { return Observable.from(adapters) }
                return context.manager.obstacle.take(1).map {
                    throw ($0 ?? BluetoothError(.noAdapter)).whileReadingState
                }
            }
            .do(onNext: { try context.output.line(context.options.json ? $0.json.text : $0.line) })
            .ignoreElements()
    }

    // MARK: Changes

    private enum Change: String {
        case present, added, changed, removed
    }

    /// Prints the adapters, and then each change. A bluetoothd that is not available is a note.
    private func watch(in context: CommandContext) -> Observable<Never> {
        let shown = Guarded<[Adapter]?>(nil)
        let changes = context.manager.adapters
            .do(onNext: { adapters in
                let old = shown.withLock { shown in
                    defer { shown = adapters }
                    return shown
                }
                for adapter in adapters where old?.contains(where: { isShown($0, as: adapter, in: context) }) != true {
                    let isNew = old?.contains { $0.name == adapter.name } == false
                    try show(old == nil ? .present : isNew ? .added : .changed, adapter, in: context)
                }
                for adapter in old ?? [] where !adapters.contains(where: { $0.name == adapter.name }) {
                    try show(.removed, adapter, in: context)
                }
            })
            .alongside(StatusNotes(context: context).ofDaemon())
        guard let timeout = context.options.timeout else { return changes.ignoreElements() }
        return changes.take(for: timeout.interval, scheduler: context.scheduler).ignoreElements()
    }

    /// Whether two states of an adapter have the same output, so that the second one is not printed.
    private func isShown(_ old: Adapter, as new: Adapter, in context: CommandContext) -> Bool {
        old == new || !context.options.json && old.line == new.line
    }

    private func show(_ change: Change, _ adapter: Adapter, in context: CommandContext) throws {
        guard context.options.json else {
            return try context.output.line(change == .removed ? adapter.removedLine : adapter.line)
        }
        try context.output.line(
            JSON.object([
                ("time", .string(Timestamp.text(context.scheduler.now))), ("change", .string(change.rawValue)),
                ("adapter", adapter.json),
            ]).text)
    }
}

extension Adapter {
    fileprivate var line: String {
        [
            TextWidth.fit(name, to: 5), TextWidth.fit(address?.description ?? "-", to: 17), isPowered ? "on " : "off",
            isDiscovering ? "scanning" : "idle    ", Sanitiser.clean(alias),
        ].joined(separator: "  ")
    }

    fileprivate var removedLine: String {
        [TextWidth.fit(name, to: 5), TextWidth.fit(address?.description ?? "-", to: 17), "removed"]
            .joined(separator: "  ")
    }

    fileprivate var json: JSON {
        .object([
            ("name", .string(name)), ("address", .string(orNull: address?.description)), ("alias", .string(alias)),
            ("number", .number(number)),
            ("powered", .bool(isPowered)), ("powerState", .string(orNull: powerState?.rawValue)),
            ("central", .bool(isCentral)), ("discovering", .bool(isDiscovering)), ("selected", .bool(isSelected)),
        ])
    }
}

extension BluetoothError {
    /// The same error, as that of reading the state of Bluetooth.
    fileprivate var whileReadingState: BluetoothError {
        BluetoothError(
            kind, operation: .readState, target: target, detail: detail, dbusName: dbusName, dbusMessage: dbusMessage)
    }
}
