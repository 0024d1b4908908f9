import RxBluetoothSupport

/// A key of a terminal.
enum TerminalKey: Equatable, Sendable {
    case character(Unicode.Scalar)
    case enter, tab, interrupt, endOfInput
    case left, right, up, down, home, end, wordLeft, wordRight
    case backspace, delete, deleteWord, deleteToStart, deleteToEnd, clearScreen
    /// The key Esc alone, which only ``TerminalKeyDecoder/finish()`` recognises.
    case escape
    case pageUp, pageDown, suspend
}

/// Decodes the bytes of a terminal into keys. Source: ECMA-48; xterm control sequences.
struct TerminalKeyDecoder: Sendable {
    private var pending: [UInt8] = []

    /// Adds a byte. Returns the key that it completes; nil if there is none, or the key has no function.
    mutating func add(_ byte: UInt8) -> TerminalKey? {
        // Esc pressed twice: the second byte may still begin a sequence.
        if byte == 0x1B, pending == [0x1B] { return .escape }
        pending.append(byte)
        if pending[0] == 0x1B { return escapeSequence() }
        if byte < 0x20 || byte == 0x7F {
            pending = []
            return Self.control(byte)
        }
        let length = Self.length(of: pending[0])
        // A byte that cannot continue the character starts again.
        if pending.count > 1, byte & 0xC0 != 0x80 {
            pending = []
            return add(byte)
        }
        guard pending.count >= length else { return nil }
        defer { pending = [] }
        guard let text = String(validating: pending, as: UTF8.self), let scalar = text.unicodeScalars.first else {
            return nil
        }
        return .character(scalar)
    }

    /// Returns the key Esc if its byte waits for more bytes, and no byte follows.
    mutating func finish() -> TerminalKey? {
        guard pending == [0x1B] else { return nil }
        pending = []
        return .escape
    }

    /// Whether the bytes so far may be the beginning of a key.
    var isWaiting: Bool { !pending.isEmpty }

    private static func length(of first: UInt8) -> Int {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private mutating func escapeSequence() -> TerminalKey? {
        guard pending.count > 1 else { return nil }
        let last = pending[pending.count - 1]
        let isSequence = pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O")
        if isSequence, pending.count < 3 || (pending.count < 16 && (0x20...0x3F).contains(last)) { return nil }
        let text = String(decoding: pending.dropFirst(), as: UTF8.self)
        pending = []
        return switch text {
        case "[A", "OA": .up
        case "[B", "OB": .down
        case "[C", "OC": .right
        case "[D", "OD": .left
        case "[H", "OH", "[1~", "[7~": .home
        case "[F", "OF", "[4~", "[8~": .end
        case "[3~": .delete
        case "[5~": .pageUp
        case "[6~": .pageDown
        case "[1;5C", "[1;3C", "f": .wordRight
        case "[1;5D", "[1;3D", "b": .wordLeft
        case "\u{7F}": .deleteWord
        default: nil
        }
    }

    private static func control(_ byte: UInt8) -> TerminalKey? {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x0B: .deleteToEnd
        case 0x0C: .clearScreen
        case 0x0E: .down
        case 0x10: .up
        case 0x15: .deleteToStart
        case 0x17: .deleteWord
        case 0x1A: .suspend
        default: nil
        }
    }
}

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

    static let longestLine = 4096

    init(history: [String] = []) { self.history = history }

    /// The text before the cursor.
    var beforeCursor: String { String(text[..<cursor]) }

    mutating func press(_ key: TerminalKey) -> Outcome {
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
        case .escape, .pageUp, .pageDown: break
        }
        return .editing
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
        let prompt = TextWidth.cut(prompt, to: max(0, columns / 2))
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
