import Rx
import RxBluetooth
import RxBluetoothSupport

/// Prints the values of characteristics: as text, in a format, or as JSON objects.
struct ValuePrinter: Sendable {
    let context: CommandContext
    /// The format of the values; nil to print the bytes with their meaning.
    var format: ValueFormat?
    /// Whether each line begins with the characteristic, because the command prints values of several.
    var showsSource = false
    /// Whether a value that does not have the format is a note, and not an error, because further values follow.
    var continuesAfterMismatch = false

    /// Prints a value as one line; in the format `raw`, only its bytes.
    ///
    /// Throws if the value does not have the format, unless further values follow. The link stays usable.
    func show(_ value: [UInt8], of characteristic: Characteristic) throws {
        try show(value, of: .characteristic(characteristic))
    }

    func show(_ value: [UInt8], of attribute: GATTAttribute) throws {
        guard !context.options.json else {
            let formatted = format.flatMap { $0.text(value) }
            let members = attribute.jsonMembers(value, at: context.scheduler.now)
            return try context.output.line(JSON.object(members + [("formatted", .string(orNull: formatted))]).text)
        }
        let source = showsSource ? "\(attribute.label)  " : ""
        guard let format else {
            return try context.output.prose(source + ValueText.line(value, of: attribute.uuid), indent: 4)
        }
        guard format != .raw else { return try context.output.write(bytes: value) }
        guard let text = format.text(value) else {
            let reason =
                "The value \(value.isEmpty ? "(empty)" : HexBytes.text(value)) of \(attribute.uuid) is not "
                + "\(format.name). Give another --format."
            guard continuesAfterMismatch else { throw CLIError(.failed, reason) }
            return context.note(reason)
        }
        // A pipe gets the text as it is, so that other programs can use it.
        try context.output.line(source + (context.output.isTerminal ? Sanitiser.clean(text) : text))
    }

    /// Throws if the output cannot take the format: bytes from a device could control a terminal.
    func check() throws(CLIError) {
        guard format == .raw, context.output.isTerminal, !context.options.json else { return }
        throw CLIError(
            .usage, "The format raw prints bytes unchanged, which may control a terminal. Redirect the output.")
    }
}
