import Dispatch
import Rx
import RxBluetooth

/// A scan as a table that is drawn over itself when something has changed, ten times a second at most. While nothing
/// comes, nothing runs.
final class LiveScanTable: ScanView {
    private let output: any Output
    private let scheduler: any SchedulerType
    private let state = Guarded(State())

    /// Far more than a terminal shows; what was not heard for longest makes room.
    private static let mostRows = 500

    private struct State {
        var rows: [BluetoothAddress: (row: ScanTableLayout.Row, place: Int, heard: Int)] = [:]
        var count = 0
        /// The lines that stand on the screen.
        var drawn: [String] = []
    }

    /// Makes a table; nil where the output is no terminal.
    init?(_ output: any Output, scheduler: any SchedulerType) {
        guard output.size != nil else { return nil }
        self.output = output
        self.scheduler = scheduler
    }

    var wantsAll: Bool { true }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        sightings
            .filter { self.take($0) }
            .map { _ in }
            .throttle(.milliseconds(100), latest: true, scheduler: scheduler)
            .do(onNext: { try self.draw() }, onDispose: { self.leave() })
            .ignoreElements()
    }

    /// Notes a sighting. Tells whether it changed what the table shows.
    private func take(_ sighting: ScannedPeripheral) -> Bool {
        let row = ScanTableLayout.Row(
            address: sighting.peripheral.address.description, rssi: sighting.rssi, name: sighting.shownName,
            company: sighting.shownCompanies, services: sighting.shownServices)
        return state.withLock { state in
            state.count += 1
            let address = sighting.peripheral.address
            let old = state.rows[address]
            state.rows[address] = (row, old?.place ?? state.count, state.count)
            if state.rows.count > Self.mostRows, let oldest = state.rows.min(by: { $0.value.heard < $1.value.heard }) {
                state.rows[oldest.key] = nil
            }
            return old?.row != row
        }
    }

    private func draw() throws {
        guard let size = output.size else { return }
        let text = state.withLock { state -> String? in
            // Those seen first stay on top, so that nothing jumps.
            let rows = state.rows.values.sorted { $0.place < $1.place }.map(\.row)
            let lines = ScanTableLayout.lines(rows, in: size)
            guard lines != state.drawn else { return nil }
            defer { state.drawn = lines }
            return Screen.redraw(lines, over: state.drawn.count)
        }
        if let text { try output.write(text) }
    }

    private func leave() {
        guard state.withLock({ !$0.rows.isEmpty }) else { return }
        // Whoever closed the terminal does not miss its cursor.
        try? draw()
        try? output.write(Screen.showCursor)
    }
}

/// The few control sequences that are needed. Source: ECMA-48; DEC private modes 7 and 25.
enum Screen {
    static let showCursor = "\u{1B}[?25h"
    private static let hideCursor = "\u{1B}[?25l"

    // Terminals disagree on the width of some emoji. Without line wrap a line that turns out too long stays one line.
    private static let noWrap = "\u{1B}[?7l"
    private static let wrap = "\u{1B}[?7h"

    /// Draws lines over those that were drawn before, in one piece and without clearing first, so that nothing flickers.
    static func redraw(_ lines: [String], over count: Int) -> String {
        var text = (count > 0 ? "\u{1B}[\(count)A" : hideCursor) + noWrap
        for line in lines { text += "\r\(line)\u{1B}[K\n" }
        return text + "\u{1B}[J" + wrap
    }
}

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
