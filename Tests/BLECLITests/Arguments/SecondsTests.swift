import Testing

@testable import ble_cli

struct SecondsTests {
    @Test func `Accepts seconds with and without a fraction`() throws {
        #expect(try Seconds.parse("10") == .seconds(10))
        #expect(try Seconds.parse("0.5") == .milliseconds(500))
        #expect(try Seconds.parse("1000000") == .seconds(1_000_000))
    }

    @Test func `Accepts the units that other durations have`() throws {
        #expect(try Seconds.parse("10s") == .seconds(10))
        #expect(try Seconds.parse("500ms") == .milliseconds(500))
        #expect(try Seconds.parse("2m") == .seconds(120))
    }

    @Test(arguments: [
        "", "x", "-1", "0", "-0.0", "nan", "inf", "1e300", "1000001", "1,5", "1e-10", "0s", "10x", "0x10s",
    ])
    func `Rejects text that is not a positive number of seconds`(text: String) {
        #expect { try Seconds.parse(text) } throws: { ($0 as? CLIError)?.code == .usage }
    }

    @Test(arguments: [(Duration.seconds(10), "10 s"), (.milliseconds(1500), "1.5 s"), (.milliseconds(300), "0.3 s")])
    func `Formats a duration in seconds with its unit`(duration: Duration, text: String) {
        #expect(duration.text == text)
    }
}
