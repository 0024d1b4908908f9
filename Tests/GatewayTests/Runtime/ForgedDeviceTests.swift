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
        #expect(messages.count >= 600 && messages.count <= 600 + 10 * 20 + 2, "\(messages.count)")
        #expect(messages.last?["tempc"] == .number(20))
        #expect(stage.gateway.status().drops["device_messages_ignored"] ?? 0 > 19_000)
        #expect(!stage.gateway.metrics().contains("{reason=\"device_messages_ignored\"} 0\n"))
        let lines = stage.events.filter { $0.description.contains("publishing.messages-per-minute") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.level == .warning }, "\(lines)")
    }

    @Test func `A device that notifies too often has only its newest values`() {
        let stage = GatewayStage(.strap()) {
            $0.devices = [DeviceSettings(.strap, [])]
            $0.publishing.messagesPerMinute = 60
        }
        stage.run(for: .seconds(2))
        let job = GATTJob(.notify, of: "2A37")
        for number in 0..<1_000 {
            let value = GATTValue(job, [0, UInt8(number & 0xFF)])
            stage.gateway.pipeline.publish(
                GATTEvent(address: .strap, time: stage.time.scheduler.now, content: .value(value)))
        }
        stage.time.advance(by: .seconds(5))
        let values = stage.messages("home/attic/connection/C0FFEE000001").map(\.text).filter { $0.contains("\"hex\"") }
        #expect(values.count == 61)
        #expect(values.last?.lowercased().contains("00e7") == true)
    }
}
