/// A key of a terminal.
enum TerminalKey: Equatable, Sendable {
    case character(Unicode.Scalar)
    case enter, tab, interrupt, endOfInput
    case left, right, up, down, home, end, wordLeft, wordRight
    case backspace, delete, deleteWord, deleteToStart, deleteToEnd, clearScreen
    /// The key Esc alone, which only ``TerminalKeyDecoder/finish()`` recognises.
    case escape
    case pageUp, pageDown, suspend
    /// Ctrl-R and Ctrl-G.
    case search, endSearch
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
        case 0x07: .endSearch
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x0B: .deleteToEnd
        case 0x0C: .clearScreen
        case 0x0E: .down
        case 0x10: .up
        case 0x12: .search
        case 0x15: .deleteToStart
        case 0x17: .deleteWord
        case 0x1A: .suspend
        default: nil
        }
    }
}
