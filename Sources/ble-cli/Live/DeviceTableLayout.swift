import FoundationEssentials
import RxBluetooth

/// The columns of a list of devices, laid out within the width of the terminal.
struct DeviceTableLayout: Sendable {
    enum Column: Sendable {
        case address, rssi, signal, rate, age, name, reading, company, services
        /// The reading, else the companies and the services.
        case summary

        var heading: String {
            switch self {
            case .address: "ADDRESS"
            case .rssi: "RSSI"
            case .signal: "SIGNAL"
            case .rate: "ADV/S"
            case .age: "AGE"
            case .name: "NAME"
            case .reading: "READING"
            case .company: "COMPANY"
            case .services: "SERVICES"
            case .summary: "ADVERTISES"
            }
        }

        /// The width below which the column is left out.
        fileprivate func minimum(in width: Int) -> Int {
            switch self {
            case .address: 17
            case .rssi, .age: 4
            case .rate: 5
            case .reading, .summary: 10
            case .name: width >= 60 ? 14 : 8
            case .signal, .company, .services: 8
            }
        }

        /// The largest width; nil for the width that the content needs.
        fileprivate func maximum(in width: Int) -> Int? {
            switch self {
            case .address, .rssi, .age, .rate: minimum(in: width)
            case .signal: width >= 140 ? 24 : width >= 100 ? 16 : 8
            case .name: 64
            case .reading, .company, .services, .summary: nil
            }
        }

        fileprivate var isFixed: Bool {
            switch self {
            case .address, .rssi, .age, .rate, .signal: true
            case .name, .reading, .company, .services, .summary: false
            }
        }

        fileprivate var isRight: Bool { self == .rssi || self == .age || self == .rate }
    }

    /// The columns from left to right.
    let columns: [Column]
    /// The columns from the most to the least important one. In a narrow terminal, the last ones are left out.
    let importance: [Column]
    /// The width below which the summary is left out.
    var minimumOfSummary = 10

    /// Returns the table of `scan`. In a narrow terminal, one column says what a device advertises.
    ///
    /// The address is left out first: a device without a name has it in the column of names.
    static func scan(in width: Int) -> DeviceTableLayout {
        guard width >= 120 else {
            return DeviceTableLayout(
                columns: [.address, .rssi, .rate, .age, .name, .summary],
                importance: [.name, .rssi, .summary, .age, .rate, .address], minimumOfSummary: 30)
        }
        return DeviceTableLayout(
            columns: [.address, .rssi, .rate, .age, .name, .reading, .company, .services],
            importance: [.address, .rssi, .name, .reading, .age, .rate, .company, .services])
    }

    /// The table of `top`.
    static let top = DeviceTableLayout(
        columns: [.name, .address, .rssi, .signal, .rate, .age, .summary],
        importance: [.name, .rssi, .signal, .summary, .age, .rate, .address], minimumOfSummary: 30)

    /// The contents of a row.
    struct Row: Equatable, Sendable {
        var address: String
        var rssi: Int?
        var signal: [Int] = []
        var rate: Double?
        var age: Double?
        var name: String
        var reading = ""
        var company = ""
        var services = ""
        var isSelected = false

        /// Whether no advertisement was received for a while.
        var isSilent: Bool { (age ?? 0) >= 30 }
    }

    /// Returns the heading and the rows as lines of at most this width.
    func lines(_ rows: [Row], in width: Int, isUnicode: Bool = true) -> [ScreenLine] {
        let shown = shownColumns(in: width)
        let cells = rows.map { row in shown.map { cell($0, of: row, shown, width, isUnicode) } }
        let widths = widths(shown, cells, in: width)
        let heading = line(shown.map(\.heading), shown, widths, width) { _ in .bold }
        return [heading]
            + zip(rows, cells).map { row, cells in
                var line = line(cells, shown, widths, width) { Self.role($0, of: row) }
                line.isSelected = row.isSelected
                return line
            }
    }

    /// Returns the columns that fit; at least one.
    ///
    /// They depend only on the width of the terminal, so that columns do not appear and disappear with the content.
    private func shownColumns(in width: Int) -> [Column] {
        var needed = -2
        let fitting = importance.prefix { column in
            needed += (column == .summary ? minimumOfSummary : column.minimum(in: width)) + 2
            return needed <= width
        }
        let kept = fitting.isEmpty ? importance.prefix(1) : fitting
        return columns.filter(kept.contains)
    }

    private func cell(
        _ column: Column, of row: Row, _ shown: [Column], _ width: Int, _ isUnicode: Bool
    ) -> String {
        switch column {
        case .address: row.address
        case .rssi: row.rssi.map { String($0) } ?? "-"
        case .signal:
            Sparkline.text(row.signal, width: Column.signal.maximum(in: width) ?? 8, isUnicode: isUnicode)
        case .rate: row.rate.map(NumberColumn.rate) ?? "-"
        case .age: row.age.map(NumberColumn.age) ?? "-"
        case .name: !shown.contains(.address) && row.name == Self.missingName ? row.address : row.name
        case .reading: row.reading
        case .company: row.company
        case .services: row.services
        case .summary:
            row.reading.isEmpty
                ? [row.company, row.services].filter { !$0.isEmpty }.joined(separator: "; ") : row.reading
        }
    }

    /// The text in place of a name that is not known.
    static let missingName = "(no name)"

    private static func role(_ column: Column, of row: Row) -> TerminalStyle.Role {
        if row.isSilent { return .dim }
        return switch column {
        case .rssi, .signal: .signal(row.rssi)
        case .name: row.name == missingName ? .dim : .bold
        case .reading: .reading
        case .summary: row.reading.isEmpty ? .plain : .reading
        case .address, .rate, .age, .company, .services: .plain
        }
    }

    /// Returns the width of each column.
    ///
    /// If the columns of variable width do not fit, each gets half of the remaining width, but leaves their minimum
    /// widths to the columns on its right.
    private func widths(_ shown: [Column], _ cells: [[String]], in width: Int) -> [Int] {
        let needed = shown.indices.map { place in
            max(cells.map { TextWidth.of($0[place]) }.max() ?? 0, shown[place].heading.utf8.count)
        }
        let isFixed = shown.map(\.isFixed)
        let fixed = shown.filter(\.isFixed).reduce(0) { $0 + ($1.maximum(in: width) ?? 0) }
        var left = width - fixed - 2 * (shown.count - 1)
        return shown.indices.map { place in
            if isFixed[place] { return shown[place].maximum(in: width) ?? 0 }
            let later = (place + 1..<shown.count).filter { !isFixed[$0] }
            let wanted = later.reduce(0) { $0 + needed[$1] }
            let minimum = later.reduce(0) { $0 + min(needed[$1], shown[$1].minimum(in: width)) }
            let share = min(max(left - wanted, later.isEmpty ? left : left / 2), left - minimum)
            let result = max(0, min(needed[place], shown[place].maximum(in: width) ?? needed[place], share))
            left -= result
            return result
        }
    }

    private func line(
        _ cells: [String], _ shown: [Column], _ widths: [Int], _ width: Int,
        _ role: (Column) -> TerminalStyle.Role
    ) -> ScreenLine {
        var parts: [ScreenLine.Part] = []
        for (place, cell) in cells.enumerated() {
            let column = shown[place]
            let text = TextWidth.cut(cell, to: widths[place])
            let gap = String(repeating: " ", count: max(0, widths[place] - TextWidth.of(text)))
            if place > 0 { parts.append(.init(text: column.isRight ? "  " + gap : "  ")) }
            if place == 0, column.isRight { parts.append(.init(text: gap)) }
            parts.append(.init(text: text, role: role(column)))
            if !column.isRight { parts.append(.init(text: gap)) }
        }
        while parts.last?.text.allSatisfy({ $0 == " " }) == true { parts.removeLast() }
        return ScreenLine(parts: parts)
    }
}

/// Numbers in narrow columns.
enum NumberColumn {
    /// Returns advertisements a second in at most five characters.
    static func rate(_ rate: Double) -> String {
        guard rate < 9.95 else { return String(Int(min(rate.rounded(), 99_999))) }
        // Below one advertisement in 10 s, one more digit is needed.
        let digits = rate < 0.0995 ? 100.0 : 10.0
        return String((rate * digits).rounded() / digits)
    }

    /// Returns an age in at most four characters: seconds, minutes, hours or days.
    static func age(_ seconds: Double) -> String {
        switch seconds {
        case ..<60: "\(Int(seconds))s"
        case ..<3600: "\(Int(seconds / 60))m"
        case ..<86_400: "\(Int(seconds / 3600))h"
        default: "\(min(999, Int(seconds / 86_400)))d"
        }
    }
}

extension DeviceTableLayout.Row {
    /// Makes the row of a device.
    ///
    /// - Parameter rssi: The RSSI to show, see ``DeviceOrder/rssi(of:)``.
    init(_ entry: DeviceEntry, rssi: Int?, at now: Date, isSelected: Bool = false) {
        let result = entry.latest
        self.init(
            address: result.peripheral.address.description, rssi: rssi,
            signal: entry.signal.all, rate: entry.rate(at: now), age: entry.age(at: now), name: result.displayName,
            reading: result.reading?.displayInTable ?? result.displayReading, company: result.displayCompanies,
            services: result.displayServices,
            isSelected: isSelected)
    }
}
