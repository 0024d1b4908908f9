import RxBluetoothSupport

/// A line of text that the user edits, with its history. A pure value: keys change it.
struct LineEditor: Sendable {
    enum Outcome: Equatable, Sendable {
        case editing
        /// The user wants the word before the cursor to be completed.
        case completing
        case clearing
        /// The user wants the process to be stopped; the line stays as it is.
        case suspending
        case line(String)
        case cancelled
        case endOfInput
    }

    private(set) var text: [Character] = []
    /// The number of characters before the cursor.
    private(set) var cursor = 0
    private(set) var history: [String] = []
    /// The entry of the history that is shown; nil for the new line.
    private var place: Int?
    /// The new line while an entry of the history is shown.
    private var draft: [Character] = []
    /// The search of the history; nil while there is none.
    private var search: HistorySearch?

    static let longestLine = 4096

    init(history: [String] = []) { self.history = history }

    /// The text before the cursor.
    var beforeCursor: String { String(text[..<cursor]) }

    mutating func press(_ key: TerminalKey) -> Outcome {
        if search != nil, searched(key) { return .editing }
        switch key {
        case .character(let scalar): insert(scalar)
        case .enter: return .line(finish())
        case .tab: return .completing
        case .clearScreen: return .clearing
        case .suspend: return .suspending
        case .interrupt:
            _ = finish(isKept: false)
            return .cancelled
        case .endOfInput:
            if text.isEmpty { return .endOfInput }
            remove(cursor, cursor + 1)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(text.count, cursor + 1)
        case .home: cursor = 0
        case .end: cursor = text.count
        case .wordLeft: cursor = wordStart
        case .wordRight: cursor = wordEnd
        case .backspace: remove(cursor - 1, cursor)
        case .delete: remove(cursor, cursor + 1)
        case .deleteWord: remove(wordStart, cursor)
        case .deleteToStart: remove(0, cursor)
        case .deleteToEnd: remove(cursor, text.count)
        case .up: show((place ?? history.count) - 1)
        case .down: show((place ?? history.count) + 1)
        case .search: search = HistorySearch(from: text, at: place)
        case .escape, .pageUp, .pageDown, .endSearch: break
        }
        return .editing
    }

    /// Gives a key to the search. Returns false if the key ends the search and acts on the line that was found.
    private mutating func searched(_ key: TerminalKey) -> Bool {
        switch key {
        case .character(let scalar):
            if !scalar.isHarmful { search?.add(scalar, history) }
        case .backspace: search?.removeLast(history)
        case .search: search?.findOlder(history)
        case .interrupt, .endSearch:
            text = search?.original ?? text
            place = search?.originalPlace
            cursor = text.count
            search = nil
            return true
        default:
            search = nil
            return key == .escape
        }
        guard let found = search?.found(in: history) else { return true }
        if place == nil { draft = search?.original ?? [] }
        place = search?.place
        text = Array(found)
        cursor = text.count
        return true
    }

    /// Replaces the text before the cursor.
    mutating func replaceBeforeCursor(with replacement: String) {
        text = Array(replacement) + text[cursor...]
        cursor = replacement.count
    }

    private mutating func insert(_ scalar: Unicode.Scalar) {
        // Text that is pasted may contain characters that control the terminal or are invisible.
        guard !scalar.isHarmful, text.count < Self.longestLine else { return }
        if cursor > 0 {
            let joined = String(text[cursor - 1]) + String(scalar)
            if joined.count == 1 {
                text[cursor - 1] = Character(joined)
                return
            }
        }
        text.insert(Character(scalar), at: cursor)
        cursor += 1
    }

    private mutating func remove(_ start: Int, _ end: Int) {
        let range = max(0, start)..<min(text.count, max(0, end))
        guard !range.isEmpty else { return }
        text.removeSubrange(range)
        cursor = range.lowerBound
    }

    private var wordStart: Int {
        var place = cursor
        while place > 0, text[place - 1].isWhitespace { place -= 1 }
        while place > 0, !text[place - 1].isWhitespace { place -= 1 }
        return place
    }

    private var wordEnd: Int {
        var place = cursor
        while place < text.count, text[place].isWhitespace { place += 1 }
        while place < text.count, !text[place].isWhitespace { place += 1 }
        return place
    }

    private mutating func finish(isKept: Bool = true) -> String {
        let line = String(text)
        if isKept, !line.trimmed.isEmpty, history.last != line { history.append(line) }
        if history.count > LineHistory.longest { history.removeFirst() }
        text = []
        cursor = 0
        place = nil
        draft = []
        search = nil
        return line
    }

    private mutating func show(_ wanted: Int) {
        guard (0...history.count).contains(wanted), wanted != place ?? history.count else { return }
        if place == nil { draft = text }
        place = wanted == history.count ? nil : wanted
        text = place.map { Array(history[$0]) } ?? draft
        cursor = text.count
    }

    /// Returns the text that draws the prompt and the part of the line around the cursor within a width.
    func drawn(after prompt: String, in columns: Int) -> String {
        let prompt = TextWidth.cut(search?.prompt ?? prompt, to: max(0, columns / 2))
        // One column stays free for the cursor at the end of the line.
        let room = max(1, columns - TextWidth.of(prompt) - 1)
        var start = cursor
        var width = 0
        while start > 0, width + TextWidth.of(text[start - 1]) <= room {
            width += TextWidth.of(text[start - 1])
            start -= 1
        }
        var end = cursor
        var shown = width
        while end < text.count, shown + TextWidth.of(text[end]) <= room {
            shown += TextWidth.of(text[end])
            end += 1
        }
        let column = TextWidth.of(prompt) + width
        return "\r\(prompt)\(String(text[start..<end]))\u{1B}[K\r" + (column > 0 ? "\u{1B}[\(column)C" : "")
    }
}
