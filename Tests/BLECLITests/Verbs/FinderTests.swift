import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Which device a target is, and how it is found.
struct FinderTests {
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

    private func read(_ target: String, _ bench: Bench, _ options: Session.Options = .init()) throws -> Bench.Outcome {
        bench.run(ReadVerb(target: try Target(parsing: target), choice: .uuid(0x2A19)), options)
    }

    @Test(arguments: ["C0:FF:EE:00:01:03", "hrm-2", "HRM-2", "M-2", "01:03", "HRM-1", "hrm-10"])
    func `finds a device by address, name, or a part that fits one`(target: String) throws {
        let outcome = try read(target, Bench(monitors))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["32  50 %"])
    }

    @Test func `lists the candidates in one line where several fit`() throws {
        let bench = Bench(monitors)
        let outcome = try read("hrm", bench)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.count == 1)
        for name in ["HRM-1", "HRM-10", "HRM-2", "C0:FF:EE:00:01:02"] {
            #expect(outcome.errors.first?.contains(name) == true)
        }
        #expect(bench.calls("Connect") == 0)
        #expect(bench.calls("StartDiscovery") == bench.calls("StopDiscovery"))
    }

    @Test func `does not choose among devices of one name`() throws {
        let outcome = try read("twin", Bench(monitors))
        #expect(outcome.code == .usage)
        #expect(outcome.errors.first?.contains("fits 2 devices") == true)
    }

    @Test func `a device that is not there is not found, at the time limit`() throws {
        let bench = Bench(monitors)
        let outcome = try read("nobody", bench, .limited(.seconds(3)))
        #expect(outcome.code == .notFound)
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("“nobody” was heard within 3 s") == true)
        #expect(bench.calls("StartDiscovery") == bench.calls("StopDiscovery"))
    }

    @Test func `an address that bluetoothd knows is connected without a scan`() throws {
        let bench = Bench(monitors)
        // bluetoothd forgets it after half a minute.
        bench.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        bench.simulation.bluez.forgetCalls()
        #expect(try read("C0:FF:EE:00:01:03", bench).code == .done)
        #expect(bench.calls("StartDiscovery") == 0)
    }

    @Test func `a name that bluetoothd remembers is taken from there where it stays silent`() throws {
        let bench = Bench(monitors)
        // bluetoothd forgets it after half a minute.
        bench.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        bench.simulation.bluez.advertise(nil, from: "C0:FF:EE:00:01:03")
        let outcome = try read("hrm-2", bench, .limited(.seconds(8)))
        // It does not answer either, but it was tried, which a device that nobody knows is not.
        #expect(outcome.code == .timedOut || outcome.code == .done, "\(outcome.errors)")
        #expect(bench.calls("Connect") == 1)
    }

    @Test func `Echoes what was typed`() throws {
        let several = try read("HRM", Bench(monitors))
        #expect(several.errors.first?.contains("“HRM” fits 3 devices") == true)
        let nobody = try read("No Such Strap", Bench(monitors), .limited(.seconds(3)))
        #expect(nobody.errors.first?.contains("“No Such Strap”") == true)
    }
}
