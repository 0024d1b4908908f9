import RxBluetooth
import Testing

@testable import Gateway

struct GatewayTopicsTests {
    private let device = MessageDevice(address: "A4:C1:38:00:00:01", name: "Living room")

    @Test func `Fills in the placeholders`() {
        var settings = TopicSettings()
        settings.reading = "x/{gateway}/{address}/{mac}/{name}"
        let topics = GatewayTopics(settings, gateway: "pi")
        #expect(topics.reading(of: device) == "x/pi/A4:C1:38:00:00:01/A4C138000001/Living room")
        #expect(topics.presence(of: device) == "home/pi/presence/A4C138000001")
        #expect(topics.connection(of: device) == "home/pi/connection/A4C138000001")
        #expect(topics.result(of: device) == "home/pi/results/A4C138000001")
        #expect(topics.availability == "home/pi/LWT" && topics.status == "home/pi/status")
        #expect(topics.availability(ofGateway: "a/b") == "home/a_b/LWT")
        #expect(topics.readingOfAllGateways(of: device) == "x/+/A4:C1:38:00:00:01/A4C138000001/Living room")
    }

    @Test func `A gateway within a level has no filter for all gateways`() {
        let topics = GatewayTopics(TopicSettings(base: "home-{gateway}"), gateway: "pi")
        #expect(topics.readingOfAllGateways(of: device) == "home-pi/BTtoMQTT/A4C138000001")
    }

    @Test(arguments: [
        "", "/", "a/b", "+", "#", "home/+/#", "$SYS", "a\u{0}b", "\u{1B}[2J", "\u{202E}abc", "{mac}", "{gateway}",
        "\u{FFFE}", String(repeating: "é", count: 500), "👩‍👩‍👧‍👦",
    ])
    func `A name of a device is one level without wildcards`(_ name: String) {
        var settings = TopicSettings()
        settings.reading = "x/{name}/{mac}"
        let topics = GatewayTopics(settings, gateway: name)
        let topic = topics.reading(of: MessageDevice(address: "A4:C1:38:00:00:01", name: name))
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        #expect(levels.count == 3 && levels[2] == "A4C138000001" && !levels[1].isEmpty)
        #expect(levels[1].utf8.count <= 64 && !levels[1].hasPrefix("$"))
        #expect(!topic.unicodeScalars.contains { "+#{}".unicodeScalars.contains($0) || $0.value < 0x20 })
        #expect(topics.availability.split(separator: "/").count == 3)
    }

    @Test func `Finds the device of a command`() {
        let topics = GatewayTopics(TopicSettings(), gateway: "pi")
        #expect(topics.commandFilter == "home/pi/commands/+")
        #expect(topics.device(ofCommand: topics.command(of: device)) == device.address)
        #expect(topics.device(ofCommand: "home/pi/commands/a4c138000001") == device.address)
        for topic in [
            "home/other/commands/A4C138000001", "home/pi/commands", "home/pi/commands/A4C13800000",
            "home/pi/commands/+4C138000001", "home/pi/commands/A4C138000001/x", "", "home/pi/commands/",
            "home/pi/commands/{mac}",
        ] {
            #expect(topics.device(ofCommand: topic) == nil, "\(topic)")
        }
    }

    @Test func `Finds the device in a template with address and name`() {
        var settings = TopicSettings()
        settings.command = "{name}/{address}/x"
        let topics = GatewayTopics(settings, gateway: "pi")
        #expect(topics.commandFilter == "+/+/x")
        #expect(topics.device(ofCommand: "any/A4:C1:38:00:00:01/x") == device.address)
        #expect(topics.device(ofCommand: "any/A4C138000001/x") == nil)
    }
}
