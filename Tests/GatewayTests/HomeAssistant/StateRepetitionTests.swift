import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// The states of devices after a start of Home Assistant, which does not remember them.
@Suite struct StateRepetitionTests {
    private static let door: BluetoothAddress = "A4:C1:38:00:00:01"

    private func stage(
        _ scenario: Scenario = .quiet, _ configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) -> GatewayStage {
        let stage = GatewayStage(scenario) {
            var strap = DeviceSettings(.strap, [GATTJob(.notify, of: "2A37")])
            strap.jobs.append(GATTJob(.read(every: .seconds(3_600)), of: "2A19"))
            $0.devices = [DeviceSettings(address: Self.door), strap]
            $0.homeAssistant?.expireAfter = .seconds(600)
            configure(&$0)
        }
        stage.run(for: .seconds(20))
        return stage
    }

    private func send(_ stage: GatewayStage, _ bytes: [UInt8], from address: BluetoothAddress = Self.door) {
        _ = stage.gateway.pipeline.receive(
            [.service(0xFCD2, [0x40] + bytes)], from: address, of: address, name: nil, rssi: -60,
            time: stage.time.scheduler.now)
        stage.time.advance(by: .seconds(2))
    }

    /// Restarts Home Assistant, and returns the messages of a topic that follow.
    private func restart(_ stage: GatewayStage, _ topic: String, within time: Duration = .seconds(25)) throws
        -> [ParsedJSON]
    {
        stage.messages.deliveries = []
        stage.server.publish(Publication("homeassistant/status", "online"))
        stage.time.advance(by: time)
        return try stage.json(topic)
    }

    private let readings = "home/attic/BTtoMQTT/A4C138000001"

    @Test func `The last state of a door is published again, after the discovery`() throws {
        let stage = stage()
        send(stage, [0x1A, 0])
        send(stage, [0x1A, 1])
        stage.time.advance(by: .seconds(700))
        let messages = try restart(stage, readings)
        #expect(messages.count == 1 && messages.first?["repeated"] == .bool(true), "\(messages)")
        #expect(messages.first?["door"] == .bool(true), "\(messages)")
        let topics = stage.messages.deliveries.map(\.topic)
        let discovery = try #require(topics.firstIndex(of: "homeassistant/device/ble-a4c138000001/config"))
        #expect(discovery < topics.firstIndex(of: readings) ?? 0)
        let presence = try stage.json("home/attic/presence/A4C138000001")
        #expect(presence.map { $0["state"]?.string } == ["lost"], "\(presence)")
    }

    @Test func `Quantities that a device sends in turn are all published again`() throws {
        let stage = stage()
        send(stage, [0x02, 0xC4, 0x09])
        send(stage, [0x03, 0x88, 0x13])
        // Two of one packet have one time.
        _ = stage.gateway.pipeline.receive(
            [.service(0xFCD2, [0x40, 0x04, 0x13, 0x8A, 0x01]), .service(0xFCD2, [0x40, 0x01, 0x50])], from: Self.door,
            of: Self.door, name: nil, rssi: -60, time: stage.time.scheduler.now)
        stage.time.advance(by: .seconds(2))
        let messages = try restart(stage, readings)
        #expect(messages.count == 4 && messages.contains { $0["batt"] == .number(80) }, "\(messages)")
        #expect(messages.contains { $0["pres"] == .number(1_008.83) }, "\(messages)")
        #expect(messages.compactMap { $0["tempc"] } == [.number(25)], "\(messages)")
        #expect(messages.compactMap { $0["hum"] } == [.number(50)], "\(messages)")
    }

    @Test func `Events are not repeated, and neither are values that have expired`() throws {
        let stage = stage()
        send(stage, [0x3A, 1])
        send(stage, [0x01, 0x50, 0x1A, 1, 0x3A, 1])
        #expect(stage.messages(readings).contains { $0.text.contains(#""button":"press""#) })
        let early = try restart(stage, readings)
        #expect(
            early.compactMap { $0["batt"] } == [.number(80)] && early.allSatisfy { $0["button"] == nil }, "\(early)")
        stage.time.advance(by: .seconds(700))
        let late = try restart(stage, readings)
        #expect(late.compactMap { $0["door"] } == [.bool(true)] && late.allSatisfy { $0["batt"] == nil }, "\(late)")
    }

    @Test func `The values of jobs, the connection and the presence are published again`() throws {
        let stage = stage(.strap())
        let messages = try restart(stage, "home/attic/connection/C0FFEE000001")
        #expect(messages.compactMap { $0["state"]?.string } == ["connected"], "\(messages)")
        #expect(messages.compactMap { $0["hex"]?.string } == ["57"], "\(messages)")
        #expect(messages.allSatisfy { $0["repeated"] == .bool(true) && $0["id"]?.string == "C0:FF:EE:00:00:01" })
        let presence = try stage.json("home/attic/presence/C0FFEE000001")
        #expect(presence.contains { $0["state"]?.string == "found" && $0["repeated"] == .bool(true) }, "\(presence)")
    }

    @Test func `Configured devices are first, other ones follow, and the rate is limited`() throws {
        let stage = stage()
        for number in 0..<90 {
            send(stage, [0x02, UInt8(number), 0x09], from: BluetoothAddress(0xD000_0000_0000 + UInt64(number)))
        }
        send(stage, [0x1A, 1])
        _ = try restart(stage, readings, within: .seconds(45))
        let repeated = stage.messages.deliveries.filter { $0.text.hasPrefix(#"{"repeated""#) }
        let first = repeated.first { $0.topic.contains("D0000000") }
        #expect(repeated.count { $0.topic.hasPrefix("home/attic/BTtoMQTT/D0000000") } == 90)
        let own = repeated.filter { $0.topic.hasSuffix("A4C138000001") }
        #expect(own.allSatisfy { $0.time <= first?.time ?? .zero })
        let times = Dictionary(grouping: repeated, by: { $0.time }).mapValues(\.count)
        #expect(times.values.allSatisfy { $0 <= 20 }, "\(times)")
    }

    @Test(arguments: [false, true])
    func `Of several gateways, the one with the latest state is last`(isReversed: Bool) throws {
        let first = stage()
        let second = GatewayStage(.quiet, name: "hall", sharing: first) {
            $0.devices = [DeviceSettings(address: Self.door)]
        }
        second.run(for: .seconds(20))
        let (early, late) = isReversed ? (second, first) : (first, second)
        send(early, [0x1A, 1])
        send(late, [0x1A, 1])
        first.time.advance(by: .seconds(400))
        send(late, [0x1A, 0])
        first.time.advance(by: .seconds(600))
        first.messages.deliveries = []
        first.server.publish(Publication("homeassistant/status", "online"))
        first.time.advance(by: .seconds(25))
        let doors = try first.messages.deliveries.filter { $0.topic.hasSuffix("/BTtoMQTT/A4C138000001") }
            .compactMap { try ParsedJSON($0.payload)["door"] }
        #expect(doors == [.bool(true), .bool(false)], "\(doors)")
    }

    @Test func `Without discovery of a device, its states are not repeated`() throws {
        let stage = stage { $0.homeAssistant?.discovery = .configured }
        let messages = try restart(stage, "home/attic/BTtoMQTT/C0FFEE000002")
        #expect(messages.allSatisfy { $0["repeated"] == nil })
        let off = self.stage(.strap()) { $0.homeAssistant = nil }
        #expect(try restart(off, "home/attic/connection/C0FFEE000001").isEmpty)
    }
}
