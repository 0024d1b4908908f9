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
