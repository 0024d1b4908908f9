import Logging

/// How far the cases of a campaign came, and what became of them.
struct Tally: Sendable, Equatable {
    /// Cases by what was mutated.
    var wire = 0, values = 0, both = 0
    /// Values that this project's writer does not send.
    var unwritable = 0
    /// Bytes that libdbus does not take.
    var refused = 0
    /// Messages that libdbus takes, and those of them whose bytes are not those of the message before the mutation.
    var accepted = 0, different = 0
    /// Bodies that were read to their end as data, written, and read again; and those that bear what is no data.
    var read = 0, notData = 0
    /// Signals that a rule of the client fits, and those that none does.
    var signals = 0, strangers = 0
    /// Messages that answered a call, and those that are no answer.
    var answers = 0, noAnswers = 0
    /// What the client counted as malformed.
    var rejected = 0
    /// What its streams emitted: sightings, peripherals of a snapshot, values notified, values read.
    var sightings = 0, known = 0, notified = 0, valuesRead = 0
    /// Operations that failed with a `BluetoothError`.
    var errors = 0
    /// Clients made afresh, because what came had ended what the last one had under way.
    var clients = 0
    /// What must not happen, in words.
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
            (\.refused, "  refused by libdbus"), (\.accepted, "  taken by libdbus"),
            (\.different, "    whose bytes differ from the well-formed message"),
            (\.read, "    read as data, written and read again alike"), (\.notData, "    with what is no data"),
            (\.signals, "    signals that reached the client"), (\.strangers, "    signals that no rule fits"),
            (\.answers, "    answers to a call of the client"), (\.noAnswers, "    no answers"),
            (\.rejected, "malformed parts that the client counted"), (\.sightings, "sightings"),
            (\.known, "peripherals from snapshots"), (\.notified, "notified values"), (\.valuesRead, "read values"),
            (\.errors, "typed errors"), (\.clients, "clients"),
        ]
    }

    /// The counts as lines for people.
    var lines: [String] {
        Self.numbers.map { path, title in
            let digits = String(self[keyPath: path])
            return String(repeating: " ", count: max(0, 12 - digits.count)) + digits + "  " + title
        }
    }
}

/// A tally in one place, into which streams and loggers count.
final class TallyLog: @unchecked Sendable {
    // Guard: made and used by one thread, that of its campaign.
    var tally = Tally()

    func find(_ what: String) {
        if tally.findings.count < 20 { tally.findings.append(what) }
    }
}

/// Counts what the client tells its log of malformed messages.
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
        if event.message.description == "bluetoothd sent something malformed." { recorder.tally.rejected += 1 }
    }
}
