import BluetoothValues
import RxBluetooth
import Testing

@testable import Gateway

struct HomeAssistantDiscoveryTests {
    private let device = MessageDevice(address: "A4:C1:38:00:00:01", name: "Kitchen")

    private func discovery(
        _ name: String = "pi", capacity: Int = 100, change: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws -> HomeAssistantDiscovery {
        var configuration = GatewayConfiguration()
        configuration.name = name
        change(&configuration)
        return try #require(HomeAssistantDiscovery(configuration, capacity: capacity))
    }

    private func thermometer(_ extra: [SensorMeasurement] = []) -> SensorReading {
        var reading = SensorReading(format: .bthome, model: "LYWSD03MMC")
        reading.measurements = [SensorMeasurement(.temperature, 21.5, .celsius)] + extra
        return reading
    }

    private func json(_ publication: Publication?) throws -> ParsedJSON {
        let publication = try #require(publication)
        #expect(publication.isRetained && publication.qualityOfService == 1)
        return try ParsedJSON(publication.payload)
    }

    @Test func `A device has one message with all its entities`() throws {
        var discovery = try discovery()
        let added = discovery.add(device, thermometer())
        let publication = try #require(added)
        #expect(publication.topic == "homeassistant/device/ble-a4c138000001/config" && publication.isRetained)
        #expect(
            String(decoding: publication.payload, as: UTF8.self)
                == #"{"device":{"identifiers":["ble-a4c138000001"],"connections":[["bluetooth","A4:C1:38:00:00:01"]],"#
                + #""name":"Kitchen","model":"LYWSD03MMC"},"origin":{"name":"RxBluetooth Gateway"},"components":{"#
                + #""tempc":{"platform":"sensor","unique_id":"ble-a4c138000001-tempc","device_class":"temperature","#
                + #""state_class":"measurement","unit_of_measurement":"°C","#
                + #""value_template":"{{ value_json.tempc | is_defined }}","expire_after":3600,"qos":1},"#
                + #""in_range":{"platform":"binary_sensor","unique_id":"ble-a4c138000001-in_range","name":"In range","#
                + #""device_class":"connectivity","state_topic":"home/+/presence/A4C138000001","#
                + #""value_template":"{{ 'ON' if value_json.state == 'found' else 'OFF' }}","#
                + #""entity_category":"diagnostic","qos":1},"#
                + #""rssi":{"platform":"sensor","unique_id":"ble-a4c138000001-rssi","name":"Signal strength","#
                + #""device_class":"signal_strength","state_class":"measurement","unit_of_measurement":"dBm","#
                + #""state_topic":"home/+/presence/A4C138000001","value_template":"{{ value_json.rssi | is_defined }}","#
                + #""entity_category":"diagnostic","enabled_by_default":false,"expire_after":3600,"#
                + #""qos":1}},"#
                + #""state_topic":"home/+/BTtoMQTT/A4C138000001","availability":[{"topic":"home/pi/LWT"}],"#
                + #""availability_mode":"any"}"#)
    }

    @Test func `Only new and changed devices have a message`() throws {
        var discovery = try discovery()
        #expect(discovery.add(device, thermometer()) != nil)
        #expect(discovery.add(device, thermometer()) == nil)
        let humid = thermometer([SensorMeasurement(.humidity, 40, .percent)])
        let components = try json(discovery.add(device, humid))["components"]?.object ?? [:]
        #expect(components.keys.sorted() == ["hum", "in_range", "rssi", "tempc"])
        #expect(discovery.add(device, thermometer()) == nil)
        var renamed = device
        renamed.name = nil
        #expect(discovery.add(renamed, thermometer()) == nil)
        renamed.name = "Bath"
        let message = try json(discovery.add(renamed, thermometer()))
        #expect(message["device"]?["name"]?.string == "Bath")
    }

    @Test func `All messages are made again after a start of Home Assistant`() throws {
        var discovery = try discovery()
        let other = MessageDevice(address: "A4:C1:38:00:00:02")
        let first = discovery.add(device, thermometer())
        let second = discovery.add(other)
        #expect(discovery.all == [first, second].compactMap { $0 } && discovery.all.count == 2)
        let topic = discovery.statusTopic
        #expect(discovery.isStart(ReceivedMessage(topic: topic, payload: Array("online".utf8))))
        #expect(!discovery.isStart(ReceivedMessage(topic: topic, payload: Array("offline".utf8))))
        #expect(!discovery.isStart(ReceivedMessage(topic: "homeassistant/other", payload: Array("online".utf8))))
    }

    @Test func `Devices that may share a topic take only their own messages`() throws {
        var discovery = try discovery {
            $0.topics.reading = "home/{gateway}/readings/{name}"
            $0.topics.presence = "home/{gateway}/presence/{name}"
            $0.topics.connection = "home/{gateway}/connection/{name}"
        }
        var reading = thermometer()
        reading.states = [SensorState(.opening, true)]
        reading.events = [.button(index: 1, .press)]
        _ = discovery.add(device, reading)
        let message = try json(discovery.message(of: device.address))
        #expect(HomeAssistantSchema.violations(message) == [])
        let templates = (message["components"]?.object ?? [:]).compactMapValues { $0["value_template"]?.string }
        let begin = "{% if value_json.id == 'A4:C1:38:00:00:01' %}"
        // An undefined value keeps the old state. An empty text would become the state of a sensor without a unit.
        let end = "{% else %}{{ ('' if false) | is_defined }}{% endif %}"
        #expect(templates["tempc"] == begin + "{{ value_json.tempc | is_defined }}" + end)
        #expect(templates["rssi"] == begin + "{{ value_json.rssi | is_defined }}" + end)
        #expect(
            templates["in_range"] == begin + "{{ 'ON' if value_json.state == 'found' else 'OFF' }}{% endif %}")
        #expect(templates["open"]?.hasPrefix(begin) == true && templates["button"]?.hasPrefix(begin) == true)
    }

    @Test func `A topic with the address needs no filter`() throws {
        var discovery = try discovery {
            $0.topics.reading = "home/{gateway}/readings/{name}/{mac}"
            $0.topics.presence = "home/{gateway}/presence/{name}"
        }
        _ = discovery.add(device, thermometer())
        let components = try json(discovery.message(of: device.address))["components"]
        #expect(components?["tempc"]?["value_template"]?.string == "{{ value_json.tempc | is_defined }}")
        #expect(components?["rssi"]?["value_template"]?.string?.contains("value_json.id == ") == true)
    }

    @Test func `Several gateways make the same messages`() throws {
        var (one, two) = (try discovery("one"), try discovery("two"))
        _ = one.add(device, thermometer())
        _ = two.add(device, thermometer())
        #expect(one.addGateway("two", hearing: nil) == [device.address])
        #expect(two.addGateway("one", hearing: nil) == [device.address])
        #expect(one.message(of: device.address) == two.message(of: device.address))
        let message = try json(one.message(of: device.address))
        #expect(
            message["availability"]?.array?.compactMap { $0["topic"]?.string } == ["home/one/LWT", "home/two/LWT"])
        #expect(message["availability_mode"]?.string == "any")
        let range = message["components"]?["in_range"]
        #expect(range?["off_delay"] == .number(360) && range?["value_template"]?.string?.contains("OFF") == false)
        #expect(one.addGateway("two", hearing: nil).isEmpty && one.addGateway("one", hearing: nil).isEmpty)
        #expect(HomeAssistantSchema.violations(message) == [])
    }

    @Test func `A device of the configuration lists the gateways that report it, and has a room`() throws {
        var discovery = try discovery("zz") { $0.devices = [DeviceSettings(address: device.address)] }
        _ = discovery.add(device, thermometer())
        for number in 0..<150 { #expect(discovery.addGateway("gw\(number)", hearing: nil).isEmpty) }
        #expect(discovery.addGateway("hall", hearing: device.address) == [device.address])
        #expect(discovery.addGateway("hall", hearing: device.address).isEmpty)
        #expect(discovery.addGateway("hall", hearing: "A4:C1:38:00:00:09").isEmpty)
        let message = try json(discovery.message(of: device.address))
        #expect(message["availability"]?.array?.compactMap { $0["topic"]?.string } == ["home/hall/LWT", "home/zz/LWT"])
        let room = message["components"]?["room"]
        #expect(room?["state_topic"]?.string == "home/ble-gateways/devices/A4C138000001/room")
        #expect(room?["name"]?.string == "Nearest gateway" && room?["platform"]?.string == "sensor")
        #expect(room?["value_template"]?.string == "{{ value or 'not_home' }}")
        #expect(HomeAssistantSchema.violations(message) == [])
    }

    @Test func `A device lists at most 100 gateways, and always the own one`() throws {
        var discovery = try discovery("zz")
        _ = discovery.add(device, thermometer())
        for number in 0..<150 { _ = discovery.addGateway("gw\(number)", hearing: nil) }
        let message = try json(discovery.message(of: device.address))
        let topics = message["availability"]?.array?.compactMap { $0["topic"]?.string } ?? []
        #expect(topics.count == 100 && topics.last == "home/zz/LWT")
        #expect(message["components"]?["room"] == nil)
    }

    @Test func `A removed device has an empty message`() throws {
        var discovery = try discovery()
        _ = discovery.add(device, thermometer())
        let removed = discovery.remove(device.address)
        let publication = try #require(removed)
        #expect(publication.payload.isEmpty && publication.isRetained)
        #expect(publication.topic == "homeassistant/device/ble-a4c138000001/config")
        #expect(discovery.remove(device.address) == nil && discovery.all.isEmpty)
    }

    @Test func `States are binary sensors, and buttons are events`() throws {
        var discovery = try discovery()
        var reading = SensorReading(format: .bthome)
        reading.states = [SensorState(.opening, true), SensorState(.safety, true), SensorState(.unlocked, true)]
        reading.events = [.button(index: 1, .press), .dimmer(index: 1, steps: 2), .motion]
        let message = try json(discovery.add(device, reading))
        #expect(HomeAssistantSchema.violations(message) == [])
        let components = try #require(message["components"])
        #expect(components["open"]?["device_class"]?.string == "opening")
        #expect(components["unlocked"]?["device_class"]?.string == "lock")
        #expect(
            components["safety"]?["value_template"]?.string?.contains("'OFF' if value_json.safety else 'ON'") == true)
        #expect(
            components["button"]?["event_types"]?.array?.compactMap(\.string) == [
                "double_press", "hold", "long_double_press", "long_press", "long_triple_press", "press", "release",
                "triple_press",
            ])
        #expect(
            components["dimmer"]?["value_template"]?.string
                == "{% if value_json.dimmer is defined %}{\"event_type\":{{ value_json.dimmer | to_json }},"
                + "\"dimmer_steps\":{{ value_json.dimmer_steps | default(0) }}}{% endif %}")
        var other = reading
        other.events = [.other("shake", code: 1)]
        let types = try json(discovery.add(device, other))["components"]?["event"]?["event_types"]
        #expect(types?.array?.compactMap(\.string) == ["motion", "shake"])
    }

    @Test func `Every quantity, unit and state makes a valid message`() throws {
        for quantity in Quantity.allCases {
            let units = MeasurementUnit.allCases
            for start in stride(from: 0, to: units.count, by: 25) {
                var discovery = try discovery()
                var reading = SensorReading(format: .bthome)
                reading.measurements = units[start...].prefix(25).enumerated().map { index, unit in
                    SensorMeasurement(quantity, 1, unit, index: index)
                }
                let message = try json(discovery.add(device, reading))
                #expect(HomeAssistantSchema.violations(message) == [], "\(quantity)")
            }
        }
        var discovery = try discovery()
        var reading = SensorReading(format: .bthome)
        reading.states = (SensorState.Kind.allCases + SensorState.Kind.allCases).map { SensorState($0, true) }
        reading.states = Array(reading.states.prefix(60))
        let message = try json(discovery.add(device, reading))
        #expect(HomeAssistantSchema.violations(message) == [])
    }

    @Test func `The most common quantities have a device class`() throws {
        var discovery = try discovery()
        let common: [(Quantity, MeasurementUnit, String)] = [
            (.temperature, .celsius, "temperature"), (.humidity, .percent, "humidity"),
            (.batteryLevel, .percent, "battery"),
            (.pressure, .pascal, "pressure"), (.illuminance, .lux, "illuminance"), (.voltage, .volt, "voltage"),
            (.carbonDioxide, .partsPerMillion, "carbon_dioxide"), (.mass, .pound, "weight"),
            (.particles2_5, .microgramPerCubicMetre, "pm25"),
            (.conductivity, .microsiemensPerCentimetre, "conductivity"),
        ]
        var reading = SensorReading(format: .bthome)
        reading.measurements = common.map { SensorMeasurement($0.0, 1, $0.1) }
        let components = try json(discovery.add(device, reading))["components"]?.object ?? [:]
        let classes = Set(components.values.compactMap { $0["device_class"]?.string })
        #expect(classes.isSuperset(of: common.map(\.2)))
        #expect(components["batt"]?["entity_category"]?.string == "diagnostic")
    }

    @Test func `Phones, and readings without values, are not discovered`() throws {
        var discovery = try discovery()
        #expect(discovery.add(device, SensorReading(format: .findMy)) == nil)
        var beacon = SensorReading(format: .iBeacon)
        beacon.identifiers = [SensorIdentifier(.major, "1")]
        #expect(discovery.add(device, beacon) == nil && discovery.all.isEmpty)
    }

    @Test func `The number of devices and entities is bounded`() throws {
        var discovery = try discovery(capacity: 3)
        for number in 1...10 {
            _ = discovery.add(MessageDevice(address: BluetoothAddress(UInt64(number))), thermometer())
        }
        #expect(discovery.all.map { $0.topic.suffix(11) } == ["0008/config", "0009/config", "000a/config"])
        var reading = SensorReading(format: .bthome)
        reading.measurements = (0..<500).map { SensorMeasurement(.count, 1, .none, index: $0) }
        let components = try json(discovery.add(device, reading))["components"]?.object
        #expect(components?.count == 66)
    }

    @Test func `A device that changes its name with each packet does not flood the broker`() throws {
        var discovery = try discovery()
        var messages = 0
        for number in 0..<1_000 {
            let renamed = MessageDevice(address: device.address, name: "\(number)")
            messages += discovery.add(renamed, thermometer()) == nil ? 0 : 1
        }
        #expect(messages == 200 && discovery.all.count == 1)
    }

    @Test func `Discovery can be switched off`() {
        var configuration = GatewayConfiguration()
        configuration.homeAssistant = nil
        #expect(HomeAssistantDiscovery(configuration) == nil)
    }
}
