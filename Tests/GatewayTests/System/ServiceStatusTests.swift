import FoundationEssentials
import RxBluetoothMocks
import Testing

@testable import Gateway

@Suite struct ServiceStatusTests {
    @Test func `The first devices are shown within 3 s, and equal texts are sent once`() {
        let stage = GatewayStage(.strap())
        var sent: [(time: Duration, text: String)] = []
        let notifier = WatchdogNotifier(loop: stage.time.loop, period: nil) {
            sent.append((stage.time.loop.monotonicTime, $0.joined(separator: "\n")))
        }
        let status = ServiceStatus(of: stage.gateway, notifier: notifier, loop: stage.time.loop)
        stage.gateway.start()
        status.start()
        #expect(sent.map(\.text) == ["READY=1\nSTATUS=started"])
        stage.time.advance(by: .seconds(200))
        let first = sent.first { $0.text.hasPrefix("STATUS=1 device, ") }
        #expect(first.map { $0.time <= .seconds(3) } == true, "\(sent)")
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $0.text != $1.text }, "\(sent)")
        #expect(sent.last?.text.contains(" advertisements a second, ") == true, "\(sent)")
        withExtendedLifetime(status) {}
    }

    @Test func `An obstacle and the number of devices are in the line`() {
        var status = GatewayStatus(name: "attic", version: "1", uptime: .zero, time: Date(timeIntervalSince1970: 0))
        #expect(status.summary == "0 devices, 0 advertisements a second, 0 messages wait")
        status.obstacle = "no-bus"
        status.devices = 1
        status.store.count = 12
        #expect(status.summary == "cannot receive (no-bus); 1 device, 0 advertisements a second, 12 messages wait")
    }
}
