import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The choice of the device that a target names.
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
    func `Finds a device by address, name, or a part that matches only one`(target: String) throws {
        let outcome = try read(target, CommandHarness(monitors))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["32  50 %"])
    }

    @Test func `Lists the candidates in one line if several match`() throws {
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

    @Test func `Rejects a name that two devices have`() throws {
        let outcome = try read("twin", CommandHarness(monitors))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.first?.contains("matches 2 devices") == true)
    }

    @Test func `A missing device is reported as not found at the time limit`() throws {
        let harness = CommandHarness(monitors)
        let outcome = try read("absent", harness, .limited(.seconds(3)))
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("“absent” advertised within 3 s") == true)
        #expect(harness.calls("StartDiscovery") == harness.calls("StopDiscovery"))
    }

    @Test func `An address that bluetoothd remembers is connected without a scan`() throws {
        let harness = CommandHarness(monitors)
        // This scan makes the device known; bluetoothd forgets the device after 30 s.
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.forgetCalls()
        #expect(try read("C0:FF:EE:00:01:03", harness).code == .done)
        #expect(harness.calls("StartDiscovery") == 0)
    }

    @Test func `A remembered name is connected if the device does not advertise`() throws {
        let harness = CommandHarness(monitors)
        // This scan makes the device known; bluetoothd forgets the device after 30 s.
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.advertise(nil, from: "C0:FF:EE:00:01:03")
        let outcome = try read("hrm-2", harness, .limited(.seconds(8)))
        // The device no longer advertises, so the read may time out. The verb must still attempt a connection.
        #expect(outcome.code == .timedOut || outcome.code == .done, "\(outcome.errors)")
        #expect(harness.calls("Connect") == 1)
    }

    @Test(arguments: [("HRM-2", 0), ("hrm-2", 0), ("HRM-1", 0), ("M-2", 1), ("Twin", 1)])
    func `A name that bluetoothd remembers once is connected without a scan`(target: String, scans: Int) throws {
        let harness = CommandHarness(monitors)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.simulation.bluez.forgetCalls()
        #expect(try read(target, harness).code == (target == "Twin" ? .usage : .done))
        #expect(harness.calls("StartDiscovery") == scans)
    }

    @Test func `A device is found by name after it has changed its private address`() throws {
        let harness = CommandHarness(Scenario(peripherals: [Self.device("Tag", "4A:FF:EE:00:03:01")]))
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        for _ in 1...2 {
            harness.simulation.bluez.rotateAddress(of: "4A:FF:EE:00:03:01")
            // bluetoothd has both addresses, and later three.
            harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
            let outcome = try read("Tag", harness)
            #expect(outcome.code == .done && outcome.lines == ["32  50 %"], "\(outcome.errors)")
        }
    }

    @Test func `Two devices with private addresses and one name are ambiguous`() throws {
        let scenario = Scenario(peripherals: [
            Self.device("Tag", "4A:FF:EE:00:03:01"), Self.device("Tag", "4A:FF:EE:00:03:02"),
        ])
        let harness = CommandHarness(scenario)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        for _ in 1...2 {
            let outcome = try read("Tag", harness)
            #expect(outcome.errors.first?.contains("matches 2 devices") == true, "\(outcome.lines)")
        }
    }

    @Test func `Reading an unknown device by its whole name takes at most 0.6 s`() throws {
        let outcome = try read("HRM-2", CommandHarness(monitors))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect((outcome.time ?? 9) <= 0.6, "\(outcome.time ?? 9)")
        // A part may match other devices, which advertise later.
        let part = try read("RM-2", CommandHarness(monitors))
        #expect(part.code == .done && (part.time ?? 0) > 1, "\(part.time ?? 0)")
    }

    @Test func `Errors contain the target as it was typed`() throws {
        let several = try read("HRM", CommandHarness(monitors))
        #expect(several.errors.first?.contains("“HRM” matches 3 devices") == true)
        let absent = try read("No Such Strap", CommandHarness(monitors), .limited(.seconds(3)))
        #expect(absent.errors.first?.contains("“No Such Strap”") == true)
    }
}
