/// What the events of a crash and of the restart show.
struct Verdict {
    private(set) var problems: [String] = []
    private(set) var storedCount = 0
    private(set) var duplicateCount = 0
    /// Whether the gateway has said that its store was damaged. Then readings may be lost, but no id is used twice.
    private(set) var isDamageReported = false
    private(set) var reportedLosses = 0

    init(_ events: String) {
        var stored: Set<Substring> = []
        var readings: [Substring: Substring] = [:]
        var ids: [Substring: Substring] = [:]
        for line in events.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch words.first {
            case "stored" where words.count == 2: stored.insert(words[1])
            case "delivered" where words.count == 3:
                let (id, number) = (words[1], words[2])
                if id == "none" { problems.append("without id: \(line)") }
                if readings[id] != nil { duplicateCount += 1 }
                if readings.updateValue(number, forKey: id) ?? number != number { problems.append("id twice: \(id)") }
                if ids.updateValue(id, forKey: number) ?? id != id { problems.append("another id: \(number)") }
            case "notice": isDamageReported = true
            default: problems.append(String(line.prefix(200)))
            }
        }
        storedCount = stored.count
        let lost = stored.filter { ids[$0] == nil }
        if isDamageReported { reportedLosses = lost.count } else { problems += lost.map { "lost: \($0)" } }
    }
}
