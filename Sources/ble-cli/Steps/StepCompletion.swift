import RxBluetooth

/// Completes the last word of a line in the shell.
struct StepCompletion: Sendable {
    /// The device that is connected; nil without a link.
    var tree: GATTTree?
    /// The names and addresses of devices that were seen.
    var devices: [String] = []

    /// The completed line, or the words to choose from.
    struct Result: Equatable, Sendable {
        var line: String
        var choices: [String] = []
    }

    /// Returns the line with its last word completed as far as it is unambiguous.
    func complete(_ line: String) -> Result {
        let (words, quote) = StepLine.split(line)
        let isNewWord = words.isEmpty || (quote == nil && line.last?.isWhitespace == true)
        let typed = isNewWord ? "" : words.last?.text ?? ""
        let start = isNewWord ? line.endIndex : words.last?.start ?? line.endIndex
        let before = words.dropLast(isNewWord ? 0 : 1).map(\.text)
        let matching = choices(after: before, isOption: typed.hasPrefix("-"))
            .filter { $0.lowercased().hasPrefix(typed.lowercased()) }
        guard let first = matching.first else { return Result(line: line) }
        if matching.count == 1 { return Result(line: line[..<start] + StepLine.quoted(first) + " ") }
        let common = matching.dropFirst().reduce(first) { Self.commonPrefix($0, $1) }
        guard common.count > typed.count else { return Result(line: line, choices: matching) }
        // The quote of an incomplete word stays open.
        let quoted = StepLine.quoted(common)
        let open = quoted == common ? common : String(quoted.dropLast())
        return Result(line: line[..<start] + open, choices: matching)
    }

    private static func commonPrefix(_ one: String, _ other: String) -> String {
        String(zip(one, other).prefix { $0.lowercased() == $1.lowercased() }.map(\.0))
    }

    private func choices(after words: [String], isOption: Bool) -> [String] {
        guard let verb = words.first else { return StepLanguage.names + ShellVerb.ownCommands }
        if words.last == "--format" {
            return ["hex", "utf8", "base64", "raw", "float", "double"]
                + [8, 16, 24, 32, 64].flatMap { ["uint\($0)", "int\($0)"] }
        }
        if isOption { return Self.options[verb] ?? [] }
        switch verb {
        case "connect", "disconnect", "info", "pair", "trust", "forget": return words.count == 1 ? devices : []
        case "read": return characteristics { !$0.isDisjoint(with: .read) }
        case "write":
            return words.count == 1 ? characteristics { !$0.isDisjoint(with: [.write, .writeWithoutResponse]) } : []
        case "wait": return words.count == 1 ? characteristics { !$0.isDisjoint(with: [.notify, .indicate]) } : []
        case "notify", "subscribe": return characteristics { !$0.isDisjoint(with: [.notify, .indicate]) }
        case "power": return words.count == 1 ? ["on", "off"] : []
        case "help": return words.count == 1 ? StepLanguage.names + ShellVerb.ownCommands : []
        default: return []
        }
    }

    private static let options: [String: [String]] = [
        "read": ["--format"], "write": ["--format", "--value", "--response", "--no-response"], "wait": ["--format"],
        "notify": ["--format", "--count", "--for"], "scan": ["--for"],
        "pair": ["--passkey"], "trust": ["--off"], "decode": ["--manufacturer", "--service-data"],
    ]

    /// The UUIDs, names and handles of the characteristics with certain properties.
    private func characteristics(_ isWanted: (Characteristic.Properties) -> Bool) -> [String] {
        let all = (tree?.services ?? []).flatMap(\.characteristics).filter { isWanted($0.properties) }
        var seen: Set<String> = []
        return (all.map(\.uuid.description) + all.compactMap(\.uuid.name) + all.map { AttributeHandle.text($0.handle) })
            .filter { seen.insert($0).inserted }
    }
}
