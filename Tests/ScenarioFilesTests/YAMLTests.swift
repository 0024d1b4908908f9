import RxBluetoothMocks
import ScenarioFiles
import Testing

/// Tests of the YAML syntax of scenario files.
struct YAMLTests {
    @Test func `An alias repeats the node with its anchor`() throws {
        let text = """
            peripherals:
              - name: First
                address: C0:00:00:00:00:01
                advertisement: &fast { interval: 20 ms, rssi: -40, services: &ids [180d, "180f"] }
              - name: Second
                address: C0:00:00:00:00:02
                advertisement: *fast
              - name: Third
                address: C0:00:00:00:00:03
                advertisement: { interval: 1 s, rssi: -40, services: *ids }
            """
        let peripherals = try ScenarioFile.read(text).peripherals
        #expect(peripherals.map(\.advertisement?.interval) == [.milliseconds(20), .milliseconds(20), .seconds(1)])
        #expect(peripherals.allSatisfy { $0.advertisement?.services == ["180d", "180f"] })
    }

    @Test func `The latest anchor of a name is used`() throws {
        let text = """
            adapters:
              - { address: "00:1A:7D:DA:71:01", name: &name first }
              - { address: "00:1A:7D:DA:71:02", name: *name }
              - { address: "00:1A:7D:DA:71:03", name: &name second }
              - { address: "00:1A:7D:DA:71:04", name: *name }
            """
        #expect(try ScenarioFile.read(text).adapters.map(\.name) == ["first", "first", "second", "second"])
    }

    @Test(arguments: [
        ("'it''s 5 °C'", "it's 5 °C"), (#""a\tb\u00e9""#, "a\tb\u{E9}"), (#""a\0b""#, "a\u{0}b"),
        ("|\n    two\n    lines", "two\nlines\n"), (">-\n    two\n    words", "two words"), ("!!str 5", "5"),
        ("# no value", ""), ("two\n    words", "two words"),
    ])
    func `Reads each form of a text`(_ yaml: String, _ text: String) throws {
        let file = "adapters:\n- name: \(yaml)\n"
        #expect(try ScenarioFile.read(file).adapters.map(\.name) == [text])
        #expect(try ScenarioFile.read(file.replacing("\n", with: "\r\n")).adapters.map(\.name) == [text])
    }

    @Test(arguments: ["\u{FEFF}seed: 5\n", "%YAML 1.1\n---\nseed: 5\n...\n", "---\nseed: 5", "{\"seed\": 5}"])
    func `Reads each form of a document`(_ text: String) throws {
        #expect(try ScenarioFile.read(text).seed == 5)
    }

    @Test(arguments: ["", "\n\n", "# only a comment\n", "\u{FEFF}"])
    func `A text without a document is an empty file`(_ text: String) {
        let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read(text, file: "f") }
        #expect(error?.description == "f: the file is empty; expected: a scenario")
    }

    @Test(arguments: [
        ("seed: 1\npacket-loss: *none\n", "f:2: found undefined alias; expected: valid YAML"),
        ("quirks: &list\n  - *list\n", "f:2: found undefined alias; expected: valid YAML"),
        ("seed: 1\n---\nseed: 2\n", "f:2: but found another document; expected: valid YAML"),
        ("seed: 1\nquirks:\n\t- Q2\n", "f:3: found character that cannot start any token; expected: valid YAML"),
        ("seed: 1\nquirks: \u{1}\n", "f:2: control characters are not allowed; expected: valid YAML"),
        ("seed: 1\n  quirks: 2\n", "f:2: mapping values are not allowed in this context; expected: valid YAML"),
        ("seed: 'open\n", "f:1: the quote that begins here is not closed; expected: valid YAML"),
        ("seed: 1\nquirks: [Q2}\n", "f:2: did not find expected ',' or ']'; expected: valid YAML"),
        ("b: 1\na: 1\na: 2\nb: 2\n", "f:3: duplicate key: a, b; expected: each key once"),
        ("adapters:\n  - { name: a,\n      name: b }\n", "f:3: duplicate key: name; expected: each key once"),
        ("[a, b]: 1\n", "f:1: unknown key “” of the scenario; expected: one of seed, packet-loss,"),
    ])
    func `An error of the syntax names its line`(_ text: String, _ expected: String) {
        let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read(text, file: "f") }
        #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "")")
    }

    @Test func `Services that aliases repeat a million times are an error`() {
        let list = { (element: String) in "[" + Array(repeating: element, count: 300).joined(separator: ", ") + "]" }
        let text = """
            peripherals:
              - name: Tag
                address: C0:00:00:00:00:01
                services:
                  - { uuid: fff0, characteristics: &c [&d { uuid: fff1, properties: [read] }] }
                  - { uuid: fff0, characteristics: &e \(list("*d")) }
                  - &f { uuid: fff0, characteristics: *e }
                  \(Array(repeating: "- *f", count: 300).joined(separator: "\n      "))
            """
        let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read(text, file: "f") }
        #expect(error?.problem == "aliases repeat more than 100000 nodes")
        #expect(error?.expected == "a text with fewer aliases")
        #expect((8..<308).contains(error?.line ?? 0))
    }

    @Test func `A device is no scenario`() throws {
        let device = #expect(throws: ScenarioFileError.self) { try ScenarioFile.load("/dev/zero") }
        #expect(device?.problem == "a device")
        #expect(device?.expected == "a file of at most 16 MiB in YAML")
    }

    @Test func `An error quotes a long value in part and without control characters`() {
        let value = "\"a\\nb\(String(repeating: "c", count: 100_000))\""
        let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read("seed: \(value)", file: "f") }
        #expect(error?.description.utf8.count ?? 0 < 200)
        #expect(error?.description.contains("\n") == false)
    }

    @Test(arguments: ["[", "{ a: ", "- ", "? "])
    func `Deep nesting is an error`(_ opening: String) {
        let text = String(repeating: opening, count: 100_000)
        let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read(text, file: "f") }
        #expect(error?.description == "f:1: more than 1000 levels of nesting; expected: valid YAML")
    }

    @Test func `Aliases of aliases need no memory for their copies`() {
        // 30 levels of 10 aliases each are a tree of 10^30 nodes.
        var text = "a0: &a0 [x]\n"
        for level in 1...30 {
            text += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", "))]\n"
        }
        let error = #expect(throws: ScenarioFileError.self) { try ScenarioFile.read(text, file: "f") }
        #expect(error?.problem == "aliases repeat more than 100000 nodes")
    }
}
