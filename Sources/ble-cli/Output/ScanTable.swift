/// The table of a scan as lines: as wide as the terminal and no wider, and no higher.
struct ScanTable: Sendable {
    struct Row: Equatable, Sendable {
        var address: String
        var rssi: Int16?
        var name: String
        var company: String
        var services: String
    }

    private static let widestName = 64
    private static let headings = ["ADDRESS", "RSSI", "NAME", "COMPANY", "SERVICES"]

    /// The heading and the rows, as many as fit; where there are more, a last line tells how many.
    static func lines(_ rows: [Row], in size: TerminalSize) -> [String] {
        // The last row of a terminal stays free, for a line break there would scroll.
        let room = max(2, size.rows - 1) - 1
        let shown = rows.count > room ? Array(rows.prefix(room - 1)) : rows
        let cells = [headings] + shown.map(cells)
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

    /// Address and strength get what they need. Of the others each gets what it needs where all fit, and else half of
    /// what is left, so that the name has most.
    private static func widths(_ cells: [[String]], in columns: Int) -> [Int] {
        let needed = (0..<headings.count).map { column in cells.map { TextWidth.of($0[column]) }.max() ?? 0 }
        var widths = Array(needed.prefix(2))
        var left = columns - widths.reduce(0, +) - 2 * (headings.count - 1)
        for column in 2..<headings.count {
            let others = needed[(column + 1)...].reduce(0, +)
            let most = column == 2 ? min(needed[column], widestName) : needed[column]
            let width = max(0, min(most, max(left - others, column == headings.count - 1 ? left : left / 2)))
            widths.append(width)
            left -= width
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
