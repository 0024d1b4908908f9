import ArgumentParser
import RxBluetooth

private let targetHelp: ArgumentHelp = "The device's address, its name, or a part of either."

/// `ble-cli pair`
struct PairCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with a device.",
        discussion: """
            The bond remains, and values that are protected can be read and written from then on. Bring the device into its \
            pairing mode first.

            On a terminal it asks for the passkey that the device shows or has printed on it, shows the one that is to be \
            typed on the device, or asks whether both show the same number. Elsewhere, and if the passkey is known before, give \
            --passkey; without it only a device that wants none can be paired. A device that is paired already stays so.

            EXAMPLES:
              ble-cli pair Lock
              ble-cli pair C0:FF:EE:00:00:01 --passkey 123456
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: targetHelp) var target: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The passkey of the device, of six digits at most.", valueName: "digits"))
    var passkey: String?

    func verb() throws(CLIError) -> any Verb {
        var number: UInt32?
        if let passkey {
            guard (1...6).contains(passkey.utf8.count), passkey.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let value = UInt32(passkey)
            else { throw CLIError(.usage, "“\(passkey)” is not a passkey. Give 1 to 6 digits.") }
            number = value
        }
        return PairVerb(
            target: try Target(parsing: target), passkey: number,
            keyboard: number == nil ? TerminalKeyboard.present : nil)
    }
}

/// `ble-cli forget`
struct ForgetCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget a device and its bond.",
        discussion: """
            It disconnects the device, and removes what bluetoothd remembers of it. The device keeps its side of the bond, \
            and may have to be told to forget it, too.

            EXAMPLES:
              ble-cli forget Lock
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: targetHelp) var target: String

    func verb() throws(CLIError) -> any Verb { ForgetVerb(target: try Target(parsing: target)) }
}
