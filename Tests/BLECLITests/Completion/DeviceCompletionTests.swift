import ArgumentParser
import FoundationEssentials
import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@testable import ble_cli
import RxBluetoothSupport

/// The names and addresses that shells offer for an argument that names a device.
struct DeviceCompletionTests {
    @Test func `The names come first, then the addresses with their names`() {
        let list = DeviceCompletion.candidates(for: [
            ("C0:FF:EE:00:00:01", ["Heart rate strap"]), ("C0:FF:EE:00:00:02", []),
        ])
        #expect(list.map(\.word) == ["Heart rate strap", "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"])
        #expect(list.map(\.note) == ["C0:FF:EE:00:00:01", "Heart rate strap", ""])
    }

    @Test(arguments: [
        "", "--simulate", " padded ", "line\nbreak", "\u{1B}[2J", "tab\tstop", "zero\u{200B}width", "abc\u{202E}fed",
        "C0:FF:EE:00:00:09", "C0-FF-EE-00-00-09", "1:2:3:4:5:6", "\u{7F}",
        "$(id)", "`id`", "a\\b", "a\"b", "a!b", "~root", "-x",
    ])
    func `A name that would not be read as a name is replaced by its address`(name: String) {
        let list = DeviceCompletion.candidates(for: [("C0:FF:EE:00:00:01", [name])])
        #expect(list.map(\.word) == ["C0:FF:EE:00:00:01"])
        #expect(list.allSatisfy { !$0.note.unicodeScalars.contains { $0.isHarmful } })
    }

    @Test func `Equal names are replaced by the addresses`() {
        let list = DeviceCompletion.candidates(for: [
            ("C0:FF:EE:00:00:01", ["Tag"]), ("C0:FF:EE:00:00:02", ["tag"]), ("C0:FF:EE:00:00:03", ["Tag 2"]),
        ])
        #expect(list.map(\.word) == ["Tag 2"] + (1...3).map { "C0:FF:EE:00:00:0\($0)" })
    }

    @Test func `An alias and the name of its device are offered, unless another device has one`() {
        let list = DeviceCompletion.candidates(for: [
            ("C0:FF:EE:00:00:01", ["Kitchen", "Tag"]), ("C0:FF:EE:00:00:02", ["Bath", "kitchen"]),
        ])
        #expect(list.map(\.word) == ["Tag", "Bath", "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"])
        #expect(list.map(\.note) == ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02", "Kitchen", "Bath"])
    }

    /// Runs a query in virtual time, and returns its result and its time in milliseconds.
    private func devices(
        _ scenario: Scenario, starting: Bool = true, scanning: Bool = false
    ) -> (words: [String]?, time: Int?) {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation = Simulation(scenario, scheduler: scheduler, starting: starting)
        if scanning {
            let other = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
            let scan = other.scanForPeripherals().subscribe()
            scheduler.advanceBy(3_000)
            scan.dispose()
            scheduler.advanceBy(1_000)
        }
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        let observer = scheduler.createObserver([CompletionCandidate].self)
        let start = scheduler.clock
        let subscription = DeviceCompletion.devices(of: manager, scheduler: scheduler).subscribe(observer)
        scheduler.advanceBy(60_000)
        subscription.dispose()
        return (observer.events.first?.value.element?.map(\.word), observer.events.last.map { $0.time - start })
    }

    @Test func `Devices of an earlier scan are offered without a new scan`() {
        let (words, time) = devices(.everyday, scanning: true)
        #expect(words?.contains("Heart rate strap") == true)
        #expect(words?.contains("C0:FF:EE:00:00:01") == true)
        #expect((time ?? .max) < 100)
    }

    @Test func `Without bluetoothd there are no words`() {
        let (words, time) = devices(.everyday, starting: false)
        #expect(words == [])
        #expect((time ?? .max) <= 800)
    }

    @Test func `A bluetoothd that does not reply ends the query after 800 ms`() {
        let silent = Scenario {
            Fault("ObjectManager.GetManagedObjects", .lost)
        }
        let (words, time) = devices(silent)
        #expect(words == [])
        #expect(time == 800)
    }

    @Test func `A simulated command line completes the devices of its scenario`() {
        let words = CompletionWords(["ble-cli", "connect", "--simulate"], upTo: 3)
        #expect(DeviceCompletion.devices(words).contains { $0.word == "Heart rate strap" })
        let unknown = CompletionWords(["ble-cli", "connect", "--scenario", "/nowhere.yaml"], upTo: 4)
        #expect(DeviceCompletion.devices(unknown) == [])
    }

    @Test func `Each argument that names a device or a characteristic is completed`() throws {
        #expect(incomplete(BLECLI.self) == [])
    }

    /// Returns the arguments of a command and its subcommands that have no completion but need one.
    private func incomplete(_ command: any ParsableCommand.Type) -> [String] {
        let data = Data(BLECLI._dumpHelp().utf8)
        guard let help = try? JSONDecoder().decode(Help.self, from: data) else { return ["no help text"] }
        return help.command.subcommands?.flatMap { verb in
            (verb.arguments ?? []).filter { argument in
                ["target", "characteristic", "characteristics", "adapter", "scenario"].contains(argument.valueName)
                    && !argument.hasCompletion
            }
            .map { "\(verb.commandName) \($0.valueName ?? "")" }
        } ?? []
    }

    private struct Help: Decodable {
        struct Command: Decodable {
            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?
        }
        struct Argument: Decodable {
            let valueName: String?
            let hasCompletion: Bool

            enum CodingKeys: CodingKey { case valueName, completionKind }

            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                valueName = try values.decodeIfPresent(String.self, forKey: .valueName)
                hasCompletion = values.contains(.completionKind)
            }
        }
        let command: Command
    }
}
