import FoundationEssentials
import Logging
import Rx
import RxBluetoothSupport

/// Prints messages to standard error: lines of text, or with `--json` one object per line.
struct Messages: Sendable {
    let output: any Output
    var isJSON = false
    /// Returns the present time, for time stamps.
    var now: @Sendable () -> Date = { Date() }
    /// The messages that wait while a live view has the terminal.
    let held = HeldMessages()

    /// Prints the error that ends the program. Errors of the output itself are ignored.
    func fail(_ error: CLIError) {
        guard isJSON else { return output.message(error.text) }
        write([("error", error.json), ("exitCode", .number(Int(error.code.rawValue)))])
    }

    /// Prints a note while the program continues.
    func note(_ text: String) {
        guard !isJSON else { return write([("note", .string(text))]) }
        if !held.keep("ble-cli: " + Sanitiser.clean(text)) { output.message(text) }
    }

    /// Prints a log line about the exchange with bluetoothd.
    func log(_ level: String, _ text: String, _ details: [(key: String, value: String)]) {
        guard isJSON else {
            let parts = [Timestamp.text(now()), level, text] + details.map { "\($0.key)=\($0.value)" }
            let line = Sanitiser.clean(parts.joined(separator: " "))
            if !held.keep(line) { try? output.line(line) }
            return
        }
        let members = details.map { (key: $0.key, value: JSON.string($0.value)) }
        write([
            ("log", .object([("level", .string(level)), ("message", .string(text)), ("details", .object(members))]))
        ])
    }

    // MARK: Live views

    /// Keeps notes and log lines from now on, if they would be printed on a terminal.
    func hold() { if output.isTerminal { held.begin() } }

    /// Prints the messages that wait.
    func printHeld() { for line in held.take() { try? output.line(line) } }

    /// Prints the messages that wait, and further ones at once.
    func release() { for line in held.end() { try? output.line(line) } }

    private func write(_ members: [(key: String, value: JSON)]) {
        try? output.line(JSON.object([("time", .string(Timestamp.text(now())))] + members).text)
    }
}

extension Output {
    /// Prints text for the user: one line, or on a terminal as many as it needs. Errors of the output are ignored.
    fileprivate func message(_ text: String) { try? prose("ble-cli: " + Sanitiser.clean(text)) }

    /// Prints a sanitised text. On a terminal, a long line is broken at spaces instead of within words.
    ///
    /// - Parameter indent: The number of spaces before the further lines.
    func prose(_ text: String, indent: Int = 0) throws {
        guard let columns = size?.columns, TextWidth.of(text) > columns else { return try line(text) }
        try line(TextWidth.wrap(text, to: columns, indent: indent).joined(separator: "\n"))
    }
}

/// A log handler that prints each event as one line of the program's messages.
struct MessageLogHandler: LogHandler {
    /// Returns a logger for standard error, so that standard output contains only results.
    static func logger(to messages: Messages) -> Logger {
        Logger(label: "ble-cli") { _ in MessageLogHandler(messages: messages) }
    }

    let messages: Messages
    var logLevel = Logger.Level.debug
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        messages.log(
            event.level.rawValue, event.message.description, details.map { (key: $0.key, value: $0.value.description) })
    }
}
