import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Texts on narrow terminals, and on terminals without UTF-8.
struct ProseTests {
    @Test func `Lines are broken at spaces, and long words anywhere`() {
        #expect(TextWidth.wrap("one two three", to: 9) == ["one two", "three"])
        #expect(TextWidth.wrap("one two three four", to: 9, indent: 2) == ["one two", "  three", "  four"])
        #expect(TextWidth.wrap("a 0123456789abcdef", to: 10) == ["a 01234567", "89abcdef"])
        #expect(TextWidth.wrap("日本語日本語", to: 9) == ["日本語日", "本語"])
        #expect(TextWidth.wrap("", to: 9) == [""])
        #expect(TextWidth.wrap("12345678 90", to: 8) == ["12345678", "90"])
    }

    @Test(arguments: [20, 40, 80, 200])
    func `On a terminal, no line is wider than the terminal`(columns: Int) {
        let name = String(repeating: "日本", count: 30) + "\u{1B}[2J\u{202E}"
        let device = SimulatedPeripheral("x", address: "C0:FF:EE:00:00:09") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "x")
            SimulatedService("ffe0") {
                SimulatedCharacteristic("ffe1", .read(Array(name.utf8)))
                SimulatedCharacteristic("2a00", .read(Array(name.utf8)))
            }
        }
        let target = Target.address("C0:FF:EE:00:00:09")
        for verb in [
            ConnectVerb(target: target), InfoVerb(target: target), DiagnoseVerb(), PairVerb(target: target),
            ReadVerb(target: target, characteristic: .uuid(0xFFE1)),
            AdvertiseVerb(advertisement: Advertisement(localName: name), length: .seconds(1)),
        ] as [any Verb] {
            let harness = CommandHarness(
                Scenario(peripherals: [device]), terminal: TerminalSize(columns: columns, rows: 24))
            for line in harness.run(verb).lines { #expect(TextWidth.of(line) <= columns, "\(verb): \(line)") }
        }
        let output = RecordingOutput(size: TerminalSize(columns: columns, rows: 24))
        Messages(output: output).note("The adapter “\(name)” is not there. " + String(repeating: "why ", count: 60))
        let lines = output.takeLines()
        for line in lines { #expect(TextWidth.of(line) <= columns, "\(line)") }
        let pipe = RecordingOutput()
        Messages(output: pipe).note(String(repeating: "why ", count: 60))
        #expect(pipe.takeLines().count == 1)
    }

    @Test func `Without UTF-8, other characters become signs or question marks of the same width`() {
        #expect(ASCIIText.of("plain") == "plain")
        #expect(ASCIIText.of("“21.5 °C”…") == "\"21.5 oC\"~")
        #expect(ASCIIText.of("ä日\u{9B}2J") == "????2J")
        #expect(ASCIIText.of("日本 é") == "???? ?")
        for text in ["👩‍👩‍👧", "e\u{301}", "ﷺ", "\u{C3}\u{9B}[2J"] {
            #expect(ASCIIText.of(text).utf8.allSatisfy { $0 < 0x80 })
        }
    }
}
