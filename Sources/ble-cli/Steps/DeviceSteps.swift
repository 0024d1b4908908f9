import ArgumentParser
import Rx
import RxBluetooth

// The steps that change what bluetoothd knows about a device or the adapter, and decode.

struct PairStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with the connected device, or another one.",
        discussion: """
            If a value of the connected device needed pairing before, connects again first, because bluetoothd \
            executes no more operations of such a link. A step does not prompt. If the device needs a passkey, give \
            --passkey digits or @FILE; to confirm a number, use ble-cli pair.
            """)

    @Argument(help: .otherTarget) var target: String?
    @OptionGroup var options: PasskeyOption

    func step() throws(CLIError) -> any SessionStep {
        let target = try target.map { text throws(CLIError) in try Target(parsing: text) }
        let passkey = try options.parsed(read: InputFile.readInStep)
        return StepFunction { try $0.pair(target, passkey: passkey) }
    }
}

struct TrustStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Trust the connected device, or another one.")

    @Argument(help: .otherTarget) var target: String?
    @Flag(name: .customLong("off"), help: "Stop trusting the device.") var isOff = false

    func step() throws(CLIError) -> any SessionStep {
        let target = try target.map { text throws(CLIError) in try Target(parsing: text) }
        return StepFunction { [isOff] session in
            let target = try target ?? .address(session.connected().peripheral.address)
            return TrustVerb(target: target, isTrusted: !isOff).run(in: session.context)
        }
    }
}

struct ForgetStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget a device and its bond; its link is closed.")

    @Argument(help: "The address of the device, or its whole name.", completion: .devices) var target: String

    func step() throws(CLIError) -> any SessionStep {
        let target = try Target(parsing: target)
        return StepFunction { $0.forget(target) }
    }
}

struct PowerStep: StepCommand {
    static let configuration = CommandConfiguration(
        commandName: "power", abstract: "Switch the adapter on or off, for all programs.")

    @Argument(help: .powerState) var state: String

    func step() throws(CLIError) -> any SessionStep {
        let isOn = try PowerCommand.isOn(state)
        return StepFunction { PowerVerb(isOn: isOn).run(in: $0.context) }
    }
}

extension DecodeCommand: StepCommand {
    func step() throws(CLIError) -> any SessionStep {
        if let file = keys.file { try InputFile.checkInStep(file) }
        // Reports a wrong value before any step runs.
        _ = try text()
        return StepFunction { session in
            var command = self
            command.json = json || session.context.options.json
            try session.context.output.line(command.text())
            return .empty()
        }
    }
}
