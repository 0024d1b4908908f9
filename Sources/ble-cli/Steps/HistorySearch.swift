/// A search of the earlier lines of a shell, which Ctrl-R begins.
struct HistorySearch: Sendable {
    /// The line before the search.
    let original: [Character]
    /// The index of the line before the search, in the history; nil for the new line.
    let originalPlace: Int?
    /// The text that the user searches for.
    private var wanted = ""
    /// The index of the line that was found, in the history; nil before the first one.
    private(set) var place: Int?
    /// Whether the text is in no line, or in no older one.
    private var hasFailed = false

    private static let longestText = 100

    init(from line: [Character], at place: Int?) {
        original = line
        originalPlace = place
    }

    /// The prompt while the user searches.
    var prompt: String { "\(hasFailed ? "not found" : "search") “\(wanted)”: " }

    /// Returns the line that was found.
    func found(in history: [String]) -> String? { place.map { history[$0] } }

    /// Adds a character to the text. The line that was found stays if it contains the longer text.
    mutating func add(_ scalar: Unicode.Scalar, _ history: [String]) {
        guard wanted.count < Self.longestText else { return }
        wanted.unicodeScalars.append(scalar)
        find(history, upTo: place ?? history.count - 1)
    }

    /// Removes the last character of the text, and begins with the newest line again.
    mutating func removeLast(_ history: [String]) {
        _ = wanted.popLast()
        find(history, upTo: history.count - 1)
    }

    /// Finds the next older line.
    mutating func findOlder(_ history: [String]) {
        find(history, upTo: (place ?? history.count) - 1)
    }

    private mutating func find(_ history: [String], upTo newest: Int) {
        hasFailed = false
        guard !wanted.isEmpty else { return }
        let lower = wanted.lowercased()
        let lines = history.prefix(max(0, newest + 1))
        guard let index = lines.lastIndex(where: { $0.lowercased().contains(lower) }) else { return hasFailed = true }
        place = index
    }
}
