import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli pair`.
struct PairCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair", abstract: "Pair with a device.",
        discussion: """
            The bond is stored, so protected values can be read and written from then on. Put the device into \
            pairing mode first.

            On a terminal, the command prompts for the passkey that the device shows or has printed on it, shows the \
            passkey to type on the device, or asks whether both show the same number. Without a terminal, give \
            --passkey; otherwise only a device that needs no passkey can be paired. Other users can read the arguments \
            of a command, and shells store them, so prefer --passkey - or @FILE. A device that is already paired is \
            left unchanged.

            EXAMPLES:
              ble-cli pair Lock
              ble-cli pair C0:FF:EE:00:00:01 --passkey 123456
              ble-cli pair Lock --passkey - < passkey.txt
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: .target) var target: String

    @OptionGroup var options: PasskeyOption

    func verb() throws(CLIError) -> any Verb {
        let passkey = try options.parsed(read: InputFile.read)
        return PairVerb(
            target: try Target(parsing: target), passkey: passkey,
            keyboard: passkey == nil ? TerminalKeyboard.present : nil)
    }
}

/// The option for the passkey of a device.
struct PasskeyOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The passkey of the device, at most six digits; - for standard input, or @FILE for a file.",
            valueName: "digits"))
    var passkey: String?

    /// Returns the passkey as a number; nil if none was given. Throws if it is no passkey, without the text of it.
    ///
    /// - Parameter read: Reads a file; standard input for nil.
    func parsed(read: (String?) throws(CLIError) -> [UInt8]) throws(CLIError) -> UInt32? {
        guard var passkey else { return nil }
        if passkey == "-" || passkey.hasPrefix("@") {
            let path = passkey == "-" ? nil : String(passkey.dropFirst())
            passkey = String(decoding: try read(path), as: UTF8.self).trimmed
        }
        guard (1...6).contains(passkey.utf8.count), passkey.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = UInt32(passkey)
        else { throw CLIError(.usage, "The text of --passkey is not a passkey. Give 1 to 6 digits.") }
        return value
    }
}

/// Pairs with a device, so that its protected values can be read and written.
struct PairVerb: Verb {
    let target: Target
    /// The passkey of `--passkey`; nil if none was given.
    var passkey: UInt32?
    /// The keyboard on which the user answers pairing requests; nil if the user cannot answer.
    var keyboard: (any Keyboard)?
    /// The device to which this process has a link; nil if it has none. This link is not being closed.
    ///
    /// The link may belong to another manager of this process, and then counts as one of another program.
    var connected: BluetoothAddress?

    private static let unusedPasskey =
        "The passkey was not needed. To pair again, for example if the device no longer has the bond"

    var pairing: PairingPolicy {
        if let passkey { return PairingPolicy(.passkey(passkey)) }
        return PairingPolicy(keyboard == nil ? .justWorks : .ask)
    }

    /// Returns true unless the verb succeeded: undoing a pairing takes several calls in sequence.
    func waitsForReplies(after code: ExitCode) -> Bool { code != .done }

    func run(in context: CommandContext) -> Observable<Never> {
        let progress = ConnectionProgress()
        let timedOut = context.timer(context.options.setupTimeout).map { _ -> DeviceCandidates.Candidate in
            throw progress.timeoutError(target, after: context.options.setupTimeout)
        }
        let finder = DeviceFinder(context: context, target: target, changesDevice: true) { progress.enter(.choosing) }
        return finder.find()
            .amb(timedOut)
            .flatMap { found in found.peripheral.isBonded.take(1).map { (found.peripheral, $0) } }
            .flatMap { (peripheral: Peripheral, isBonded: Bool) -> Observable<Never> in
                guard isBonded else { return pair(peripheral, in: context) }
                let state = [("paired", true), ("alreadyPaired", true), ("bonded", true)]
                try context.show(peripheral, "is paired already", state)
                // Only this computer's bond is known here. The device may have lost its own.
                context.note(
                    (passkey == nil ? "If the device no longer has the bond, pair again" : Self.unusedPasskey)
                        + ": ble-cli forget, then ble-cli pair.")
                return .empty()
            }
    }

    private func pair(_ peripheral: Peripheral, in context: CommandContext) -> Observable<Never> {
        let questions = keyboard.map { PairingQuestions(context: context, keyboard: $0, peripheral: peripheral) }
        let wait = ClosingLinkWait(context: context)
        let isConnected = connected == peripheral.address
        let ready = isConnected ? .just((peripheral, true)) : wait.waitUntilClosed(peripheral)
        return ready.flatMap { peripheral, isShared -> Observable<Never> in
            let pairing = peripheral.pair().asObservable()
                .do(onDispose: { if !isShared { wait.begin(peripheral) } })
            return questions.map { pairing.alongside($0.answers()) } ?? pairing
        }
        .catch { throw withAdvice($0, questions, isConnected: isConnected) }
        .concat(
            peripheral.isBonded.take(1).flatMap { isBonded -> Observable<Never> in
                let state = [("paired", true), ("alreadyPaired", false), ("bonded", isBonded)]
                try context.show(peripheral, isBonded ? "is paired" : "is paired until the link ends", state)
                if !isBonded { context.note(Self.missingBond) }
                return .empty()
            })
    }

    private static let missingBond =
        "The device makes no bond. Use its protected values over the same link: "
        + "ble-cli run, with the steps connect, pair and read."

    /// Returns the error of a pairing, with advice that matches the options that were given.
    private func withAdvice(_ error: any Error, _ questions: PairingQuestions?, isConnected: Bool) -> any Error {
        guard let error = error as? BluetoothError else { return error }
        if isConnected, error.isLinkShared {
            return CLIError(error, advice: "Connect again, and pair then; the device may have to be in pairing mode.")
        }
        if error.kind == .timedOut {
            return CLIError(
                error,
                advice: "Check that the device is in pairing mode and accepts connections, or give a longer --timeout.")
        }
        guard case .pairingFailed(let reason) = error.kind else { return error }
        if questions?.isDeclined == true { return CLIError(error, advice: "You declined the pairing.") }
        guard passkey == nil, reason == "AuthenticationFailed" else { return error }
        return CLIError(
            error,
            advice: questions != nil
                ? "Put the device into pairing mode, and check the passkey or PIN that you typed."
                : "Put the device into pairing mode: it may accept no new bonds now, or have a bond with another host. "
                    + "If it shows a passkey or has one printed on it, give --passkey; "
                    + "if a passkey must be typed on the device or a number confirmed, run the command on a terminal.")
    }
}

extension CommandContext {
    /// Prints the new state of a device as one line.
    func show(_ peripheral: Peripheral, _ text: String, _ state: [(key: String, value: Bool)]) throws {
        guard options.json else { return try output.prose(Sanitiser.clean("\(peripheral) \(text).")) }
        let members: [(key: String, value: JSON)] = [
            ("time", .string(Timestamp.text(scheduler.now))), ("adapter", .string(orNull: peripheral.adapterName)),
            ("address", .string(peripheral.address.description)), ("name", .string(orNull: peripheral.name)),
        ]
        try output.line(JSON.object(members + state.map { ($0.key, .bool($0.value)) }).text)
    }
}
