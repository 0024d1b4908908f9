import RxBluetooth
import Testing

@testable import Gateway

@Suite struct RemovedDeviceTests {
    private static let device = SharingStage.devices(1)

    /// Gateway alpha has both roles of a device. It is restarted with other settings within a second.
    private func stage(_ devices: [DeviceSettings], isHeardByBeta: Bool = true) -> SharingStage {
        let stage = SharingStage()
        stage.start("alpha", Self.device, rssi: -60)
        stage.run(seconds: 20)
        stage.start("beta", isHeardByBeta ? Self.device : [], rssi: -60)
        stage.run(seconds: 10)
        #expect(stage.holders("owner") == ["C0FFEE000000": "alpha"])
        #expect(stage.holders("room") == ["C0FFEE000000": "alpha"])
        stage.interrupt("alpha")
        stage.start("alpha", devices, rssi: -60)
        stage.run(seconds: 45)
        return stage
    }

    @Test func `Another gateway takes over a device that was removed from a configuration`() {
        let stage = stage([])
        #expect(stage.holders("owner") == ["C0FFEE000000": "beta"])
        #expect(stage.holders("room") == ["C0FFEE000000": "beta"])
        #expect(stage.server.retained["home/ble-gateways/devices/C0FFEE000000/heard/alpha"] == nil)
        #expect(stage.member("beta")?.owned.count == 1)
    }

    @Test func `Another gateway becomes the owner of a device that has no jobs any more`() {
        var device = Self.device
        device[0].jobs = []
        let stage = stage(device)
        #expect(stage.holders("owner") == ["C0FFEE000000": "beta"])
        #expect(stage.holders("room") == ["C0FFEE000000": "alpha"])
        #expect(stage.member("beta")?.owned.count == 1)
    }

    @Test func `A device that no gateway has any more leaves no message at the broker`() {
        let stage = stage([], isHeardByBeta: false)
        #expect(!stage.server.retained.keys.contains { $0.contains("/devices/") })
    }

    @Test func `A gateway without jobs for a device is not its owner`() {
        var device = Self.device
        device[0].jobs = []
        let stage = SharingStage()
        // The gateway with the stronger signal has no jobs.
        stage.start("alpha", device, rssi: -40)
        stage.start("beta", Self.device, rssi: -80)
        stage.run(seconds: 60)
        #expect(stage.holders("owner") == ["C0FFEE000000": "beta"])
        #expect(stage.holders("room") == ["C0FFEE000000": "alpha"])
    }
}
