import FoundationEssentials
import Testing

@testable import Gateway

/// A sender that changes its address with each packet must not delay or displace the devices of the configuration.
@Suite struct RotatingAddressTests {
    /// `make soak-gateway` sets the variable: 50,000 addresses for ten minutes instead of 10,000 for half a minute.
    private static let isLong = ProcessInfo.processInfo.environment["RXBLUETOOTH_GATEWAY_ATTACK"] != nil

    @Test func `An attack with many addresses neither delays nor loses configured readings`() {
        let air = RotatingAddresses(addresses: Self.isLong ? 50_000 : 10_000, perSecond: Self.isLong ? 1_000 : 2_000)
        let seconds = Self.isLong ? 600 : 30
        air.run(seconds: seconds)
        #expect(air.latency() <= .seconds(1), "\(air.latency())")
        air.stage.time.advance(by: .seconds(30))

        #expect(air.received.count == RotatingAddresses.sensors * seconds && air.lost == 0, "\(air.lost) lost")
        let discovered = air.stage.server.retained.keys.count { $0.hasPrefix("homeassistant/device/ble-d0") }
        #expect(discovered <= 100, "\(discovered)")
        #expect(air.largestStore <= 4 << 20, "\(air.largestStore)")
        #expect(air.largestCount <= 1_000 + RotatingAddresses.sensors + 2, "\(air.largestCount)")
        // The burst, the average of 100 a second, and a message for each device that is lost.
        let others = air.otherReadings + air.otherPresence
        #expect(others <= 6_000 + 100 * (seconds + 30) + 1_000, "\(others)")
        #expect(air.otherPresence <= air.otherReadings, "\(air.otherPresence)")
    }

    @Test func `Configured readings survive an attack without a broker and with a full store`() {
        let air = RotatingAddresses(addresses: 10_000, perSecond: 1_000, maximumBytes: 200_000)
        air.run(seconds: 2)
        air.stage.server.stop()
        air.run(seconds: 40)
        let summary = air.stage.store.summary
        #expect(summary.dropped > 1_000 && summary.bytes <= 200_000, "\(summary)")
        air.stage.server.start()
        air.run(seconds: 20)
        air.stage.time.advance(by: .seconds(30))
        #expect(air.lost == 0, "\(air.lost) of \(air.received.count)")
    }

    @Test func `Each limit is reported when its excess begins and ends, and counted`() {
        var others = OtherDeviceSettings()
        (others.maximum, others.messagesPerMinute) = (200, 600)
        let air = RotatingAddresses(addresses: 1_000, perSecond: 500, others)
        air.run(seconds: 10)
        let limits = ["other-devices.maximum", "other-devices.messages-per-minute", "home-assistant.discovery-limit"]
        let begun = air.stage.events.filter { event in limits.contains { event.description.contains($0) } }
        #expect(begun.count == 3 && begun.allSatisfy { $0.level == .warning }, "\(begun)")
        let counters = ["other_advertisements_ignored", "other_readings_ignored", "discoveries_refused"]
        for counter in counters {
            #expect(air.stage.gateway.status().drops[counter] ?? 0 > 0, "\(counter)")
            #expect(!air.stage.gateway.metrics().contains("ble_gateway_drops_total{reason=\"\(counter)\"} 0\n"))
        }
        air.stage.time.advance(by: .seconds(300))
        let ended = air.stage.events.filter {
            $0.description.contains("ignored") || $0.description.contains("no further")
        }
        #expect(ended.count { $0.level == .info } == 3, "\(ended)")
    }

    @Test func `A device that is heard once has a reading and no presence`() {
        let air = RotatingAddresses(addresses: 900, perSecond: 100)
        air.run(seconds: 9)
        air.stage.time.advance(by: .seconds(120))
        #expect(air.otherReadings == 900 && air.otherPresence == 0, "\(air.otherReadings) \(air.otherPresence)")
        #expect(air.stage.gateway.status().drops["other_readings_ignored"] == 0)
        #expect(air.stage.gateway.pipeline.deviceCount <= 2)
    }

    @Test func `Only configured devices are published if others are switched off`() throws {
        let configuration = try GatewayConfiguration(yaml: "other-devices: false")
        let stage = GatewayStage(.strap()) {
            $0.otherDevices = configuration.otherDevices
            $0.devices = [DeviceSettings(.strap, [])]
        }
        stage.run(for: .seconds(10))
        #expect(stage.messages("home/attic/").contains { $0.topic.hasSuffix("C0FFEE000001") })
        #expect(!stage.messages.deliveries.contains { $0.topic.uppercased().contains("C0FFEE000002") })
    }
}
