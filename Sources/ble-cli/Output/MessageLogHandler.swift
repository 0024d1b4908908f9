import Logging

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
