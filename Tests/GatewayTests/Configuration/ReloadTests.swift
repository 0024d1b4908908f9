import RxBluetooth
import Testing

@testable import Gateway

/// Which settings a running gateway takes over from a newer configuration.
@Suite struct ReloadTests {
    private func reload(_ change: (inout GatewayConfiguration) -> Void) -> GatewayConfiguration.Reload {
        var new = GatewayConfiguration()
        change(&new)
        return GatewayConfiguration().reload(new)
    }

    @Test func `Devices, filters, topics and policies need no restart`() {
        let result = reload {
            $0.devices = [DeviceSettings(address: .strap)]
            $0.filter.minimumRSSI = -80
            $0.otherDevices.maximum = 5
            $0.topics.reading = "sensors/{name}"
            $0.publishing.minimumInterval = .seconds(9)
            $0.homeAssistant?.discoveryLimit = 7
            $0.commands.maximumAge = .seconds(5)
        }
        #expect(result.needsRestart.isEmpty)
        #expect(result.configuration.devices.count == 1 && result.configuration.topics.reading == "sensors/{name}")
        #expect(result.configuration.homeAssistant?.discoveryLimit == 7)
    }

    @Test func `What cannot change is named and keeps its value`() {
        let result = reload {
            $0.name = "cellar"
            $0.broker.host = "other"
            $0.adapters = ["hci1"]
            $0.topics = TopicSettings(base: "other")
            $0.homeAssistant = nil
            $0.store.path = "a.db"
            $0.recovery.allowsPowerCycle = false
            $0.connections.maximumLinks = 1
            $0.sharing.isEnabled = false
            $0.metricsPort = 9
            $0.filter.minimumRSSI = -70
        }
        #expect(
            result.needsRestart == [
                "name", "broker", "adapters", "topics", "home-assistant", "store", "recovery", "connections", "sharing",
                "metrics",
            ])
        var expected = GatewayConfiguration()
        expected.filter.minimumRSSI = -70
        #expect(result.configuration == expected)
    }

    @Test func `A dry run uses no port and no file, and closes no link of others`() {
        var configuration = GatewayConfiguration()
        configuration.store.path = "a.db"
        configuration.metricsPort = 9465
        let dry = configuration.dryRun
        #expect(dry.store.path == nil && dry.metricsPort == nil && !dry.recovery.allowsPowerCycle)
        #expect(!dry.connections.closesForeignLinks && configuration.connections.closesForeignLinks)
    }
}
