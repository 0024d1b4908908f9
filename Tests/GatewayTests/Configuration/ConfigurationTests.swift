import BluetoothValues
import Gateway
import RxBluetooth
import Testing

struct ConfigurationTests {
    private func mistakes(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try GatewayConfiguration(yaml: text, hostName: "host")
            return []
        } catch {
            #expect(error.description == error.mistakes.map(\.description).joined(separator: "\n"))
            return error.mistakes.map(\.description)
        }
    }

    @Test(arguments: ["", "# nothing\n", "devices:\nbroker:\nfilter:\ntopics: ~\n", "{}"])
    func `A file without values has the defaults`(_ text: String) throws {
        var expected = GatewayConfiguration()
        expected.name = "host"
        #expect(try GatewayConfiguration(yaml: text, hostName: "host") == expected)
    }

    @Test func `The default name is the host name without its domain`() throws {
        #expect(try GatewayConfiguration(yaml: "", hostName: "pi+4.example.org").name == "pi_4")
        #expect(try GatewayConfiguration(yaml: "", hostName: "").name == "gateway")
        #expect(try GatewayConfiguration(yaml: "", hostName: "not_home").name == "gateway")
    }

    @Test(arguments: ["sharing: false", "devices: []", "topics: { base: a, availability: \"b/{gateway}/c\" }"])
    func `The availability needs a level for the gateway only if devices are shared`(_ part: String) throws {
        let device = "devices: [{ address: \"C0:00:00:00:00:01\" }]"
        let text = [part, part.hasPrefix("topics") ? device : "topics: { base: a }"].joined(separator: "\n")
        #expect(mistakes(part.hasPrefix("sharing") ? text + "\n" + device : text) == [])
    }

    @Test func `Reads each part`() throws {
        let text = """
            name: kitchen
            broker: { host: mqtt.local, port: 1884, version: 3.1.1, tls: true, user: me, keep-alive: 30 s }
            adapters: [hci0, "00:1a:7d:da:71:13"]
            filter: { allow: ["a4:c1:38"], minimum-rssi: -90, unknown: yes }
            devices:
              - address: a4:c1:38:00:00:01
                name: Kitchen
                key: 00112233445566778899aabbccddeeff
                identity-key: ec0234a357c8ad05341010a60a397d9b
                jobs:
                  - { read: Battery Level, every: 10 min, service: 180f, name: battery }
                  - notify: 2A37
            topics: { base: ble, reading: "ble/{gateway}/{name}/{mac}" }
            publishing: { changes: { temperature: 0.1, battery-level: 1 }, presence-timeout: 2 min }
            home-assistant: { prefix: ha }
            store: { path: store.sqlite, maximum-size: 1 MiB }
            recovery: { power-cycle: false }
            sharing: false
            metrics: { port: 9465 }
            """
        let configuration = try GatewayConfiguration(yaml: text, directory: "/etc/ble")
        #expect(configuration.name == "kitchen")
        #expect(configuration.broker.host == "mqtt.local" && configuration.broker.port == 1884)
        #expect(configuration.broker.version == .v311 && configuration.broker.tls == BrokerSettings.TLS())
        #expect(configuration.broker.user == "me" && configuration.broker.keepAlive == .seconds(30))
        #expect(configuration.adapters == ["hci0", "00:1A:7D:DA:71:13"])
        #expect(configuration.filter.allowed == ["A4:C1:38"] && configuration.filter.minimumRSSI == -90)
        #expect(configuration.filter.includesUnknown)
        let device = try #require(configuration.devices.first)
        #expect(device.address == "A4:C1:38:00:00:01" && device.name == "Kitchen")
        #expect(device.key == DeviceKey("00112233445566778899aabbccddeeff"))
        #expect(device.identityKey == DeviceKey("ec0234a357c8ad05341010a60a397d9b"))
        var read = GATTJob(.read(every: .seconds(600)), of: 0x2A19, in: 0x180F)
        read.name = "battery"
        #expect(device.jobs == [read, GATTJob(.notify, of: 0x2A37)])
        #expect(configuration.topics.reading == "ble/{gateway}/{name}/{mac}")
        #expect(configuration.topics.presence == "ble/presence/{mac}")
        #expect(configuration.publishing.changes == ["temperature": 0.1, "batteryLevel": 1])
        #expect(configuration.homeAssistant?.statusTopic == "ha/status")
        #expect(configuration.store.path == "/etc/ble/store.sqlite" && configuration.store.maximumBytes == 1 << 20)
        #expect(!configuration.recovery.allowsPowerCycle && !configuration.sharing.isEnabled)
        #expect(configuration.metricsPort == 9465)
    }

    @Test func `A quantity has a minimum interval of its own, between those of all quantities`() throws {
        let text = """
            publishing:
              minimum-interval: 10 s
              minimum-intervals: { batteryLevel: 5 min, temperature: 1 min }
            """
        let intervals = try GatewayConfiguration(yaml: text).publishing.minimumIntervals
        #expect(intervals == ["batteryLevel": .seconds(300), "temperature": .seconds(60)])
        let wrong = """
            publishing:
              minimum-interval: 10 s
              minimum-intervals:
                temperature: 9 s
                humidity: 6 min
                voltage: 20
                colour: 20 s
                battery-level: 20 s
                batteryLevel: 30 s
            """
        #expect(
            mistakes(wrong) == [
                "line 4: publishing.minimum-intervals.temperature is shorter than minimum-interval, so it has no "
                    + "effect; make it at least 10 s",
                "line 5: publishing.minimum-intervals.humidity is longer than maximum-interval, so it has no "
                    + "effect; make it at most 5 min",
                "line 6: invalid value “20” of publishing.minimum-intervals.voltage; "
                    + "write a time from 0 s to 1 d, such as 5 s, 10 min or 1 d",
                "line 7: unknown quantity “colour” in publishing.minimum-intervals; "
                    + "use a quantity such as temperature, humidity or battery-level",
                "line 9: batteryLevel is in publishing.minimum-intervals twice; remove one of them",
            ])
    }

    @Test(arguments: [
        "topics: { reading: \"home/{gateway}/{name}/{mac}\" }", "topics: { base: ble }",
        "topics: { command: \"home/{gateway}/{mac}/set\" }", "topics: { command: \"set/{gateway}/{name}/{address}\" }",
        "{ name: x, topics: { command: \"home/x/in/{mac}\", presence: \"home/x/out/{mac}\" } }",
    ])
    func `A topic of commands that differs from all others is valid`(text: String) {
        #expect(mistakes(text) == [])
    }

    @Test func `Reports all mistakes in one pass`() {
        let text = """
            broker:
              hots: localhost
              port: 0
              keep-alive: 15
            devices:
              - address: A4:C1:38:00:00
              - address: A4:C1:38:00:00:01
              - address: a4:c1:38:00:00:01
                jobs: [{ read: 2A19 }]
            topics: { reading: "home/+/{mca}", status: "s/{mac}" }
            publishing: { changes: { temprature: 0.1 } }
            metrics: 9465
            """
        #expect(
            mistakes(text).map { $0.split(separator: ";")[0] } == [
                "line 2: unknown key “hots” in broker", "line 3: invalid value “0” of broker.port",
                "line 4: invalid value “15” of broker.keep-alive",
                "line 6: invalid value “A4:C1:38:00:00” of devices[1].address",
                "line 8: A4:C1:38:00:00:01 is also described in line 7",
                "line 9: devices[3].jobs[1] has no key every",
                "line 10: topics.reading has an unknown placeholder",
                "line 10: topics.status has a placeholder of a device, but is a topic of the gateway",
                "line 11: unknown quantity “temprature” in publishing.changes",
                "line 12: invalid value “9465” of metrics",
            ])
    }

    @Test(arguments: [
        ("brocker: {}", "line 1: unknown key “brocker”; did you mean “broker”? use one of name, broker"),
        ("broker: 5", "line 1: broker has no keys; write one of host"),
        ("broker: { host: [a] }", "line 1: broker.host is not a single value; write text"),
        ("broker: { host: \"mqtt://me:hunter2@h\" }", "line 1: broker.host is a URL; write the host only"),
        ("broker: { password: hunter2 }", "line 1: unknown key “password” in broker; did you mean “password-file”?"),
        ("broker: { version: 4 }", "line 1: invalid value “4” of broker.version; write one of 5, 3.1.1"),
        (
            "broker: { initial-delay: 2 min }",
            "line 1: initial-delay is longer than maximum-delay; make it at most 1 min"
        ),
        ("broker: { tls: { authorities: none.pem } }", "line 1: there is no file ./none.pem; check the path"),
        ("adapters: [hci0, hci0]", "line 1: hci0 is in the list twice; remove one"),
        ("adapters: [eth0]", "line 1: invalid value “eth0” of adapters[1]; write a name such as hci0"),
        (
            "topics: { command: \"home/{gateway}/{name}/{mac}\" }",
            "line 1: topics.command also matches topics.reading, so the gateway would receive its own messages"
        ),
        (
            "topics: { command: \"home/{gateway}/{mac}\" }",
            "line 1: topics.command also matches topics.availability, so the gateway"
        ),
        (
            "topics: { command: \"home/ble-gateways/devices/{mac}/owner\" }",
            "line 1: topics.command also matches sharing.topic, so the gateway"
        ),
        (
            "topics: { command: \"home/x/commands/{mac}\", result: \"home/x/{name}/{mac}\" }",
            "line 1: topics.command also matches topics.result, so the gateway"
        ),
        (
            "topics: { command: \"c/x{name}/{mac}\" }",
            "line 1: a placeholder of the device is only a part of a level of topics.command; write {mac}, {address}"
        ),
        ("filter: { allow: [A4], deny: [a4] }", "line 1: A4 is allowed and denied; remove it"),
        ("filter: { allow: [A4:C] }", "line 1: invalid value “A4:C” of filter.allow[1]; write an address"),
        ("filter: { unknown: maybe }", "line 1: invalid value “maybe” of filter.unknown; write true or false"),
        ("devices: [{ name: x }]", "line 1: devices[1] has no address; add the key address"),
        ("devices: [{ address: \"00:00:00:00:00:01\", key: 00ff }]", "line 1: devices[1].key is not a key; write 32"),
        (
            "devices: [{ address: \"00:00:00:00:00:01\", jobs: [{ notify: 2A37, every: 5 s }] }]",
            "line 1: devices[1].jobs[1].every has no effect on notifications; remove it"
        ),
        (
            "devices: [{ address: \"00:00:00:00:00:01\", jobs: [{ notify: 2A37 }, { notify: 2a37 }] }]",
            "line 1: devices[1].jobs[2] repeats an earlier job; remove one"
        ),
        (
            "filter: { deny: [C0] }\ndevices: [{ address: \"C0:00:00:00:00:01\" }]",
            "line 2: C0:00:00:00:00:01 is described, but denied by C0; remove one"
        ),
        (
            "devices: [{ address: \"00:00:00:00:00:01\", identity-key: 001122334455667788990011 }]",
            "line 1: devices[1].identity-key is not a key; write 32 hexadecimal digits"
        ),
        ("topics: { base: \"a/#\" }", "line 1: topics.base has a wildcard; remove + and #"),
        ("topics: { reading: \"$SYS/{mac}\" }", "line 1: topics.reading begins with $; remove it"),
        ("topics: { reading: \"a/b\" }", "line 1: topics.reading is the same for all devices; add {mac}"),
        ("topics: { reading: \"a/}{mac}\" }", "line 1: topics.reading has a } without {; use {gateway}"),
        ("topics: { command: \"a/x{mac}\" }", "line 1: the device is only a part of a level of topics.command; write"),
        ("topics: { reading: \"a/{mac}\", presence: \"a/{mac}\" }", "line 1: reading and presence have the same topic"),
        ("publishing: { minimum-interval: 1 h }", "line 1: minimum-interval is longer than maximum-interval; make"),
        ("store: { maximum-size: lots }", "line 1: invalid value “lots” of store.maximum-size; write a size"),
        ("recovery: { minimum-silence: 2 min }", "line 1: minimum-silence is longer than maximum-silence; make it"),
        ("home-assistant: { prefix: \"a/{mac}\" }", "line 1: home-assistant.prefix has a placeholder; write a topic"),
        (
            "home-assistant: { expire-after: 5 min }",
            "line 1: home-assistant.expire-after is not longer than publishing.maximum-interval; make it longer"
        ),
        ("name: a/b", "line 1: invalid value “a/b” of name; write at most 64 bytes"),
        ("name: a+b", "line 1: invalid value “a+b” of name; write at most 64 bytes"),
        ("name: a#", "line 1: invalid value “a#” of name; write at most 64 bytes"),
        ("name: \"\"", "line 1: name has no value; write text, or remove the key"),
        ("name: $SYS", "line 1: invalid value “$SYS” of name; write at most 64 bytes"),
        ("name: \"{mac}\"", "line 1: invalid value “{mac}” of name; write at most 64 bytes"),
        ("name: not_home", "line 1: invalid value “not_home” of name; write another name"),
        (
            "topics: { base: \"a-{gateway}\" }\ndevices: [{ address: \"C0:00:00:00:00:01\" }]",
            "line 1: topics.availability has no level {gateway}, by which gateways see each other; write {gateway} between"
        ),
        ("metrics: true", "line 1: metrics has no port; write metrics: { port: 9465 }"),
        ("metrics: {}", "line 1: metrics has no port; write metrics: { port: 9465 }"),
        ("metrics: 9465", "line 1: invalid value “9465” of metrics; write metrics: { port: 9465 }, or false"),
        ("name: [", "line 2: did not find expected node content; write valid YAML"),
        ("name: a\nname: b", "line 2: duplicate key: name; write each key once"),
        ("name: x\nbroker:\n  port: 1\n  port: 2", "line 4: duplicate key: port; write each key once"),
        ("- a", "line 1: the document has no keys; write one of name, broker"),
        ("text", "line 1: the document has no keys; write one of name, broker"),
        ("broker: { host: \"a:1883\" }", "line 1: broker.host has a port; write the host only, and use the key port"),
        ("broker: { host: \"[::1]:1883\" }", "line 1: broker.host has brackets; write the address without them"),
        (
            "devices:\n  - { address: \"C0:00:00:00:00:01\", identity-key: ec0234a357c8ad05341010a60a397d9b }\n"
                + "  - { address: \"C0:00:00:00:00:02\", identity-key: EC0234A357C8AD05341010A60A397D9B }",
            "line 3: devices[2] has the identity-key of the device in line 2; each device has a key of its own"
        ),
        (
            "topics: { reading: \"homeassistant/device/ble-{mac}/config\" }",
            "line 1: topics.reading is a topic from which Home Assistant reads discovery; choose a topic that"
        ),
        (
            "home-assistant: { prefix: ha }\ntopics:\n  presence: \"ha/sensor/{mac}/config\"",
            "line 3: topics.presence is a topic from which Home Assistant reads discovery; choose a topic that"
        ),
        (
            "topics: { base: homeassistant }",
            "line 1: topics.status is also home-assistant.status-topic; change one of them"
        ),
        (
            "{ name: x, home-assistant: { status-topic: home/x/LWT } }",
            "line 1: topics.availability is also home-assistant.status-topic; change one of them"
        ),
    ])
    func `Names the line, the problem and what to do`(_ text: String, _ expected: String) {
        let mistakes = mistakes(text)
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.hasPrefix(expected) == true, "\(mistakes)")
        #expect(!mistakes.joined().contains("hunter2"))
    }

    @Test(arguments: [
        "::1", "fe80::1%eth0", "2001:db8::5", "::ffff:192.0.2.1", "192.0.2.1", "mqtt.local", "localhost.",
    ])
    func `A host is a name or an address`(_ host: String) {
        #expect(mistakes("broker: { host: \"\(host)\" }") == [])
    }

    @Test(arguments: ["a:b:x", "::1:x", "1:2", "::1%", "mqtt.local:"])
    func `Other text with a colon is not a host`(_ host: String) {
        #expect(mistakes("broker: { host: \"\(host)\" }").count == 1)
    }

    @Test(arguments: [("A/B", "A+B"), ("A", "A"), ("A_B", "A#B")])
    func `Devices whose names make the same topic are reported`(_ names: (String, String)) {
        let devices = """
            devices:
              - { address: "C0:00:00:00:00:01", name: "\(names.0)" }
              - { address: "C0:00:00:00:00:02", name: "\(names.1)" }
              - { address: "C0:00:00:00:00:03" }
            """
        #expect(
            mistakes("topics: { reading: \"home/{gateway}/{name}\" }\n" + devices) == [
                "line 4: devices[2] has the same name in topics as the device in line 3, and topics.reading contains "
                    + "neither {mac} nor {address}; change a name or the topic"
            ])
        #expect(mistakes("topics: { reading: \"home/{gateway}/{name}/{mac}\" }\n" + devices) == [])
        #expect(mistakes("topics: { result: \"results/{gateway}/{name}\" }\n" + devices).count == 1)
        #expect(mistakes(devices) == [])
    }

    @Test func `A topic below the prefix of Home Assistant that is not for discovery is valid`() {
        #expect(mistakes("topics: { base: \"homeassistant/{gateway}\" }") == [])
        #expect(
            mistakes("{ home-assistant: false, topics: { reading: \"homeassistant/device/ble-{mac}/config\" } }") == [])
    }

    @Test func `Files of hostile shapes are refused without a crash`() {
        let anchors = (1...20).map { "a\($0): &a\($0) [\($0 == 1 ? "x" : "*a\($0 - 1), *a\($0 - 1)")]" }
        #expect(mistakes(anchors.joined(separator: "\n")).map { $0.contains("alias") } == [true])
        #expect(!mistakes(String(repeating: "[", count: 5_000)).isEmpty)
        #expect(!mistakes("- 1\n- 2").isEmpty)
        #expect(!mistakes("devices: [[], 5, {}, ~]").isEmpty)
    }
}
