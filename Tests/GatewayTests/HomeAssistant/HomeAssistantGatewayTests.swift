import FoundationEssentials
import Gateway
import Testing

struct HomeAssistantGatewayTests {
    private func discovery(_ name: String = "pi") throws -> HomeAssistantGateway {
        var configuration = GatewayConfiguration()
        configuration.name = name
        return try #require(HomeAssistantGateway(configuration))
    }

    private func status(_ adapters: GatewayStatus.Adapter...) -> GatewayStatus {
        let time = Date(timeIntervalSince1970: 0)
        var status = GatewayStatus(name: "pi", version: "1.2", uptime: .seconds(1), time: time)
        status.adapters = adapters
        return status
    }

    private func adapter(_ name: String, _ address: String?) -> GatewayStatus.Adapter {
        var adapter = GatewayStatus.Adapter(name: name)
        adapter.address = address
        return adapter
    }

    @Test func `A gateway is a device with its state, version and number of devices`() throws {
        var discovery = try discovery()
        let updated = discovery.update(status())
        let message = try #require(updated)
        #expect(message.topic == "homeassistant/device/ble-gateway-pi/config" && message.isRetained)
        #expect(
            String(decoding: message.payload, as: UTF8.self)
                == #"{"device":{"identifiers":["ble-gateway-pi"],"name":"BLE gateway pi","model":"ble-gateway","#
                + #""sw_version":"1.2"},"origin":{"name":"RxBluetooth Gateway"},"components":{"#
                + #""online":{"platform":"binary_sensor","unique_id":"ble-gateway-pi-online","#
                + #""device_class":"connectivity","state_topic":"home/pi/LWT","#
                + #""value_template":"{{ 'ON' if value == 'online' else 'OFF' }}","entity_category":"diagnostic","#
                + #""qos":1},"version":{"platform":"sensor","unique_id":"ble-gateway-pi-version","name":"Version","#
                + #""value_template":"{{ value_json.version }}","entity_category":"diagnostic","#
                + #""availability_topic":"home/pi/LWT","qos":1},"#
                + #""devices":{"platform":"sensor","unique_id":"ble-gateway-pi-devices","name":"Devices in range","#
                + #""state_class":"measurement","value_template":"{{ value_json.devices }}","#
                + #""entity_category":"diagnostic","availability_topic":"home/pi/LWT","qos":1}},"#
                + #""state_topic":"home/pi/status"}"#)
        #expect(discovery.update(status()) == nil && discovery.publication == message)
    }

    @Test func `Each adapter has a state, a rate and its recovery`() throws {
        var discovery = try discovery()
        let one = discovery.update(status(adapter("hci0", "A0:B1:C2:00:00:01"), adapter("hci1", nil)))
        let message = try ParsedJSON(try #require(one).payload)
        #expect(HomeAssistantSchema.violations(message) == [])
        let components = try #require(message["components"]?.object)
        #expect(
            components.keys.filter { $0.contains("_") }.sorted() == [
                "a0b1c2000001_last_recovery_step", "a0b1c2000001_rate", "a0b1c2000001_recovery_steps",
                "a0b1c2000001_state", "hci1_last_recovery_step", "hci1_rate", "hci1_recovery_steps", "hci1_state",
            ])
        #expect(components["a0b1c2000001_rate"]?["name"]?.string == "hci0 advertisements")
        #expect(
            components["a0b1c2000001_rate"]?["value_template"]?.string
                == "{% for a in value_json.adapters if a.address == 'A0:B1:C2:00:00:01' %}"
                + "{{ a.advertisements_per_second }}{% endfor %}")
        #expect(
            components["hci1_last_recovery_step"]?["value_template"]?.string
                == "{% for a in value_json.adapters if a.name == 'hci1' %}"
                + "{{ a.last_recovery_step | default('none', true) }}{% else %}none{% endfor %}")
    }

    @Test func `An adapter keeps its entities when it is unplugged or gets another name`() throws {
        var discovery = try discovery()
        #expect(discovery.update(status(adapter("hci0", "A0:B1:C2:00:00:01"))) != nil)
        let count = try ParsedJSON(discovery.publication.payload)["components"]?.object?.count
        #expect(discovery.update(status()) == nil)
        let renamed = discovery.update(status(adapter("hci3", "A0:B1:C2:00:00:01")))
        let components = try ParsedJSON(try #require(renamed).payload)["components"]?.object
        #expect(components?.count == count)
        #expect(components?["a0b1c2000001_state"]?["name"]?.string == "hci3 state")
    }

    @Test func `After a start, the entities of an adapter that is gone are removed once`() throws {
        var earlier = try discovery()
        _ = earlier.update(status(adapter("hci0", "A0:B1:C2:00:00:01"), adapter("hci1", "A0:B1:C2:00:00:02")))
        var discovery = try discovery()
        let retained = ReceivedMessage(topic: discovery.topic, payload: earlier.publication.payload, isRetained: true)
        let echo = ReceivedMessage(topic: discovery.topic, payload: Array("{}".utf8))
        let areOwn = (discovery.receive(retained), discovery.receive(echo))
        #expect(areOwn == (true, true))
        var status = status()
        status.uptime = .seconds(10)
        #expect(discovery.removals(status).isEmpty)
        status.adapters = [adapter("hci0", "A0:B1:C2:00:00:01")]
        _ = discovery.update(status)
        #expect(discovery.removals(status).isEmpty)
        status.uptime = .seconds(59)
        #expect(discovery.removals(status).isEmpty)
        // The status of a minute later arrives just before the minute has passed.
        status.uptime = .seconds(69.9)
        let messages = discovery.removals(status)
        try #require(messages.count == 2)
        #expect(messages[1] == discovery.publication)
        let components = try #require(try ParsedJSON(messages[0].payload)["components"]?.object)
        for name in ["state", "rate", "recovery_steps", "last_recovery_step"] {
            #expect(components["a0b1c2000002_\(name)"] == .object(["platform": .string("sensor")]))
            #expect(components["a0b1c2000001_\(name)"]?["unique_id"] != nil)
        }
        #expect(components.count == 3 + 8)
        status.uptime = .seconds(200)
        #expect(discovery.removals(status).isEmpty)
    }

    @Test(arguments: ["", "{", "[]", #"{"components":[]}"#, #"{"components":{"a/b":{"platform":"sensor"},"c":1}}"#])
    func `A retained message that is not a discovery removes nothing`(_ payload: String) throws {
        var discovery = try discovery()
        let isOwn = discovery.receive(
            ReceivedMessage(topic: discovery.topic, payload: Array(payload.utf8), isRetained: true))
        #expect(isOwn)
        var status = status(adapter("hci0", nil))
        _ = discovery.update(status)
        #expect(discovery.removals(status).isEmpty)
        status.uptime = .seconds(100)
        #expect(discovery.removals(status).isEmpty)
    }

    @Test func `Adapters without a name, or with a harmful one, have no entities`() throws {
        var discovery = try discovery()
        _ = discovery.update(status())
        let address = "A0:B1:C2:00:00:01"
        #expect(discovery.update(status(adapter(address, address), adapter("hci' or 1 %}", nil))) == nil)
        for number in 0..<100 { _ = discovery.update(status(adapter("hci\(number)", nil))) }
        #expect(try ParsedJSON(discovery.publication.payload)["components"]?.object?.count == 3 + 16 * 4)
    }

    @Test(arguments: [
        ("Living room", "ble-gateway-Living_20room"), ("a_b", "ble-gateway-a_5fb"), ("a/b", "ble-gateway-a_5fb"),
        ("Süd", "ble-gateway-S_c3_bcd"), ("\u{202E}", "ble-gateway-_5f"),
    ])
    func `The identifier has the characters that Home Assistant accepts`(_ name: String, _ identifier: String) throws {
        let message = try discovery(name).publication
        #expect(message.topic == "homeassistant/device/\(identifier)/config")
        #expect(HomeAssistantSchema.violations(try ParsedJSON(message.payload)) == [])
    }

    @Test func `Discovery can be switched off`() {
        var configuration = GatewayConfiguration()
        configuration.homeAssistant = nil
        #expect(HomeAssistantGateway(configuration) == nil)
    }
}
