import Logging

/// Counts of the cases of a campaign, and its findings.
struct Tally: Sendable, Equatable {
    /// The number of cases, by whether bytes, values or both were mutated.
    var wire = 0, values = 0, both = 0
    /// The number of cases with values that the writer refuses.
    var unwritable = 0
    /// The number of cases with bytes that the reader refuses.
    var refused = 0
    /// The number of messages that the reader accepts, of those that libdbus refuses, and of those that differ from the
    /// well-formed message.
    var accepted = 0, lenient = 0, different = 0
    /// The number of bodies that were read, written and read again, and of bodies with a descriptor or invalid values.
    var read = 0, notData = 0
    /// The number of signals that match a rule of the client, and of signals that match none.
    var signals = 0, unmatched = 0
    /// The number of messages that answered a call, and of messages that are not an answer.
    var answers = 0, nonAnswers = 0
    /// The number of message parts that the client reported as malformed.
    var rejected = 0
    /// The number of advertisements, of peripherals in snapshots, of notified and of read values.
    var advertisements = 0, known = 0, notified = 0, valuesRead = 0
    /// The number of operations that failed with a `BluetoothError`.
    var errors = 0
    /// The number of clients that were made.
    ///
    /// A new client is needed for each batch, and after a message that ends the operations of a client.
    var clients = 0
    /// Descriptions of the failed checks.
    var findings: [String] = []

    var cases: Int { wire + values + both }

    static func += (one: inout Tally, other: Tally) {
        for path in numbers { one[keyPath: path.0] += other[keyPath: path.0] }
        one.findings += other.findings
    }

    private static var numbers: [(WritableKeyPath<Tally, Int>, String)] {
        [
            (\.wire, "messages with mutated bytes"), (\.values, "messages with mutated values"),
            (\.both, "messages with both"),
            (\.unwritable, "  not written: the writer refuses the values"),
            (\.refused, "  refused by the reader"), (\.accepted, "  accepted by the reader"),
            (\.lenient, "    with a body that libdbus refuses"),
            (\.different, "    with other bytes than the well-formed message"),
            (\.read, "    read, written and read again with equal values"),
            (\.notData, "    with a descriptor or an invalid body"),
            (\.signals, "    signals that reached the client"), (\.unmatched, "    signals that match no rule"),
            (\.answers, "    answers to a call of the client"), (\.nonAnswers, "    messages that are not an answer"),
            (\.rejected, "malformed parts that the client reported"), (\.advertisements, "advertisements"),
            (\.known, "peripherals from snapshots"), (\.notified, "notified values"), (\.valuesRead, "read values"),
            (\.errors, "typed errors"), (\.clients, "clients"),
        ]
    }

    /// The counts, one per line.
    var lines: [String] {
        Self.numbers.map { path, title in
            let digits = String(self[keyPath: path])
            return String(repeating: " ", count: max(0, 12 - digits.count)) + digits + "  " + title
        }
    }
}

/// A tally that streams and log handlers share.
final class TallyLog: @unchecked Sendable {
    // Guard: only the thread of the campaign uses it.
    var tally = Tally()

    func find(_ what: String) {
        if tally.findings.count < 20 { tally.findings.append(what) }
    }
}

/// A log handler that counts the messages of the client about malformed messages.
struct CountingLog: LogHandler {
    let recorder: TallyLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    init(_ recorder: TallyLog) { self.recorder = recorder }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        if event.message.description == "bluetoothd sent a malformed message." { recorder.tally.rejected += 1 }
    }
}
