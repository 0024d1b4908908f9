import Testing

@testable import ble_cli

struct ScanTableLayoutTests {
    private static func row(_ name: String, rssi: Int16? = -58, company: String = "", services: String = "")
        -> ScanTableLayout.TableRow
    {
        ScanTableLayout.TableRow(
            address: "C0:FF:EE:00:00:01", rssi: rssi, name: name, company: company, services: services)
    }

    private static let rows = [
        row("Strap", services: "Heart Rate, Battery Service"),
        row("(no name)", rssi: nil, company: "Apple, Inc."),
        row(String(repeating: "x", count: 300), rssi: -100, company: "A company with a long name"),
        row("体温計体温計体温計体温計体温計体温計体温計体温計"),
        row("e\u{301}\u{302} 🌡 é"),
    ]

    @Test(arguments: [1, 10, 20, 24, 40, 60, 79, 80, 120, 300], [2, 3, 5, 24])
    func `Fits every terminal size`(columns: Int, height: Int) {
        let lines = ScanTableLayout.lines(Self.rows, in: TerminalSize(columns: columns, rows: height))
        #expect(lines.count <= max(2, height - 1))
        for line in lines { #expect(TextWidth.of(line) <= columns, "\(line)") }
    }

    @Test func `Aligns columns with characters of different widths`() {
        let lines = ScanTableLayout.lines(
            [Self.row("体温計", services: "A"), Self.row("Strap", rssi: -100, services: "B")],
            in: TerminalSize(columns: 80, rows: 24))
        #expect(
            lines == [
                "ADDRESS            RSSI  NAME    READING  COMPANY  SERVICES",
                "C0:FF:EE:00:00:01   -58  体温計                    A",
                "C0:FF:EE:00:00:01  -100  Strap                     B",
            ])
    }

    @Test func `Cuts a long name at 64 columns with an ellipsis`() throws {
        let lines = ScanTableLayout.lines(Self.rows, in: TerminalSize(columns: 500, rows: 24))
        #expect(lines.contains { $0.contains(" " + String(repeating: "x", count: 63) + "… ") })
    }

    @Test func `Prints the number of rows that do not fit`() {
        let lines = ScanTableLayout.lines(Self.rows, in: TerminalSize(columns: 80, rows: 5))
        #expect(lines.count == 4)
        #expect(lines.last == "and 3 more")
    }

    @Test(
        arguments: [
            ("abc", 3), ("é", 1), ("e\u{301}", 1), ("体", 2), ("ｶ", 1), ("Ａ", 2), ("🌡", 2), ("❤", 1), ("한", 2), ("…", 1),
            ("❤️", 2), ("1️⃣", 2), ("👩‍💻", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("👍🏽", 2), ("🏳️‍🌈", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("a👩‍💻b", 4),
        ])
    func `Measures the width of characters`(text: String, width: Int) {
        #expect(TextWidth.of(text) == width)
    }

    @Test(
        arguments: [
            ("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("体温計", 4, "体…"), ("体温計", 5, "体温…"), ("ab", 0, ""),
            ("ab", 1, "…"), ("👩‍💻👩‍💻👩‍💻", 4, "👩‍💻…"), ("👩‍💻👩‍💻", 4, "👩‍💻👩‍💻"), ("🇩🇪🇫🇷", 3, "🇩🇪…"),
        ])
    func `Cuts text to a width`(text: String, columns: Int, cut: String) {
        #expect(TextWidth.cut(text, to: columns) == cut)
    }

    @Test(
        arguments: [
            (10, ["ADDRESS"]), (20, ["ADDRESS"]), (24, ["ADDRESS", "RSSI"]), (40, ["ADDRESS", "RSSI", "NAME"]),
            (60, ["ADDRESS", "RSSI", "NAME", "READING"]),
            (80, ["ADDRESS", "RSSI", "NAME", "READING", "COMPANY", "SERVICES"]),
            (120, ["ADDRESS", "RSSI", "NAME", "READING", "COMPANY", "SERVICES"]),
        ] as [(Int, [String])])
    func `Leaves out columns that do not fit, and cuts no heading`(
        width: Int, headings: [String]
    ) {
        for rows in [Self.rows, [Self.rows[0]], [Self.rows[2]], []] {
            let heading = ScanTableLayout.lines(rows, in: TerminalSize(columns: width, rows: 24))[0]
            #expect(heading.split(separator: " ").map(String.init) == headings)
        }
    }

    @Test func `Aligns names with emoji`() {
        let lines = ScanTableLayout.lines(
            [Self.row("👩‍💻 ❤️", services: "A"), Self.row("Strap", services: "B")],
            in: TerminalSize(columns: 80, rows: 24))
        let positions = lines.dropFirst().map { line in TextWidth.of(String(line.prefix { $0 != "A" && $0 != "B" })) }
        // Finds where the last column begins. A and B are only in that column, because the address begins with C0.
        #expect(Set(positions).count == 1)
    }
}
