/// The table of a scan as lines: as wide as the terminal and no wider, and no higher.
struct ScanTableLayout: Sendable {
    struct Row: Equatable, Sendable {
        var address: String
        var rssi: Int16?
        var name: String
        var company: String
        var services: String
    }

    private static let widestName = 64
    private static let headings = ["ADDRESS", "RSSI", "NAME", "COMPANY", "SERVICES"]
    /// The fewest columns of the terminal with which a column of the table says something. One with fewer is left out.
    private static let leastWidths = [17, 4, 8, 12, 12]

    /// The heading and the rows, as many as fit; where there are more, a last line tells how many.
    static func lines(_ rows: [Row], in size: TerminalSize) -> [String] {
        // The last row of a terminal stays free, for a line break there would scroll.
        let room = max(2, size.rows - 1) - 1
        let shown = rows.count > room ? Array(rows.prefix(room - 1)) : rows
        let columns = columns(in: size.columns)
        let cells = ([headings] + shown.map(cells)).map { Array($0.prefix(columns)) }
        let widths = widths(cells, in: size.columns)
        var lines = cells.map { line($0, widths, size.columns) }
        if shown.count < rows.count {
            lines.append(TextWidth.cut("and \(rows.count - shown.count) more", to: size.columns))
        }
        return lines
    }

    private static func cells(_ row: Row) -> [String] {
        [row.address, row.rssi.map { String($0) } ?? "-", row.name, row.company, row.services]
    }

    /// How many columns a terminal shows, from the left; at least the address. It depends on nothing else, so that no column
    /// comes and goes with what is heard.
    private static func columns(in width: Int) -> Int {
        var needed = -2
        let fitting = leastWidths.prefix { least in
            needed += least + 2
            return needed <= width
        }
        return max(1, fitting.count)
    }

    /// Address and strength get what they need. Of the others each gets what it needs where all fit, and else half of
    /// what is left, so that the name has most; but each gets its least.
    private static func widths(_ cells: [[String]], in width: Int) -> [Int] {
        let count = cells[0].count
        let needed = (0..<count).map { column in cells.map { TextWidth.of($0[column]) }.max() ?? 0 }
        var widths = Array(needed.prefix(2))
        var left = width - widths.reduce(0, +) - 2 * (count - 1)
        for column in widths.count..<max(widths.count, count) {
            let later = (column + 1)..<count
            let wanted = later.reduce(0) { $0 + needed[$1] }
            let least = later.reduce(0) { $0 + min(needed[$1], leastWidths[$1]) }
            let share = min(max(left - wanted, later.isEmpty ? left : left / 2), left - least)
            let most = column == 2 ? min(needed[column], widestName) : needed[column]
            widths.append(max(0, min(most, share)))
            left -= widths[column]
        }
        return widths
    }

    private static func line(_ cells: [String], _ widths: [Int], _ columns: Int) -> String {
        var line = ""
        for (column, cell) in cells.enumerated() {
            if column > 0 { line += "  " }
            if column == 1 { line += String(repeating: " ", count: max(0, widths[1] - TextWidth.of(cell))) }
            line +=
                column == 1 || column == cells.count - 1
                ? TextWidth.cut(cell, to: widths[column]) : TextWidth.fit(cell, to: widths[column])
        }
        while line.last == " " { line.removeLast() }
        return TextWidth.cut(line, to: columns)
    }
}
