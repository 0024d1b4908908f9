import Dispatch
import Rx
import RxBluetooth

/// Shows a scan as a table that is redrawn when it changes, at most ten times a second.
final class LiveScanTable: ScanView {
    private let output: any Output
    private let scheduler: any SchedulerType
    private let state = Guarded(TableState())

    /// The maximum number of rows. Above it, the device that was silent for longest is removed.
    private static let mostRows = 500

    private struct TableState {
        var rows: [BluetoothAddress: (row: ScanTableLayout.TableRow, position: Int, lastHeard: Int)] = [:]
        var count = 0
        /// The lines on the screen.
        var drawn: [String] = []
    }

    /// Makes a table; nil if the output is not a terminal.
    init?(_ output: any Output, scheduler: any SchedulerType) {
        guard output.size != nil else { return nil }
        self.output = output
        self.scheduler = scheduler
    }

    var wantsAll: Bool { true }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        sightings
            .filter { self.update($0) }
            .map { _ in }
            .throttle(.milliseconds(100), latest: true, scheduler: scheduler)
            .do(onNext: { try self.draw() }, onDispose: { self.restoreCursor() })
            .ignoreElements()
    }

    /// Updates the row of a device. Returns whether the row changed.
    private func update(_ sighting: ScannedPeripheral) -> Bool {
        let row = ScanTableLayout.TableRow(
            address: sighting.peripheral.address.description, rssi: sighting.rssi, name: sighting.displayName,
            reading: sighting.displayReading, company: sighting.displayCompanies, services: sighting.displayServices)
        return state.withLock { state in
            state.count += 1
            let address = sighting.peripheral.address
            let old = state.rows[address]
            state.rows[address] = (row, old?.position ?? state.count, state.count)
            if state.rows.count > Self.mostRows,
                let oldest = state.rows.min(by: { $0.value.lastHeard < $1.value.lastHeard })
            {
                state.rows[oldest.key] = nil
            }
            return old?.row != row
        }
    }

    private func draw() throws {
        guard let size = output.size else { return }
        let text = state.withLock { state -> String? in
            // Sorts rows by the time of discovery, so that they keep their positions.
            let rows = state.rows.values.sorted { $0.position < $1.position }.map(\.row)
            let lines = ScanTableLayout.lines(rows, in: size)
            guard lines != state.drawn else { return nil }
            defer { state.drawn = lines }
            return TerminalSequence.redraw(lines, over: state.drawn.count)
        }
        if let text { try output.write(text) }
    }

    private func restoreCursor() {
        guard state.withLock({ !$0.rows.isEmpty }) else { return }
        // Errors are ignored: the terminal may be closed.
        try? draw()
        try? output.write(TerminalSequence.showCursor)
    }
}

/// Terminal control sequences. Source: ECMA-48; DEC private modes 7 and 25.
enum TerminalSequence {
    static let showCursor = "\u{1B}[?25h"
    private static let hideCursor = "\u{1B}[?25l"

    // Wrapping is turned off, so that a line that is too long stays one line: terminals disagree on the width of emoji.
    private static let noWrap = "\u{1B}[?7l"
    private static let wrap = "\u{1B}[?7h"

    /// Returns the text that draws lines over the `count` previous lines.
    ///
    /// The screen is not cleared first, so it does not flicker.
    static func redraw(_ lines: [String], over count: Int) -> String {
        var text = (count > 0 ? "\u{1B}[\(count)A" : hideCursor) + noWrap
        for line in lines { text += "\r\(line)\u{1B}[K\n" }
        return text + "\u{1B}[J" + wrap
    }
}

/// Lays out the table of a scan within the size of the terminal.
struct ScanTableLayout: Sendable {
    struct TableRow: Equatable, Sendable {
        var address: String
        var rssi: Int16?
        var name: String
        var reading = ""
        var company: String
        var services: String
    }

    private static let maximumNameWidth = 64
    private static let headings = ["ADDRESS", "RSSI", "NAME", "READING", "COMPANY", "SERVICES"]
    /// The minimum width of each column. A column is left out if its minimum width does not fit.
    private static let minimumWidths = [17, 4, 8, 12, 12, 12]

    /// Returns the heading and as many rows as fit. The last line is the number of rows left out, if any.
    static func lines(_ rows: [TableRow], in size: TerminalSize) -> [String] {
        // The terminal's last line stays free, because a line break there would scroll.
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

    private static func cells(_ row: TableRow) -> [String] {
        [row.address, row.rssi.map { String($0) } ?? "-", row.name, row.reading, row.company, row.services]
    }

    /// Returns the number of columns that a terminal shows, from the left; at least 1, the address.
    ///
    /// The number depends only on the width of the terminal, so columns do not appear and disappear with the content.
    private static func columns(in width: Int) -> Int {
        var needed = -2
        let fitting = minimumWidths.prefix { minimum in
            needed += minimum + 2
            return needed <= width
        }
        return max(1, fitting.count)
    }

    /// Returns the width of each column.
    ///
    /// Address and RSSI get the width that they need. If the other columns do not fit, each gets half of the remaining
    /// width, but leaves their minimum widths to the columns on its right.
    private static func widths(_ cells: [[String]], in width: Int) -> [Int] {
        let count = cells[0].count
        let needed = (0..<count).map { column in cells.map { TextWidth.of($0[column]) }.max() ?? 0 }
        var widths = Array(needed.prefix(2))
        var left = width - widths.reduce(0, +) - 2 * (count - 1)
        for column in widths.count..<max(widths.count, count) {
            let later = (column + 1)..<count
            let wanted = later.reduce(0) { $0 + needed[$1] }
            let minimum = later.reduce(0) { $0 + min(needed[$1], minimumWidths[$1]) }
            let share = min(max(left - wanted, later.isEmpty ? left : left / 2), left - minimum)
            let maximum = column == 2 ? min(needed[column], maximumNameWidth) : needed[column]
            widths.append(max(0, min(maximum, share)))
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
