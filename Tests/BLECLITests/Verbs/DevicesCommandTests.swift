import RxBluetooth
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
        let connected = harness.run(DevicesVerb(onlyConnected: true), .asJSON, for: 1)
        #expect(connected.lines.compactMap { ParsedJSON($0)?["name"]?.string } == ["Thermometer"])
        #expect(harness.calls("StartDiscovery") == scans)
    }
}
