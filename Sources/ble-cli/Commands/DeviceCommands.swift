import ArgumentParser
import RxBluetooth

private let targetHelp: ArgumentHelp = "The device's address, its name, or a part of either."
private let characteristicHelp: ArgumentHelp = "A UUID, a name such as \"Battery Level\", or a handle such as @000b."

/// `ble-cli connect`
struct ConnectCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "connect", abstract: "Connect to a device, print what it has, and disconnect.",
        discussion: """
            It prints services, characteristics and descriptors with their names, their handles, what can be done with them, \
            and the values that can be read. What cannot be read is marked with the reason.

            EXAMPLES:
              ble-cli connect "Heart rate strap"
              ble-cli connect C0:FF:EE:00:00:01 --json
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: targetHelp) var target: String

    func verb() throws(CLIError) -> any Verb { ConnectVerb(target: try Target(parsing: target)) }
}

/// `ble-cli read`
struct ReadCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Read a value.",
        discussion: """
            It prints the bytes, and beside them what they say where that is known.

            EXAMPLES:
              ble-cli read Strap 2A19
              ble-cli read Strap "Battery Level" --json
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: targetHelp) var target: String
    @Argument(help: characteristicHelp) var characteristic: String

    func verb() throws(CLIError) -> any Verb {
        ReadVerb(
            target: try Target(parsing: target), characteristic: try CharacteristicArgument(parsing: characteristic))
    }
}

/// `ble-cli write`
struct WriteCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write a value.",
        discussion: """
            It prints nothing when the value is written. Without an option it is written as the characteristic offers: with a \
            confirmation by the device, or if it offers only that, without. An empty value ("") is a value of no bytes.

            EXAMPLES:
              ble-cli write Strap 2A39 01
              ble-cli write Lamp @0021 "0x01 ff:80:00" --no-response
              ble-cli write Strap 2A39 ""
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: targetHelp) var target: String
    @Argument(help: characteristicHelp) var characteristic: String

    @Argument(
        help:
            "The bytes, two hexadecimal digits each, with or without 0x in front and blanks, colons or dashes between.")
    var hex: String

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Ask the device for a confirmation, or do not. Default: as the characteristic offers.")
    var response: Bool?

    func verb() throws(CLIError) -> any Verb {
        let value = try HexBytes.parse(hex)
        guard value.count <= Characteristic.longestValue else {
            throw CLIError(
                .usage,
                "The value has \(value.count) bytes, and a characteristic holds "
                    + "\(Characteristic.longestValue) at most.")
        }
        return WriteVerb(
            target: try Target(parsing: target), characteristic: try CharacteristicArgument(parsing: characteristic),
            value: value,
            type: response.map { $0 ? .withResponse : .withoutResponse })
    }
}

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
    @Argument(help: targetHelp) var target: String
    @Argument(help: characteristicHelp) var characteristic: String

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
