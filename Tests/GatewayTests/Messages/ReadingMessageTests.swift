import BluetoothValues
import FoundationEssentials
import RxBluetooth
import Testing

@testable import Gateway

struct ReadingMessageTests {
    private let time = Date(timeIntervalSince1970: 1_773_500_966.535)
    private let device = MessageDevice(address: "A4:C1:38:00:00:01", name: "Kitchen")

    private func text(_ reading: SensorReading, name: String? = "Kitchen", rssi: Int? = -61) -> String {
        let device = MessageDevice(address: "A4:C1:38:00:00:01", name: name)
        let message = ReadingMessage(device: device, rssi: rssi, reading: reading, time: time)
        return String(decoding: message.payload, as: UTF8.self)
    }

    @Test func `A thermometer has the names of Theengs`() {
        var reading = SensorReading(format: .ruuvi, model: "RuuviTag")
        reading.measurements = [
            SensorMeasurement(.temperature, 21.53, .celsius), SensorMeasurement(.humidity, 40, .percent),
            SensorMeasurement(.pressure, 101_325, .pascal), SensorMeasurement(.accelerationX, 1, .standardGravity),
            SensorMeasurement(.voltage, 2.977, .volt), SensorMeasurement(.movementCount, 7, .none),
        ]
        reading.packetCounter = 205
        #expect(
            text(reading) == #"{"id":"A4:C1:38:00:00:01","name":"Kitchen","rssi":-61,"model":"RuuviTag","#
                + #""format":"ruuvi","tempc":21.53,"tempf":70.754,"hum":40,"pres":1013.25,"accx":9.8067,"#
                + #""volt":2.977,"mov":7,"packet":205,"time":"2026-03-14T15:09:26.535Z"}"#)
    }

    @Test func `Second values, states, events and identifiers have names of their own`() {
        var reading = SensorReading(format: .bthome)
        reading.measurements = [
            SensorMeasurement(.temperature, 68, .fahrenheit), SensorMeasurement(.temperature, 300, .kelvin, index: 1),
            SensorMeasurement(.humidity, .nan, .percent),
        ]
        reading.states = [SensorState(.opening, true), SensorState(.power, false), SensorState(.opening, false)]
        reading.events = [
            .button(index: 1, .doublePress), .button(index: 2, .hold), .dimmer(index: 1, steps: -3), .motion,
            .other("doorBell", code: 9),
        ]
        reading.identifiers = [SensorIdentifier(.major, "12"), SensorIdentifier(.major, "13")]
        reading.texts = ["one", "two"]
        #expect(
            text(reading, name: nil, rssi: nil) == #"{"id":"A4:C1:38:00:00:01","model":"bthome","format":"bthome","#
                + #""tempc":20,"tempf":68,"tempc2":26.85,"tempf2":80.33,"open":true,"power_on":false,"open2":false,"#
                + #""button":"double_press","button2":"hold","dimmer":"rotate_left","dimmer_steps":3,"event":"motion","#
                + #""event_code":9,"major":"12","text":"one two","time":"2026-03-14T15:09:26.535Z"}"#)
    }

    @Test func `Names and texts of devices stay within their strings`() throws {
        var reading = SensorReading(format: .eddystone)
        reading.texts = ["\"},\u{0}{\u{1B}[2J\u{202E}"]
        let text = text(reading, name: "a\"\\\n\u{2028}\u{7F}")
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 || $0.value == 0x202E })
        let members = try ParsedJSON(text).object
        #expect(members?["name"]?.string == "a\"\\\n\u{2028}\u{7F}")
        #expect(members?["text"]?.string == reading.texts[0])
    }

    @Test func `All quantities, states and events have different names`() {
        let quantities = Quantity.allCases.map { MeasuredProperty.key($0) }
        let states = SensorState.Kind.allCases.map { StateProperty.key($0) }
        let others =
            SensorIdentifier.Kind.allCases.map(\.rawValue) + [
                "id", "name", "rssi", "model", "format", "button", "dimmer", "dimmer_steps", "event", "event_code",
                "text",
                "packet", "time", "mid", "in_range",
            ]
        let names = quantities + states + others
        var counts: [String: Int] = [:]
        for name in names { counts[name, default: 0] += 1 }
        #expect(counts.filter { $0.value > 1 } == [:])
        #expect(names.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") } })
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_827_696.789, "2000-02-29T12:34:56.789Z"),
        (4_107_542_399.9996, "2100-03-01T00:00:00.000Z"), (-5, "1970-01-01T00:00:00.000Z"),
        (1e18, "9999-12-31T23:59:59.999Z"), (1_703_980_800, "2023-12-31T00:00:00.000Z"),
    ])
    func `Times are in UTC with milliseconds`(_ seconds: Double, _ text: String) {
        #expect(MessageTime.text(Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test func `Times agree with the system's format`() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for day in stride(from: 0, to: 60_000, by: 37) {
            let time = Date(timeIntervalSince1970: Double(day) * 86_400 + Double(day % 86_400) + 0.25)
            #expect(MessageTime.text(time) == time.formatted(style))
        }
    }

    @Test func `Presence is found or lost, with the smoothed signal strength`() {
        let message = PresenceMessage(device: device, isPresent: false, rssi: -61.237, lastSeen: time - 60, time: time)
        #expect(
            String(decoding: message.payload, as: UTF8.self)
                == #"{"id":"A4:C1:38:00:00:01","name":"Kitchen","state":"lost","rssi":-61.2,"#
                + #""last_seen":"2026-03-14T15:08:26.535Z","time":"2026-03-14T15:09:26.535Z"}"#)
        let topics = GatewayTopics(TopicSettings(), gateway: "pi")
        let publication = message.publication(topics)
        #expect(publication.topic == "home/pi/presence/A4C138000001" && publication.qualityOfService == 1)
        #expect(!publication.isRetained)
    }

    @Test func `The status lists adapters, store and broker`() {
        var status = GatewayStatus(name: "pi", version: "1.0", uptime: .milliseconds(61_900), time: time)
        var adapter = GatewayStatus.Adapter(name: "hci0")
        adapter.advertisementsPerSecond = 12.3456
        adapter.lastHeard = time
        adapter.recoverySteps = ["restart-scan": 2, "power-cycle": 1]
        adapter.lastRecoveryStep = "power-cycle"
        adapter.lastRecovery = time
        status.adapters = [adapter, GatewayStatus.Adapter(name: "hci1")]
        status.missingAdapters = ["hci7"]
        status.bluezVersion = "5.82"
        status.store.count = 3
        status.brokerConnections = 1
        #expect(
            String(decoding: status.payload, as: UTF8.self)
                == #"{"gateway":"pi","version":"1.0","uptime":61,"devices":0,"suppressed":0,"#
                + #""drops":{},"broker":{"connections":1},"#
                + #""store":{"count":3,"bytes":0,"dropped":0,"failure":null},"#
                + #""bluez_version":"5.82","obstacle":null,"missing_adapters":["hci7"],"adapters":[{"name":"hci0","address":null,"#
                + #""state":"receiving","advertisements_per_second":12.35,"last_heard":"2026-03-14T15:09:26.535Z","#
                + #""recovery_steps":{"power-cycle":1,"restart-scan":2},"last_recovery_step":"power-cycle","#
                + #""last_recovery":"2026-03-14T15:09:26.535Z"},{"name":"hci1","address":null,"#
                + #""state":"receiving","advertisements_per_second":0,"last_heard":null,"recovery_steps":{},"#
                + #""last_recovery_step":null,"last_recovery":null}],"#
                + #""instance":null,"duplicate":null,"#
                + #""time":"2026-03-14T15:09:26.535Z"}"#)
        let publication = status.publication(GatewayTopics(TopicSettings(), gateway: "pi"))
        #expect(publication.topic == "home/pi/status" && publication.isRetained)
    }
}
