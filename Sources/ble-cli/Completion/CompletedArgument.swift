import ArgumentParser
import RxBluetooth

/// The help text of an argument together with the way to complete it.
struct CompletedArgument {
    let help: ArgumentHelp
    let completion: CompletionKind

    static let target = CompletedArgument(
        help: "The device's address, its name, or a part of either.", completion: .devices)
    static let wholeTarget = CompletedArgument(
        help: "The device's address, or its whole name.", completion: .devices)
    static let otherTarget = CompletedArgument(
        help: "Another device: its address, its name, or a part of either.", completion: .devices)
    static let powerState = CompletedArgument(help: "on or off.", completion: .list(["on", "off"]))
    static let characteristic = CompletedArgument(
        help: "A UUID, a name such as \"Battery Level\", or a handle such as @000b.", completion: .characteristics)
    static let characteristics = CompletedArgument(
        help: "UUIDs, names such as \"Battery Level\", or handles such as @000b; one or more.",
        completion: .characteristics)
}

extension Argument {
    /// Makes a required argument that shells can complete.
    init(help argument: CompletedArgument) where Value == String {
        self.init(help: argument.help, completion: argument.completion)
    }

    /// Makes an optional argument that shells can complete.
    init(help argument: CompletedArgument) where Value == String? {
        self.init(help: argument.help, completion: argument.completion)
    }

    /// Makes an argument for one or more values that shells can complete.
    init(help argument: CompletedArgument) where Value == [String] {
        self.init(help: argument.help, completion: argument.completion)
    }
}

extension CompletionKind {
    /// Names and addresses of devices.
    static let devices = values { DeviceCompletion.devices($0) }
    /// Names of adapters.
    static let adapters = values { DeviceCompletion.adapters($0) }
    /// Simulated versions of BlueZ.
    static let bluezVersions = CompletionKind.list(BlueZArgument.names)
    /// Names of scenarios.
    static let scenarios = CompletionKind.list(ScenarioArgument.names)
    /// Formats of values.
    static let formats = CompletionKind.list(
        ["hex", "utf8", "base64", "raw", "float", "double"]
            + [8, 16, 24, 32, 64].flatMap { ["uint\($0)", "int\($0)"] })
    /// Names that the Bluetooth SIG assigns to characteristics.
    static let characteristics = values { _ in assignedNames(0x2A00...0x2BFF) }
    /// Names that the Bluetooth SIG assigns to services.
    static let services = values { _ in assignedNames(0x1800...0x18FF) }

    /// Makes a completion from a function that returns all values; the shell selects those that match.
    private static func values(_ list: @escaping @Sendable (CompletionWords) -> [CompletionCandidate]) -> Self {
        .custom { words, index, _ in
            list(CompletionWords(words, upTo: index)).map { $0.line(for: CompletionShell.requesting) }
        }
    }

    private static func assignedNames(_ numbers: ClosedRange<UInt32>) -> [CompletionCandidate] {
        numbers.compactMap { number in
            let uuid = BluetoothUUID(number)
            return uuid.name.map { CompletionCandidate(word: $0, note: uuid.description) }
        }
    }
}
