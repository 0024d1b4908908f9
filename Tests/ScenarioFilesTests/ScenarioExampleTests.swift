import DBus
import FoundationEssentials
import Rx
import RxBluetoothMocks
import RxTest
import ScenarioFiles
import Testing

/// Tests of the example file `docs/scenarios/hall.yaml`.
struct ScenarioExampleTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    private static let path = root + "/docs/scenarios/hall.yaml"

    private func text(_ path: String) throws -> String {
        String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
    }

    @Test func `The article contains the example file`() throws {
        let article = try text(Self.root + "/Mocks/Mocks.docc/ScenarioFiles.md")
        #expect(article.contains("```yaml\n" + (try text(Self.path)) + "```\n"))
    }

    @Test func `The example file contains what its comments describe`() throws {
        let scenario = try ScenarioFile.load(Self.path)
        #expect(scenario.peripherals.map(\.name) == ["Hall sensor", "Lock", "Tag"])
        #expect(scenario.bluez == .v5_66)
        #expect(scenario.features == [.handle, .disconnectedSignal])
        #expect(scenario.quirks == [.Q77])
        let lock = scenario.peripherals[1]
        #expect(lock.pairing.method == .passkeyShown(123_456))
        #expect(lock.services.first?.characteristics.first?.protection == .authentication)
        #expect(scenario.script.map(\.time) == [20, 30, 40, 60, 90, 120].map { .seconds($0) })
    }

    @Test func `The example scenario runs, and each event has its effect`() throws {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
        let simulation = Simulation(try ScenarioFile.load(Self.path), scheduler: scheduler)
        let bus = simulation.connect()
        let signals = scheduler.createObserver(String.self)
        _ = bus.subscribe(MatchRule(sender: "org.bluez")) { signal in
            let values = (try? signal.read { (body) throws(DBusError) in try body.values() }) ?? []
            signals.on(.next("\(signal.path?.description ?? "") \(signal.member ?? "") \(values)"))
        }
        let answers = scheduler.createObserver(String.self)
        func call(_ path: ObjectPath, _ interface: String, _ member: String) throws {
            let message = try Message.call(
                to: "org.bluez", path: path, interface: "org.bluez." + interface, member: member)
            _ = bus.call(message, timeout: .seconds(50)) { result in
                if case .failure(let error) = result { answers.on(.next(error.message)) }
            }
        }
        try call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        for time in 1...4 {
            scheduler.advanceTo(time * 1_000)
            try call("/org/bluez/hci0/dev_C0_FF_EE_00_00_01", "Device1", "Connect")
        }
        scheduler.advanceTo(35_000)
        try call("/org/bluez/hci0/dev_C0_FF_EE_00_00_01", "Device1", "Connect")
        scheduler.advanceTo(200_000)
        // Q77 makes the first two calls of Connect fail. The fault makes the fourth fail, although the link exists.
        #expect(
            answers.events.compactMap(\.value.element) == [
                "le-connection-abort-by-local", "le-connection-abort-by-local", "le-connection-refused",
            ])
        let lines = signals.events.compactMap { event in event.value.element.map { (event.time, $0) } }
        func first(_ parts: String...) -> Int? {
            lines.first { line in parts.allSatisfy { line.1.contains($0) } }.map { $0.0 / 1_000 }
        }
        #expect(first("Disconnected", "org.bluez.Reason.Timeout") == 30)
        #expect(first("dev_4B_00_00_00_00_03") == 60)
        #expect(first("Adapter1", "/org/bluez/hci1") == 123)
        #expect(first("Handle") == 3)
    }
}
