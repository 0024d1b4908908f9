import RxBluetooth

/// Why the program ends without having done what it was asked for: a code, and one line for people.
struct CLIError: Error, Equatable {
    let code: ExitCode
    /// What went wrong, why, and what to do about it. It may quote text from the air as it came;
    /// whoever shows it makes it harmless.
    let text: String
    /// The library's error; nil for a failure of the program itself.
    private(set) var cause: BluetoothError?

    init(_ code: ExitCode, _ text: String) {
        self.code = code
        self.text = text
    }

    /// The failure that an error of the library is to the user.
    ///
    /// - Parameter advice: What to do about it. Nil: what this program or else the library says.
    init(_ error: BluetoothError, advice: String?) {
        code = ExitCode(error.kind)
        text = [error.summary, advice ?? error.hint ?? error.advice].compactMap(\.self).joined(separator: " ")
        cause = error
    }

    /// The failure that an error of any kind is to the user.
    init(_ error: any Error) {
        switch error {
        case let failure as CLIError: self = failure
        case let error as BluetoothError: self.init(error, advice: nil)
        default: self.init(.failed, "\(error).")
        }
    }

    /// The failure with a cause that was seen before it.
    func after(_ cause: BluetoothError?) -> CLIError {
        var failure = self
        failure.cause = cause
        return failure
    }

    /// One object for programs. Its keys are always the same.
    var json: JSON {
        .object([
            ("code", .string(word)), ("message", .string(text)),
            ("operation", .string(orNull: cause?.operation?.rawValue)), ("target", .string(orNull: cause?.target)),
            ("attCode", .number(orNull: cause?.attCode)), ("dbusName", .string(orNull: cause?.dbusName)),
            ("dbusMessage", .string(orNull: cause?.dbusMessage)),
        ])
    }

    /// A word for the kind of failure, for programs.
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
    /// What to do about it with this program; nil where the library says it all.
    var hint: String? {
        switch kind {
        case .needsPairing where isBondTooWeak: naming("ble-cli forget, then ble-cli pair --passkey")
        case .needsPairing: naming("ble-cli pair")
        case .bondLost: naming("ble-cli forget, then ble-cli pair")
        case .connectFailed(let reason) where !reason.hasPrefix("br-"):
            "Check that the device is near and accepts connections, and try again."
        case .timedOut where [.connect, .discover, .read, .readDescriptor, .notify].contains(operation):
            "Try again, or give --timeout more."
        default: nil
        }
    }

    /// The library's advice, which names no commands, with the commands that follow it.
    private func naming(_ commands: String) -> String? { advice.map { $0.dropLast() + ": \(commands)." } }
}

/// Nobody reads the output any more. That is no failure: `ble-cli scan | head -1` has what it wanted.
struct OutputClosed: Error {}
