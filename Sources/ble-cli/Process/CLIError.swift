import RxBluetooth
import RxBluetoothSupport

/// The reason why a command failed: an exit code, and a text of one line.
struct CLIError: Error, Equatable {
    let code: ExitCode
    /// What failed, the cause, and what to do.
    ///
    /// The text may contain raw text from a device; ``Messages`` sanitises the text before printing.
    let text: String
    /// The library's error; nil if the program itself found the fault.
    private(set) var cause: BluetoothError?

    init(_ code: ExitCode, _ text: String) {
        self.code = code
        self.text = text
    }

    /// Makes an error from an error of the library.
    ///
    /// - Parameter advice: What the user can do; nil to use this program's hint, or else the library's advice.
    init(_ error: BluetoothError, advice: String?) {
        code = ExitCode(error.kind)
        text = [error.summary, advice ?? error.hint ?? error.advice].compactMap(\.self).joined(separator: " ")
        cause = error
    }

    /// Makes an error from an error of any type.
    init(_ error: any Error) {
        switch error {
        case let error as CLIError: self = error
        case let error as BluetoothError: self.init(error, advice: nil)
        default: self.init(.failed, "\(error).")
        }
    }

    /// Returns the same error, with an earlier error of the library as its cause.
    func caused(by cause: BluetoothError?) -> CLIError {
        var error = self
        error.cause = cause
        return error
    }

    /// Returns the same error with text that says which step failed, before its own text.
    func preceded(by text: String) -> CLIError {
        var error = CLIError(code, text + self.text)
        error.cause = cause
        return error
    }

    /// The same error without keys that a command line contained.
    var withoutKeys: CLIError {
        var error = CLIError(code, SecretRedaction.message(text))
        error.cause = cause
        return error
    }

    /// The error as a JSON object, which always has the same keys.
    var json: JSON {
        .object([
            ("code", .string(word)), ("message", .string(text)),
            ("operation", .string(orNull: cause?.operation?.rawValue)), ("target", .string(orNull: cause?.target)),
            ("detail", .string(orNull: cause?.detail)), ("attCode", .number(orNull: cause?.attCode)),
            ("dbusName", .string(orNull: cause?.dbusName)), ("dbusMessage", .string(orNull: cause?.dbusMessage)),
        ])
    }

    /// The value of the key `code` in the JSON object.
    private var word: String {
        if let cause, ExitCode(cause.kind) == code { return cause.code }
        return switch code {
        case .notFound: "not-found"
        case .unavailable: "unavailable"
        case .timedOut: "timed-out"
        case .usage: "usage"
        default: "failed"
        }
    }
}

extension BluetoothError {
    /// What to do about the error with this program; nil if the library's advice is enough.
    var hint: String? {
        switch kind {
        case .needsPairing where isBondTooWeak: naming(Self.commandsOfStrongerBond)
        case .needsPairing: naming("ble-cli pair")
        case .bondLost: naming(Self.commandsOfNewBond)
        case .connectFailed(let reason) where !reason.hasPrefix("br-"):
            "Check that the device is near and accepts connections, and try again."
        case .disconnected where pairingClue == .duringPairing: naming("ble-cli pair")
        case .disconnected where isOfPairingByBluetoothd && operation != .pair: naming("ble-cli pair")
        case .disconnected(.authentication) where mayNeedStrongerBond:
            "A value may require a stronger bond: \(Self.commandsOfStrongerBond)."
        case .disconnected where mayHaveLostBond && isLinkShared:
            "Try again; if each link ends: \(Self.commandsOfNewBond). "
                + "This command had not made the link, so another program may also have closed it."
        case .disconnected(.unknown) where isLinkShared, .disconnected(.local) where isLinkShared:
            "This command had not made the link, so another program may have closed it. \(nextAttempt)"
        case .disconnected where pairingClue == .possible && mayNeedStrongerBond && isOfAttribute:
            "Connect again, nearer if possible; if only this value ends the link, it may require a stronger bond: "
                + "\(Self.commandsOfStrongerBond)."
        case .disconnected where mayHaveLostBond: "Try again; if each link ends: \(Self.commandsOfNewBond)."
        case .notConnected: "The link has ended, and its cause is not known. \(nextAttempt)"
        case .poweredOff: "Switch it on: ble-cli power on."
        case .noAdapter: "Plug in a Bluetooth adapter, or list those that are present: ble-cli adapters."
        case .timedOut where mayNeedStrongerBond: adviceOnTime("give a longer --timeout")
        case .timedOut where [.connect, .discover, .read, .readDescriptor, .notify].contains(operation):
            adviceOnTime("give a longer --timeout")
        default: nil
        }
    }

    /// What to do about the time limit of a step, which is one of its arguments.
    var adviceOfStep: String { adviceOnTime("wait longer") }

    private func adviceOnTime(_ action: String) -> String {
        guard mayNeedStrongerBond else { return "Try again, or \(action)." }
        return "Try again, or \(action); if only this value has no reply, it may require a stronger bond: "
            + "\(Self.commandsOfStrongerBond)."
    }

    /// The commands that replace a bond that is too weak.
    private static let commandsOfStrongerBond = "ble-cli forget, then ble-cli pair --passkey"

    /// What to do if the peripheral has lost the bond, after another sentence; empty if this is not suspected.
    var noteOnLostBond: String {
        mayHaveLostBond ? " If each link ends: \(Self.commandsOfNewBond)." : ""
    }

    /// The commands that replace a bond that the peripheral has lost.
    private static let commandsOfNewBond = "ble-cli forget, then ble-cli pair"

    /// How to go on after the end of a link.
    private var nextAttempt: String {
        operation == .notify ? "Give --reconnect to go on over a new link." : "Run the command again."
    }

    /// Returns the library's advice with commands of this program added; nil if there is no advice.
    private func naming(_ commands: String) -> String? { advice.map { $0.dropLast() + ": \(commands)." } }
}

/// The reader closed the output. This is not a failure: `ble-cli scan | head -1` ends normally.
struct OutputClosed: Error {}

/// The command ends with this exit code, and has already printed why.
struct PrintedFailure: Error {
    let code: ExitCode
}
