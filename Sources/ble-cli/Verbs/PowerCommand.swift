import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli power`.
struct PowerCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "power", abstract: "Switch a Bluetooth adapter on or off, for all programs.",
        discussion: """
            Switching an adapter off closes all its links and scans, also those of other programs. An adapter that \
            rfkill blocks cannot be switched on; the error says how to unblock it. Exit code: 3 if the adapter is \
            blocked or missing, 4 if it does not change within --timeout, by default 10 seconds.

            EXAMPLES:
              ble-cli power on
              ble-cli power off --adapter hci1
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .powerState) var state: String

    func verb() throws(CLIError) -> any Verb {
        PowerVerb(isOn: try Self.isOn(state))
    }

    /// Reads a state of the power. Throws if it is neither on nor off.
    static func isOn(_ state: String) throws(CLIError) -> Bool {
        switch state.trimmed.lowercased() {
        case "on": true
        case "off": false
        default: throw CLIError(.usage, "“\(state)” is not a state. Give on or off.")
        }
    }
}

/// Switches the adapter on or off.
struct PowerVerb: Verb {
    let isOn: Bool

    func run(in context: CommandContext) -> Observable<Never> {
        let manager = context.manager
        return manager.setPowered(isOn).andThen(manager.adapterPower.take(1))
            .do(onNext: { power in
                let name = power.adapterName ?? "The adapter"
                guard context.options.json else {
                    return try context.output.line("\(name) is \(isOn ? "on" : "off").")
                }
                try context.output.line(
                    JSON.object([
                        ("time", .string(Timestamp.text(context.scheduler.now))),
                        ("adapter", .string(orNull: power.adapterName)), ("powered", .bool(isOn)),
                    ]).text)
            })
            .ignoreElements()
    }
}
