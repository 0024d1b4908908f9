/// The screen of a terminal with the control sequences that the shell uses. Source: ECMA-48.
struct ScreenModel {
    private var columns: Int
    private var rows: Int
    private var cells: [[Character]]
    private var row = 0
    private var column = 0
    private var pending: [UInt8] = []

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = [[]]
    }

    /// The rows without spaces at their ends.
    var text: [String] { cells.map { Self.trimmed($0) } }

    /// The row of the cursor with `|` at its place.
    var cursorRow: String {
        var line = cells[row]
        while line.count < column { line.append(" ") }
        let end = Self.trimmed(Array(line[column...]))
        return String(line[..<column]) + "|" + end
    }

    private static func trimmed(_ line: [Character]) -> String {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        return String(line)
    }

    /// Changes the size. Rows keep their text, as in a terminal that does not break lines again.
    mutating func resize(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        column = min(column, columns - 1)
    }

    mutating func write(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        while let length = step() { pending.removeFirst(length) }
    }

    /// Interprets the first character or control sequence. Returns its length; nil if it is not complete.
    private mutating func step() -> Int? {
        guard let first = pending.first else { return nil }
        switch first {
        case 0x0D: column = 0
        case 0x0A: lineFeed()
        case 0x08: column = max(0, column - 1)
        case 0x07: break
        case 0x1B: return sequence()
        default:
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard pending.count >= length else { return nil }
            put(Character(String(decoding: pending[..<length], as: UTF8.self)))
            return length
        }
        return 1
    }

    private mutating func sequence() -> Int? {
        guard pending.count > 1 else { return nil }
        guard pending[1] == UInt8(ascii: "[") else { return 2 }
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        let number = Int(String(decoding: pending[2..<end], as: UTF8.self)) ?? 0
        switch pending[end] {
        case UInt8(ascii: "K"): cells[row] = Array(cells[row].prefix(column))
        case UInt8(ascii: "C"): column = min(columns - 1, column + max(1, number))
        case UInt8(ascii: "H"): (row, column) = (0, 0)
        case UInt8(ascii: "J"): cells = [[Character]](repeating: [], count: cells.count)
        default: break
        }
        return end + 1
    }

    private mutating func put(_ character: Character) {
        if column >= columns {
            column = 0
            lineFeed()
        }
        while cells[row].count <= column { cells[row].append(" ") }
        cells[row][column] = character
        column += 1
    }

    private mutating func lineFeed() {
        row += 1
        if row == cells.count { cells.append([]) }
    }
}
