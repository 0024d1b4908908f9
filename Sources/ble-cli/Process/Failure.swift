import RxBluetooth

/// Why the program ends without having done what it was asked for: a code, and one line for people.
struct Failure: Error, Equatable {
    let code: ExitCode
    /// What went wrong, why, and what to do about it. It may quote text from the air as it came;
    /// whoever shows it makes it harmless.
    let text: String

    init(_ code: ExitCode, _ text: String) {
        self.code = code
        self.text = text
    }

    /// The failure that an error of any kind is to the user.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as BluetoothError: self.init(ExitCode(error.kind), error.textWithCommands)
        default: self.init(.failed, "\(error).")
        }
    }
}

/// Nobody reads the output any more. That is no failure: `ble-cli scan | head -1` has what it wanted.
struct OutputClosed: Error {}
