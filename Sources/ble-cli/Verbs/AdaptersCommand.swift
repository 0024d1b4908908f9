import ArgumentParser
import Rx
import RxBluetooth

/// The command `ble-cli adapters`.
struct AdaptersCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters", abstract: "List this machine's Bluetooth adapters.",
        discussion:
            "Each line shows the adapter's name, its address, whether it is on, whether it scans, and its alias.")

    @OptionGroup var common: CommonOptions

    func verb() throws(CLIError) -> any Verb { AdaptersVerb() }
}

/// Lists the machine's Bluetooth adapters.
struct AdaptersVerb: Verb {
    func run(in context: CommandContext) -> Observable<Never> {
        context.manager.adapters.take(1)
            .flatMap { adapters -> Observable<Adapter> in
                guard adapters.isEmpty else { return Observable.from(adapters) }
                return context.manager.state.take(1).map { throw $0.errorWithoutAdapters }
            }
            .do(onNext: { try context.output.line(context.options.json ? $0.json.text : $0.line) })
            .ignoreElements()
    }
}

extension Adapter {
    fileprivate var line: String {
        [
            TextWidth.fit(name, to: 5), TextWidth.fit(address?.description ?? "-", to: 17), isPowered ? "on " : "off",
            isDiscovering ? "scanning" : "idle    ", Sanitiser.clean(alias),
        ].joined(separator: "  ")
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

extension BluetoothState {
    /// The error to report if the list of adapters is empty in this state.
    fileprivate var errorWithoutAdapters: BluetoothError {
        switch self {
        case .daemonUnavailable: BluetoothError(.daemonUnavailable, operation: .readState)
        case .unauthorized: BluetoothError(.unauthorized, operation: .readState)
        case .busUnavailable: BluetoothError(.busUnavailable, operation: .readState)
        case .poweredOn, .poweredOff, .blocked, .noAdapter: BluetoothError(.noAdapter, operation: .readState)
        }
    }
}
