import RxBluetooth
import Testing

@testable import Gateway

struct DeviceMatcherTests {
    @Test(arguments: [
        ([], [], "A4:C1:38:00:00:01", true), (["A4:C1:38"], [], "A4:C1:38:00:00:01", true),
        (["A4:C1:38"], [], "A4:C1:39:00:00:01", false), (["A4:C1:38:00:00:01"], [], "A4:C1:38:00:00:01", true),
        (["A4:C1:38:00:00:01"], [], "A4:C1:38:00:00:02", false), ([], ["C0"], "C0:00:00:00:00:01", false),
        ([], ["C0"], "C1:00:00:00:00:01", true), (["C0"], ["C0:01"], "C0:01:00:00:00:01", false),
        (["C0"], ["C0:01"], "C0:02:00:00:00:01", true), (["A4", "C0"], [], "C0:02:00:00:00:01", true),
    ])
    func `Prefixes allow and deny`(_ allowed: [String], _ denied: [String], _ address: String, _ matches: Bool) throws {
        var filter = DeviceFilter()
        filter.allowed = allowed
        filter.denied = denied
        #expect(DeviceMatcher(filter).matches(try #require(BluetoothAddress(address))) == matches)
    }

    @Test func `Described devices are published without a reading, and outside of the list`() {
        var configuration = GatewayConfiguration()
        configuration.filter.allowed = ["C0"]
        configuration.devices = [DeviceSettings(address: "A4:C1:38:00:00:01")]
        let matcher = DeviceMatcher(configuration)
        #expect(matcher.matches("A4:C1:38:00:00:01", rssi: nil, hasReading: false))
        #expect(!matcher.matches("C0:00:00:00:00:01", rssi: nil, hasReading: false))
        #expect(matcher.matches("C0:00:00:00:00:01", rssi: nil, hasReading: true))
    }

    // The time of a search in a list would grow with its length, for each advertisement.
    @Test func `Prefixes and devices are in hash tables, whatever their number is`() {
        func types(_ value: some Any) -> [String: String] {
            let members = Mirror(reflecting: value).children.map { ($0.label ?? "", "\(type(of: $0.value))") }
            return Dictionary(members) { first, _ in first }
        }
        var configuration = GatewayConfiguration()
        configuration.filter.allowed = ["C0"]
        let matcher = types(DeviceMatcher(configuration))
        #expect(matcher["allowed"] == "Optional<DevicePrefixes>" && matcher["denied"] == "DevicePrefixes")
        #expect(matcher["described"] == "Set<BluetoothAddress>")
        // One table for each length of a prefix.
        #expect(types(DevicePrefixes(["C0", "C0:01", "C0:02"])) == ["prefixes": "Array<Set<UInt64>>"])
        let collections = matcher.filter { $0.value.contains("Array") || $0.value.contains("List") }
        #expect(collections.isEmpty)
    }

    @Test func `Weak and unknown devices are published only if the filter says so`() {
        var filter = DeviceFilter()
        filter.minimumRSSI = -80
        filter.includesUnknown = true
        let matcher = DeviceMatcher(filter)
        #expect(matcher.matches("C0:00:00:00:00:01", rssi: -80, hasReading: false))
        #expect(!matcher.matches("C0:00:00:00:00:01", rssi: -81, hasReading: true))
        #expect(matcher.matches("C0:00:00:00:00:01", rssi: nil, hasReading: true))
    }
}
