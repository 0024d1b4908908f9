import ArgumentParser
import DBus
import Rx
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The alias that the user has given a device: what shows it also finds it.
struct AliasTests {
    private static let thermometer = "C0:FF:EE:00:00:02"

    /// Returns a harness in which the thermometer is known, and has the alias “Attic”.
    private static func harness(terminal size: TerminalSize? = nil) -> CommandHarness {
        let harness = CommandHarness(terminal: size)
        harness.run(ScanVerb(showsAll: true), .limited(.seconds(1)), for: 2)
        let user = harness.simulation.bluez.competingClient()
        user.call(
            "/org/bluez/hci0/dev_C0_FF_EE_00_00_02", "Properties.Set", .string("org.bluez.Device1"),
            .string("Alias"), .variant(.string("Attic")))
        harness.advance(100)
        return harness
    }

    /// Returns the known devices with their aliases.
    private static func known(_ harness: CommandHarness) -> [ScannedPeripheral] {
        let manager = BluetoothManager(
            configuration: .init(scheduler: harness.scheduler), bus: harness.simulation.connect())
        let known = Guarded<[ScannedPeripheral]>([])
        let listing = manager.knownPeripherals()
            .subscribe(onSuccess: { list in known.withLock { $0 = list } }, onFailure: { _ in })
        harness.advance(500)
        listing.dispose()
        return known.withLock { $0 }
    }

    @Test(arguments: ["attic", "ATT", "thermo"])
    func `The option --name of scan compares the alias and the name`(part: String) throws {
        let verb = try #require(try (try ScanCommand.parse(["--name", part])).verb() as? ScanVerb)
        let outcome = Self.harness().run(verb, .limited(.seconds(2)))
        #expect(outcome.lines.count == 1, "\(outcome.lines)")
        #expect(outcome.lines.first?.contains("Attic (Thermometer)") == true, "\(outcome.lines)")
    }

    @Test func `The order by name is that of the names that are shown`() {
        let outcome = Self.harness().run(ScanVerb(duration: .seconds(2), sort: .name))
        #expect(outcome.lines.count == 5)
        #expect(outcome.lines.first?.contains("Attic (Thermometer)") == true, "\(outcome.lines)")
    }

    @Test func `The live list filters and sorts by the alias, too`() throws {
        var board = DeviceBoard()
        for result in Self.known(Self.harness()) { board.hear(result) }
        let address = try #require(BluetoothAddress(Self.thermometer))
        #expect(board.list(.name).first == address)
        for text in ["Attic", "tic", "thermom"] {
            #expect(board.list(.seen, containing: text) == [address], "\(text)")
        }
        #expect(board.list(.seen, containing: "cellar").isEmpty)
    }

    @Test func `The filter of top finds a device by its alias`() {
        let size = TerminalSize(columns: 120, rows: 30)
        let harness = Self.harness(terminal: size)
        let output = harness.output
        let start = output.written.count
        let keys = ScriptedKeys()
        let screen = Guarded<[String]>([])
        harness.run(
            TopVerb(color: .never, keyboard: keys), for: 4,
            meanwhile: [
                (2000, { _ in keys.press("/attic\r") }),
                (
                    2900,
                    { _ in
                        var terminal = EmulatedTerminal(size)
                        terminal.write(String(output.written.dropFirst(start)))
                        screen.withLock { $0 = terminal.lines }
                    }
                ), (3000, { _ in keys.press("q") }),
            ])
        let lines = screen.withLock { $0 }
        #expect(lines.first?.contains("1 of 5 devices") == true, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("Attic") }, "\(lines)")
    }

    @Test func `Completion offers the alias, the name and the address`() {
        let harness = Self.harness()
        let words = Guarded<[String]>([])
        let manager = BluetoothManager(
            configuration: .init(scheduler: harness.scheduler), bus: harness.simulation.connect())
        let query = DeviceCompletion.devices(of: manager, scheduler: harness.scheduler)
            .subscribe(onNext: { list in words.withLock { $0 = list.map(\.word) } })
        harness.advance(1_000)
        query.dispose()
        let offered = words.withLock { $0 }
        for word in ["Attic", "Thermometer", Self.thermometer] {
            #expect(offered.count { $0 == word } == 1, "\(offered)")
        }
    }

    @Test func `Scripts, clone and info accept the alias`() throws {
        let script = try StepScript("connect Attic\nread 2A19", name: "x.steps")
        let run = Self.harness().run(RunVerb(script: script))
        #expect(run.code == .done && run.lines == ["36  54 %"], "\(run.errors)")
        let clone = Self.harness().run(CloneVerb(target: .part("Attic")))
        #expect(clone.code == .done, "\(clone.errors)")
        // A clone has the name of the device, because the alias is only known to this computer.
        #expect(clone.lines.contains { $0.contains("Thermometer") } && !clone.lines.contains { $0.contains("Attic") })
        #expect(Self.harness().run(InfoVerb(target: .part("attic"))).code == .done)
    }
}
