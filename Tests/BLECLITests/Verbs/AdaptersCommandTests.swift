import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

struct AdaptersCommandTests {
    private let two = Scenario(
        adapters: [
            SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02", name: "spare\u{1B}", powered: false),
        ],
        peripherals: [])

    @Test func `Lists the adapters`() {
        let outcome = CommandHarness(two).run(AdaptersVerb())
        #expect(outcome.code == .done)
        #expect(
            outcome.lines == [
                "hci0   00:1A:7D:DA:71:01  on   idle      simulation",
                "hci1   00:1A:7D:DA:71:02  off  idle      spare\\u{1B}",
            ])
    }

    @Test func `Lists the adapters as JSON`() throws {
        let objects = try CommandHarness(two).run(AdaptersVerb(), .asJSON).lines.map { try #require(ParsedJSON($0)) }
        #expect(objects.map { $0["name"]?.string } == ["hci0", "hci1"])
        #expect(objects.map { $0["powered"]?.bool } == [true, false])
        #expect(objects.map { $0["selected"]?.bool } == [true, false])
    }

    @Test func `Prints why there is no adapter`() {
        let none = CommandHarness(Scenario(adapters: [], peripherals: [])).run(AdaptersVerb())
        #expect(none.code == .unavailable)
        #expect(none.errors.count == 1)
        let stopped = CommandHarness(starting: false).run(AdaptersVerb())
        #expect(stopped.code == .unavailable)
        #expect(stopped.errors.first?.contains("bluetoothd is not running") == true)
    }

    @Test func `A missing adapter is not found, and the present ones are listed`() throws {
        var options = CommandContext.Options()
        options.adapter = try AdapterSelection(parsing: "hci7")
        for verb in [AdaptersVerb(), ScanVerb(), ConnectVerb(target: .part("x"))] as [any Verb] {
            let outcome = CommandHarness(two).run(verb, options)
            #expect(outcome.code == .notFound)
            #expect(outcome.errors.count == 1)
            #expect(outcome.errors.first?.contains("hci0 (00:1A:7D:DA:71:01), hci1") == true)
        }
    }

    @Test func `Uses the adapter of --adapter, by name, number or address`() throws {
        for (text, code) in [
            ("hci0", ExitCode.done), ("0", .done), ("1", .unavailable), ("00:1a:7d:da:71:01", .done),
            ("hci1", .unavailable),
        ] {
            var options = CommandContext.Options.limited(.seconds(1))
            options.adapter = try AdapterSelection(parsing: text)
            #expect(CommandHarness(two).run(ScanVerb(), options).code == code)
        }
    }
}
