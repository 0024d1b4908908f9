import DBus
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

struct DevicesCommandTests {
    @Test func `Lists the known and the connected devices without a scan`() throws {
        let harness = CommandHarness()
        #expect(harness.run(DevicesVerb(), for: 1).lines.isEmpty)
        let read = ReadVerb(target: .part("thermometer"), characteristic: .uuid(0x2A6E), keepsLink: true)
        harness.run(read, for: 5)
        let scans = harness.calls("StartDiscovery")
        let known = harness.run(DevicesVerb(), for: 1)
        #expect(known.code == .done)
        #expect(known.lines.count > 1)
        #expect(known.lines.contains { $0.contains("Thermometer") })
        #expect(known.lines == known.lines.sorted())
        for line in known.lines {
            let isConnected = line.contains("Thermometer")
            #expect(line.hasSuffix("(connected)") == isConnected, "\(line)")
            #expect(line.hasSuffix("(remembered)") == !isConnected, "\(line)")
        }
        #expect(harness.run(DevicesVerb(onlyConnected: true), for: 1).lines.count { $0.hasSuffix("(connected)") } == 1)
        let connected = harness.run(DevicesVerb(onlyConnected: true), .asJSON, for: 1)
        #expect(connected.lines.compactMap { ParsedJSON($0)?["name"]?.string } == ["Thermometer"])
        #expect(harness.calls("StartDiscovery") == scans)
    }

    @Test(arguments: [(.v5_66, "A B"), (.v5_82, "A B"), (.v5_87, "A")] as [(SimulatedBlueZ.Version, String)])
    func `A name that is not UTF-8 is shown as bluetoothd converts it`(version: SimulatedBlueZ.Version, name: String) {
        var advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -50)
        advertisement.name = [0x41, 0xFF, 0x42]
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Other", address: "C0:FF:EE:00:00:01") { advertisement }
        ])
        scenario.bluez = version
        let harness = CommandHarness(scenario)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let devices = harness.run(DevicesVerb(), .asJSON, for: 1)
        #expect(devices.lines.compactMap { ParsedJSON($0)?["name"]?.string } == [name])
    }

    @Test func `Shows the alias that the user has set, and accepts it as a target`() throws {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let user = harness.simulation.bluez.competingClient()
        user.call(
            "/org/bluez/hci0/dev_C0_FF_EE_00_00_01", "Properties.Set", .string("org.bluez.Device1"),
            .string("Alias"), .variant(.string("Kitchen")))
        let devices = harness.run(DevicesVerb(), for: 1)
        #expect(devices.lines.contains { $0.contains("Kitchen (Heart rate strap)") }, "\(devices.lines)")
        #expect(!devices.lines.contains { $0.contains("Thermometer (") || $0.contains("-FF-") }, "\(devices.lines)")
        let objects = harness.run(DevicesVerb(), .asJSON, for: 1).lines.compactMap { ParsedJSON($0) }
        #expect(objects.compactMap { $0["alias"]?.string } == ["Kitchen"])
        let scan = harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        #expect(scan.lines.contains { $0.contains("Kitchen (Heart rate strap)") }, "\(scan.lines)")
        for target in ["Kitchen", "kitch", "Heart rate strap"] {
            let read = harness.run(
                ReadVerb(target: try Target(parsing: target), characteristic: .uuid(0x2A19)), for: 6)
            #expect(read.code == .done, "\(read.errors)")
        }
    }

    @Test func `Without a result, devices and scan say so on standard error`() {
        let harness = CommandHarness(Scenario(peripherals: []))
        let devices = harness.run(DevicesVerb())
        #expect(devices.code == .done && devices.lines.isEmpty)
        #expect(devices.errors == ["ble-cli: bluetoothd knows no devices. Find some: ble-cli scan."])
        #expect(harness.run(DevicesVerb(onlyConnected: true)).errors.first?.contains("No device is connected.") == true)
        let scan = harness.run(ScanVerb(duration: .seconds(2)))
        #expect(scan.code == .done && scan.lines.isEmpty)
        #expect(scan.errors == ["ble-cli: No device advertised within 2 s."])
    }
}
