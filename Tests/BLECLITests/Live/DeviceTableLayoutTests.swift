import Testing

@testable import ble_cli

struct DeviceTableLayoutTests {
    private static func row(
        _ name: String, rssi: Int? = -58, company: String = "", services: String = ""
    ) -> DeviceTableLayout.Row {
        DeviceTableLayout.Row(
            address: "C0:FF:EE:00:00:01", rssi: rssi, signal: [-58, -100], rate: 9.9, age: 0, name: name,
            company: company, services: services)
    }

    private static func lines(_ rows: [DeviceTableLayout.Row], _ width: Int) -> [String] {
        DeviceTableLayout.scan(in: width).lines(rows, in: width).map(\.text)
    }

    private static let rows = [
        row("Strap", services: "Heart Rate, Battery Service"),
        row("(no name)", rssi: nil, company: "Apple, Inc."),
        row(String(repeating: "x", count: 300), rssi: -100, company: "A company with a long name"),
        row("体温計体温計体温計体温計体温計体温計体温計体温計"),
        row("e\u{301}\u{302} 🌡 é"),
    ]

    @Test(arguments: [1, 10, 20, 24, 40, 60, 79, 80, 120, 200, 300])
    func `Fits every width`(columns: Int) {
        for table in [DeviceTableLayout.scan(in: columns), .top] {
            for line in table.lines(Self.rows, in: columns) {
                let painted = line.painted(in: TerminalStyle(), columns: columns)
                #expect(TextWidth.of(painted) <= columns, "\(painted)")
            }
        }
    }

    @Test func `Aligns columns with characters of different widths`() {
        let lines = Self.lines([Self.row("体温計", services: "A"), Self.row("Strap", rssi: -100, services: "B")], 120)
        #expect(
            lines == [
                "ADDRESS            RSSI  ADV/S   AGE  NAME    READING  COMPANY  SERVICES",
                "C0:FF:EE:00:00:01   -58    9.9    0s  体温計                    A",
                "C0:FF:EE:00:00:01  -100    9.9    0s  Strap                     B",
            ])
    }

    @Test func `Cuts a long name at 64 columns with an ellipsis`() {
        let lines = Self.lines(Self.rows, 500)
        #expect(lines.contains { $0.contains(" " + String(repeating: "x", count: 63) + "… ") })
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
            (10, ["NAME"]), (20, ["RSSI", "NAME"]), (40, ["RSSI", "NAME"]),
            (60, ["RSSI", "AGE", "NAME", "ADVERTISES"]), (80, ["RSSI", "ADV/S", "AGE", "NAME", "ADVERTISES"]),
            (96, ["ADDRESS", "RSSI", "ADV/S", "AGE", "NAME", "ADVERTISES"]),
            (120, ["ADDRESS", "RSSI", "ADV/S", "AGE", "NAME", "READING", "COMPANY", "SERVICES"]),
        ] as [(Int, [String])])
    func `Leaves out columns that do not fit, and cuts no heading`(width: Int, headings: [String]) {
        for rows in [Self.rows, [Self.rows[0]], [Self.rows[2]], []] {
            let heading = Self.lines(rows, width)[0]
            #expect(heading.split(separator: " ").map(String.init) == headings)
        }
    }

    @Test(
        arguments: [
            (40, ["NAME", "RSSI", "SIGNAL"]),
            (80, ["NAME", "RSSI", "SIGNAL", "ADV/S", "AGE", "ADVERTISES"]),
            (120, ["NAME", "ADDRESS", "RSSI", "SIGNAL", "ADV/S", "AGE", "ADVERTISES"]),
        ] as [(Int, [String])])
    func `The columns of top fit the width`(width: Int, headings: [String]) {
        let heading = DeviceTableLayout.top.lines(Self.rows, in: width)[0].text
        #expect(heading.split(separator: " ").map(String.init) == headings)
    }

    @Test func `Without the column of addresses, a device without a name has its address`() {
        let lines = DeviceTableLayout.top.lines([Self.row("(no name)")], in: 40)
        #expect(lines[1].text == "C0:FF:EE:00:00:01   -58        █▁")
        let scan = Self.lines([Self.row("(no name)", services: "Heart Rate")], 80)
        #expect(scan[1] == " -58    9.9    0s  C0:FF:EE:00:00:01  Heart Rate")
    }

    @Test func `At 80 columns, scan has 30 columns for what a device advertises`() {
        let services = "Heart Rate, Battery Service, …"
        let rows = [Self.row("A strap with long name", services: services)]
        #expect(Self.lines(rows, 80)[1].hasSuffix("  A strap with long name  \(services)"))
    }

    @Test func `A device without a reading has its companies and services in one column`() {
        let rows = [Self.row("A", company: "Apple"), Self.row("B", company: "Apple", services: "Heart Rate")]
        let lines = DeviceTableLayout.top.lines(rows, in: 80).map(\.text)
        #expect(lines[1].hasSuffix("  Apple") && lines[2].hasSuffix("  Apple; Heart Rate"))
    }

    @Test func `Aligns names with emoji`() {
        let lines = Self.lines([Self.row("👩‍💻 ❤️", services: "A"), Self.row("Strap", services: "B")], 120)
        let positions = lines.dropFirst().map { line in TextWidth.of(String(line.prefix { $0 != "A" && $0 != "B" })) }
        // Finds where the last column begins. A and B are only in that column, because the address begins with C0.
        #expect(Set(positions).count == 1)
    }

    @Test(
        arguments: [
            (0.004, "0.0"), (0.05, "0.05"), (0.1, "0.1"), (1.25, "1.3"), (9.94, "9.9"), (9.96, "10"), (123.4, "123"),
            (1e9, "99999"),
        ])
    func `A rate fits five columns`(rate: Double, text: String) {
        #expect(NumberColumn.rate(rate) == text)
    }

    @Test(
        arguments: [
            (0, "0s"), (59.9, "59s"), (60, "1m"), (3599, "59m"), (7200, "2h"), (86_400, "1d"), (1e12, "999d"),
        ] as [(Double, String)])
    func `An age fits four columns`(seconds: Double, text: String) {
        #expect(NumberColumn.age(seconds) == text)
    }

    @Test func `A row of bars shows the latest values at its end`() {
        #expect(Sparkline.text([-120, -100, -70, -40, 20], width: 6, isUnicode: true) == " ▁▂▃▅█")
        // A small difference is not drawn as a large one.
        #expect(Sparkline.text([-61, -60, -61], width: 3, isUnicode: true) == "▄▅▄")
        #expect(Sparkline.text([-100, -40], width: 1, isUnicode: false) == "#")
        #expect(Sparkline.text([-100], width: 0, isUnicode: true).isEmpty)
    }
}
