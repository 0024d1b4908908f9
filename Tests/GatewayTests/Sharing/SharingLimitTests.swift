import RxBluetooth
import Testing

@testable import Gateway

/// A client of the broker that invents gateways.
@Suite struct SharingLimitTests {
    private let addresses = (1...4).map { BluetoothAddress(0xC0FF_EE00_0000 + UInt64($0)) }

    /// A gateway that hears four devices, and remembers at most ten reports of others.
    private func sharing() -> DeviceSharing {
        var sharing = DeviceSharing(
            gateway: "attic", devices: addresses.map { DeviceSettings(address: $0) }, now: .zero)
        sharing.maximumReports = 10
        _ = sharing.connected(now: .zero)
        for address in addresses { _ = sharing.heard(address, rssi: -60, now: .seconds(1)) }
        return sharing
    }

    private func report(
        _ sharing: inout DeviceSharing, _ address: BluetoothAddress, _ gateway: String, rssi: Int? = -50
    ) {
        let payload = rssi.map { HeardReport(rssi: $0).payload } ?? []
        let message = ReceivedMessage(
            topic: sharing.topics.heard(address, gateway), payload: payload, isRetained: true)
        _ = sharing.receive(message, now: .seconds(2))
    }

    private func count(_ sharing: DeviceSharing) -> Int {
        addresses.reduce(0) { $0 + (sharing.devices[$1]?.peers.count ?? 0) }
    }

    @Test func `The reports of all gateways about all devices have a limit`() {
        var sharing = sharing()
        for address in addresses { for number in 0..<5 { report(&sharing, address, "g\(number)") } }
        #expect(count(sharing) == 10 && sharing.reportCount == 10 && sharing.ignoredCount == 10)
        // A known gateway changes its report, and another one takes the place of one that is gone.
        report(&sharing, addresses[0], "g0", rssi: -70)
        #expect(sharing.devices[addresses[0]]?.peers["g0"]?.rssi == -70)
        report(&sharing, addresses[0], "g1", rssi: nil)
        report(&sharing, addresses[3], "g0")
        #expect(sharing.devices[addresses[3]]?.peers.count == 1)
        #expect(sharing.reportCount == 10 && sharing.ignoredCount == 10)
    }

    @Test func `Removed devices, and a new connection, free the places of reports`() {
        var sharing = sharing()
        for address in addresses { for number in 0..<2 { report(&sharing, address, "g\(number)") } }
        #expect(sharing.reportCount == 8)
        _ = sharing.reload(addresses.dropFirst().map { DeviceSettings(address: $0) }, now: .seconds(3))
        #expect(sharing.reportCount == 6 && count(sharing) == 6)
        _ = sharing.disconnected(now: .seconds(4))
        _ = sharing.connected(now: .seconds(5))
        #expect(sharing.reportCount == 0 && count(sharing) == 0)
    }
}
