import BluetoothValues
import RxBluetooth
import Testing

@testable import Gateway

/// Advertised names must not lead into topics of other devices, or of the gateway.
@Suite struct ReservedNameTests {
    private static let freezer: BluetoothAddress = "A4:C1:38:00:00:01"
    private static let unnamed: BluetoothAddress = "A4:C1:38:00:00:02"
    private static let stranger: BluetoothAddress = "D0:00:00:00:00:01"

    private func stage(
        _ template: String = "home/{gateway}/{kind}/{name}", configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) -> GatewayStage {
        let stage = GatewayStage(.strap()) {
            var freezer = DeviceSettings(address: Self.freezer)
            freezer.name = "Freezer"
            $0.devices = [freezer, DeviceSettings(address: Self.unnamed)]
            let topic = { (kind: String) in template.replacing("{kind}", with: kind) }
            $0.topics.reading = topic("readings")
            $0.topics.presence = topic("presence")
            $0.topics.connection = topic("connection")
            $0.topics.result = topic("results")
            configure(&$0)
        }
        stage.run(for: .seconds(2))
        return stage
    }

    private func send(_ stage: GatewayStage, _ address: BluetoothAddress, _ name: String?, _ value: UInt8 = 1) {
        for part in 0..<2 {
            _ = stage.gateway.pipeline.receive(
                [.service(0xFCD2, [0x40, 0x02, value, UInt8(part)])], from: address, of: address, name: name, rssi: -60,
                time: stage.time.scheduler.now)
            stage.time.advance(by: .milliseconds(1_500))
        }
    }

    /// The devices with messages on topics that begin with a text.
    private func senders(_ stage: GatewayStage, _ prefix: String) throws -> Set<String> {
        Set(try stage.messages(prefix).compactMap { try ParsedJSON($0.payload)["id"]?.string })
    }

    @Test(arguments: [
        "Freezer", "freezer", "FREEZER ", "Free zer", "Freezer\u{200B}", "Fre\u{A0}ezer", "Freezer/", "Free+zer",
        "_Freezer",
    ])
    func `A device with the name of a configured one is published with its address`(name: String) throws {
        let stage = stage()
        send(stage, Self.stranger, name)
        send(stage, Self.freezer, nil)
        for kind in ["readings", "presence"] {
            let level = TopicText.level(name)
            #expect(try senders(stage, "home/attic/\(kind)/Freezer") == [Self.freezer.description])
            let topic = "home/attic/\(kind)/\(level)"
            #expect(level == "Freezer" || !stage.messages.deliveries.contains { $0.topic == topic })
            #expect(try senders(stage, "home/attic/\(kind)/D00000000001") == [Self.stranger.description])
        }
        let discovery = try stage.retained("homeassistant/device/ble-d00000000001/config")
        #expect(discovery?["device"]?["name"]?.string != name)
        #expect(stage.events.count { $0.description.contains("its address is used instead") } == 1)
        #expect(stage.gateway.status().drops["names_refused"] == 1)
    }

    @Test func `A configured device takes the name that it advertises from another device`() throws {
        let stage = stage()
        send(stage, Self.stranger, "Cellar")
        #expect(try senders(stage, "home/attic/readings/Cellar") == [Self.stranger.description])
        send(stage, Self.unnamed, "Cellar")
        stage.messages.deliveries = []
        send(stage, Self.stranger, "Cellar", 2)
        send(stage, Self.unnamed, "Cellar", 2)
        #expect(try senders(stage, "home/attic/readings/Cellar") == [Self.unnamed.description])
        #expect(try senders(stage, "home/attic/readings/D00000000001") == [Self.stranger.description])
    }

    @Test func `A configured device cannot take the name of another one`() throws {
        let stage = stage()
        send(stage, Self.unnamed, "Freezer")
        #expect(try senders(stage, "home/attic/readings/Freezer").isEmpty)
        #expect(try senders(stage, "home/attic/readings/A4C138000002") == [Self.unnamed.description])
    }

    @Test func `Names that a device changes all the time reserve nothing for ever`() throws {
        let stage = stage()
        for number in 0..<50 { send(stage, Self.unnamed, "Name \(number)") }
        send(stage, Self.stranger, "Name 7")
        #expect(try senders(stage, "home/attic/readings/Name 7").contains(Self.stranger.description))
    }

    @Test(arguments: ["A4C138000002", "a4c138000002", "D00000000099"])
    func `An address is no name of another device`(name: String) throws {
        let stage = stage()
        send(stage, Self.stranger, name)
        let messages = stage.messages("home/attic/").filter { $0.text.contains(#""id":"D0:00:00:00:00:01""#) }
        #expect(messages.count > 1 && messages.allSatisfy { $0.topic.hasSuffix("/D00000000001") })
    }

    @Test(arguments: ["LWT", "lwt", "status", "Status", "presence-Freezer", "connection-A4C138000002"])
    func `A name is no word of another topic of the gateway`(name: String) throws {
        let stage = stage {
            $0.topics.reading = "home/{gateway}/{name}"
            $0.topics.presence = "home/{gateway}/presence-{name}"
            $0.topics.connection = "home/{gateway}/connection-{name}"
        }
        send(stage, Self.stranger, name)
        let topic = "home/attic/\(name)"
        #expect(stage.messages(topic).allSatisfy { !$0.text.contains("D0:00:00:00:00:01") })
        #expect(try senders(stage, "home/attic/D00000000001") == [Self.stranger.description])
    }

    @Test func `A name does not lead into topics of Home Assistant or of other gateways`() throws {
        let stage = stage("{name}/{kind}") { $0.sharing.base = "gateways" }
        for name in ["homeassistant", "HomeAssistant", "gateways"] {
            send(stage, Self.stranger, name)
            #expect(!stage.messages.deliveries.contains { $0.topic == "\(name)/readings" })
        }
    }

    @Test func `Devices that are not configured may have one name`() throws {
        let stage = stage()
        send(stage, Self.stranger, "Thermometer")
        send(stage, "D0:00:00:00:00:02", "Thermometer")
        #expect(try senders(stage, "home/attic/readings/Thermometer").count == 2)
    }

    @Test func `Without names in topics, each device keeps its name`() throws {
        let stage = stage("home/{gateway}/{kind}/{mac}")
        send(stage, Self.stranger, "Freezer")
        let message = try #require(stage.messages("home/attic/readings/D00000000001").first)
        #expect(try ParsedJSON(message.payload)["name"]?.string == "Freezer")
    }
}
