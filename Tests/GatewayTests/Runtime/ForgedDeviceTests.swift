import BluetoothValues
import RxBluetooth
import Testing

@testable import Gateway

/// A sender with the address of a device of the configuration.
@Suite struct ForgedDeviceTests {
    @Test func `A forged device does not fill the store, and its newest value is published`() throws {
        let address: BluetoothAddress = "A4:C1:38:00:00:01"
        let stage = GatewayStage(.strap()) {
            $0.devices = [DeviceSettings(address: address)]
            $0.publishing.messagesPerMinute = 600
        }
        stage.run(for: .seconds(2))
        for number in 1...20_000 {
            // A temperature, and a pressed button, which is not delayed.
            let value = number / 10
            let bytes: [UInt8] = [0x40, 0x02, UInt8(value & 0xFF), UInt8(value >> 8), 0x3A, 0x01]
            _ = stage.gateway.pipeline.receive(
                [.service(0xFCD2, bytes)], from: address, of: address, name: nil, rssi: -60,
                time: stage.time.scheduler.now)
            if number % 10 == 0 { stage.time.advance(by: .milliseconds(10)) }
        }
        stage.time.advance(by: .seconds(5))
        let messages = try stage.json("home/attic/BTtoMQTT/A4C138000001")
        #expect(messages.count >= 600 && messages.count <= 600 + 10 * 20 + 2 + 16, "\(messages.count)")
        #expect(messages.last?["tempc"] == .number(20))
        #expect(stage.gateway.status().drops["device_messages_ignored"] ?? 0 > 19_000)
        #expect(!stage.gateway.metrics().contains("{reason=\"device_messages_ignored\"} 0\n"))
        let lines = stage.events.filter { $0.description.contains("publishing.messages-per-minute") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.level == .warning }, "\(lines)")
    }

    @Test func `A button that is pressed above the limit is published, whatever follows`() {
        let address: BluetoothAddress = "A4:C1:38:00:00:01"
        let stage = GatewayStage(.strap()) {
            $0.devices = [DeviceSettings(address: address)]
            $0.publishing.messagesPerMinute = 10
        }
        stage.run(for: .seconds(2))
        var eventCounts: [Int] = []
        stage.gateway.pipeline.onReading = { eventCounts.append($0.reading.events.count) }
        for number in 1...12 {
            let press: [UInt8] = number < 12 ? [0x3A, 0x01] : []
            _ = stage.gateway.pipeline.receive(
                [.service(0xFCD2, [0x40, 0x02, UInt8(number), 0] + press)], from: address, of: address, name: nil,
                rssi: -60, time: stage.time.scheduler.now)
        }
        stage.time.advance(by: .seconds(20))
        #expect(eventCounts == Array(repeating: 1, count: 11) + [0])
    }

    @Test func `Stored records that a device sends in a row are all published, in their order`() {
        let stage = GatewayStage(.strap()) {
            $0.devices = [DeviceSettings(.strap, [])]
            $0.publishing.messagesPerMinute = 60
        }
        stage.run(for: .seconds(2))
        var numbers: [Int] = []
        stage.gateway.pipeline.onValue = { event in
            guard case .value(let value) = event.content else { return }
            numbers.append(Int(value.bytes[0]) << 8 + Int(value.bytes[1]))
        }
        // A characteristic without a structure.
        let job = GATTJob(.notify, of: "FFF1")
        let send = { (number: Int) in
            let value = GATTValue(job, [UInt8(number >> 8), UInt8(number & 0xFF)])
            stage.gateway.pipeline.publish(
                GATTEvent(address: .strap, time: stage.time.scheduler.now, content: .value(value)))
        }
        for number in 0..<20_000 { send(number) }
        #expect(numbers == Array(0..<20_000))
        // A device that continues has its newest values.
        for number in 20_000..<30_000 { send(number) }
        #expect(numbers.count == 20_000)
        stage.time.advance(by: .seconds(5))
        #expect(numbers.dropFirst(20_000) == [29_999])
        #expect(stage.gateway.pipeline.ignoredDeviceMessages == 9_999)
        let lines = stage.events.filter { $0.description.contains("publishing.messages-per-minute") }
        #expect(lines.count == 1, "\(lines)")
    }
}
