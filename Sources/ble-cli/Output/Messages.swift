import FoundationEssentials
import Logging
import Rx

/// What goes to standard error: lines for people, or with `--json` one object a line for programs.
struct Messages: Sendable {
    let output: any Output
    var isJSON = false
    /// The clock that the objects' times come from.
    var now: @Sendable () -> Date = { Date() }

    /// Tells why the program ends. Where nobody listens there is nobody to tell that.
    func fail(_ failure: CLIError) {
        guard isJSON else { return output.complain(failure.text) }
        write([("error", failure.json), ("exitCode", .number(Int(failure.code.rawValue)))])
    }

    /// Tells a person something while the program goes on.
    func note(_ text: String) {
        guard isJSON else { return output.complain(text) }
        write([("note", .string(text))])
    }

    /// Tells what happens between this program and bluetoothd.
    func log(_ level: String, _ text: String, _ details: [(key: String, value: String)]) {
        guard isJSON else {
            let parts = [Timestamp.text(now()), level, text] + details.map { "\($0.key)=\($0.value)" }
            try? output.line(Sanitiser.clean(parts.joined(separator: " ")))
            return
        }
        let members = details.map { (key: $0.key, value: JSON.string($0.value)) }
        write([
            ("log", .object([("level", .string(level)), ("message", .string(text)), ("details", .object(members))]))
        ])
    }

    private func write(_ members: [(key: String, value: JSON)]) {
        try? output.line(JSON.object([("time", .string(Timestamp.text(now())))] + members).text)
    }
}

extension Output {
    /// Tells a person something in one line.
    fileprivate func complain(_ text: String) { try? line("ble-cli: " + Sanitiser.clean(text)) }
}

/// A log handler that writes one line an event to the program's messages.
struct MessageLogHandler: LogHandler {
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
