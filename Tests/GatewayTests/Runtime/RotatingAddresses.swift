import BluetoothValues
import FoundationEssentials
import RxBluetooth

@testable import Gateway

/// A sender of BTHome with many addresses, beside ten sensors of the configuration with a new value each second.
final class RotatingAddresses {
    let stage: GatewayStage
    let addresses: Int
    let perSecond: Int
    /// The number of further readings of each sensor.
    private(set) var seconds = 0
    private var sent = 0
    /// When each reading of a sensor was received by the gateway, and by the subscriber.
    private(set) var received: [Reading: Duration] = [:]
    private(set) var delivered: [Reading: Duration] = [:]
    /// The readings of other devices, and the messages about their presence.
    private(set) var otherReadings = 0
    private(set) var otherPresence = 0
    private(set) var largestStore = 0
    private(set) var largestCount = 0

    struct Reading: Hashable {
        var sensor: Int
        var second: Int
    }

    static let sensors = 10
    static func sensor(_ number: Int) -> BluetoothAddress { BluetoothAddress(0xA4C1_3800_0000 + UInt64(number)) }

    init(
        addresses: Int, perSecond: Int, maximumBytes: Int = 100 << 20,
        _ others: OtherDeviceSettings = OtherDeviceSettings()
    ) {
        self.addresses = addresses
        self.perSecond = perSecond
        let store = SimulatedStore(identity: "s", maximumBytes: maximumBytes)
        stage = GatewayStage(.strap(), store: store) {
            $0.otherDevices = others
            $0.devices = (0..<Self.sensors).map { DeviceSettings(address: Self.sensor($0)) }
        }
        stage.messages.observer = { [unowned self] in record($0) }
        stage.gateway.start()
        stage.time.advance(by: .seconds(2))
    }

    /// Sends for some seconds.
    func run(seconds count: Int) {
        for _ in 0..<count {
            for part in 0..<100 {
                if part % 10 == 0 { sendSensor(part / 10) }
                for _ in 0..<(perSecond / 100) { sendOther() }
                stage.time.advance(by: .milliseconds(10))
            }
            largestStore = max(largestStore, stage.store.summary.bytes)
            largestCount = max(largestCount, stage.gateway.pipeline.deviceCount)
            seconds += 1
        }
    }

    /// The latency of the delivered readings that were received in a range of times, at the 99th percentile.
    func latency(since start: Duration = .zero) -> Duration {
        let latencies = received.filter { $0.value >= start }.map { (delivered[$0.key] ?? .seconds(1_000)) - $0.value }
        return latencies.sorted()[latencies.count * 99 / 100]
    }

    var lost: Int { received.keys.count { delivered[$0] == nil } }

    private func sendSensor(_ number: Int) {
        received[Reading(sensor: number, second: seconds)] = stage.time.loop.monotonicTime
        send(Self.sensor(number), value: seconds)
    }

    private func sendOther() {
        send(BluetoothAddress(0xD000_0000_0000 + UInt64(sent % addresses)), value: sent / addresses)
        sent += 1
    }

    /// Sends a temperature in hundredths of a degree.
    private func send(_ address: BluetoothAddress, value: Int) {
        let bytes: [UInt8] = [0x40, 0x02, UInt8(value & 0xFF), UInt8(value >> 8 & 0x7F)]
        _ = stage.gateway.pipeline.receive(
            [.service(0xFCD2, bytes)], from: address, of: address, name: nil, rssi: -60,
            time: stage.time.scheduler.now)
    }

    private func record(_ message: SimulatedSubscriber.Delivery) {
        let prefix = "home/attic/BTtoMQTT/A4C1380000"
        guard message.topic.hasPrefix(prefix), let sensor = Int(message.topic.suffix(2), radix: 16) else {
            if message.topic.hasPrefix("home/attic/BTtoMQTT/D0000000") { otherReadings += 1 }
            if message.topic.hasPrefix("home/attic/presence/D0000000") { otherPresence += 1 }
            return
        }
        guard case .number(let value)? = (try? ParsedJSON(message.payload))?["tempc"] else { return }
        let reading = Reading(sensor: sensor, second: Int((value * 100).rounded()))
        if delivered[reading] == nil { delivered[reading] = message.time }
    }
}
