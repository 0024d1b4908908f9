import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Which device a target is, and how it is found.
struct DeviceFinderTests {
    private static func device(_ name: String, _ address: String) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address: address) {
            SimulatedAdvertisement(every: .milliseconds(200), rssi: -50, name: name)
            SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([50])) }
        }
    }

    private let monitors = Scenario(peripherals: [
        device("HRM-1", "C0:FF:EE:00:01:01"), device("HRM-10", "C0:FF:EE:00:01:02"),
        device("HRM-2", "C0:FF:EE:00:01:03"),
        device("Twin", "C0:FF:EE:00:02:01"), device("Twin", "C0:FF:EE:00:02:02"),
    ])

    private func read(_ target: String, _ harness: CommandHarness, _ options: CommandContext.Options = .init()) throws
        -> CommandHarness.Outcome
    {
        harness.run(ReadVerb(target: try Target(parsing: target), characteristic: .uuid(0x2A19)), options)
    }

    @Test(arguments: ["C0:FF:EE:00:01:03", "hrm-2", "HRM-2", "M-2", "01:03", "HRM-1", "hrm-10"])
    func `finds a device by address, name, or a part that fits one`(target: String) throws {
        let outcome = try read(target, CommandHarness(monitors))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["32  50 %"])
    }

    @Test func `lists the candidates in one line where several fit`() throws {
        let harness = CommandHarness(monitors)
        let outcome = try read("hrm", harness)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.count == 1)
        for name in ["HRM-1", "HRM-10", "HRM-2", "C0:FF:EE:00:01:02"] {
            #expect(outcome.errors.first?.contains(name) == true)
        }
        #expect(harness.calls("Connect") == 0)
        #expect(harness.calls("StartDiscovery") == harness.calls("StopDiscovery"))
    }

    @Test func `does not choose among devices of one name`() throws {
        let outcome = try read("twin", CommandHarness(monitors))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.first?.contains("fits 2 devices") == true)
    }

    @Test func `a device that is not there is not found, at the time limit`() throws {
        let harness = CommandHarness(monitors)
        let outcome = try read("nobody", harness, .limited(.seconds(3)))
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("“nobody” was heard within 3 s") == true)
        #expect(harness.calls("StartDiscovery") == harness.calls("StopDiscovery"))
    }

    @Test func `an address that bluetoothd knows is connected without a scan`() throws {
        let harness = CommandHarness(monitors)
        // bluetoothd forgets it after half a minute.
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.forgetCalls()
        #expect(try read("C0:FF:EE:00:01:03", harness).code == .done)
        #expect(harness.calls("StartDiscovery") == 0)
    }

    @Test func `a name that bluetoothd remembers is taken from there where it stays silent`() throws {
        let harness = CommandHarness(monitors)
        // bluetoothd forgets it after half a minute.
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.advertise(nil, from: "C0:FF:EE:00:01:03")
        let outcome = try read("hrm-2", harness, .limited(.seconds(8)))
        // It does not answer either, but it was tried, which a device that nobody knows is not.
        #expect(outcome.code == .timedOut || outcome.code == .done, "\(outcome.errors)")
        #expect(harness.calls("Connect") == 1)
    }

    @Test func `Echoes what was typed`() throws {
        let several = try read("HRM", CommandHarness(monitors))
        #expect(several.errors.first?.contains("“HRM” fits 3 devices") == true)
        let nobody = try read("No Such Strap", CommandHarness(monitors), .limited(.seconds(3)))
        #expect(nobody.errors.first?.contains("“No Such Strap”") == true)
    }
}
