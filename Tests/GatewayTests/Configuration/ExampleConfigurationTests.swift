import FoundationEssentials
import Gateway
import RxBluetooth
import Testing

struct ExampleConfigurationTests {
    private var lines: [Substring] {
        GatewayConfiguration.example.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The example with all settings switched on, except for the ones that contradict another.
    private var complete: String {
        var result: [String] = []
        for line in lines {
            let indent = line.prefix { $0 == " " }
            let rest = line.dropFirst(indent.count)
            let isExample = rest.hasPrefix("#") && !(rest.hasPrefix("# ") && !rest.hasPrefix("#  "))
            guard isExample, !rest.hasPrefix("#user:") else {
                result.append(String(line))
                continue
            }
            let text = indent + rest.dropFirst()
            let key = text.prefix { $0 != ":" } + ":"
            if text.hasPrefix(" ") == false || rest.dropFirst().first != " " {
                result.removeAll { $0.hasPrefix(key) }
            }
            result.append(String(text))
        }
        return result.joined(separator: "\n")
    }

    @Test func `The values of the example are the defaults`() throws {
        var expected = GatewayConfiguration()
        expected.name = "host"
        #expect(try GatewayConfiguration(yaml: GatewayConfiguration.example, hostName: "host") == expected)
    }

    @Test func `All settings of the example are valid`() throws {
        let folder = try SecretFiles()
        for file in ["user.txt", "password.txt"] { try folder.write(file, "text\n", mode: 0o600) }
        try folder.write("gateway.key", "-----BEGIN PRIVATE KEY-----\n", mode: 0o600)
        for file in ["ca.pem", "gateway.pem"] { try folder.write(file, "-----BEGIN CERTIFICATE-----\n", mode: 0o644) }
        try folder.write("bedroom.key", "00112233445566778899aabbccddeeff\n", mode: 0o600)
        let configuration = try GatewayConfiguration(yaml: complete, directory: folder.path)
        #expect(configuration.name == "kitchen" && configuration.broker.password == Secret("text"))
        #expect(configuration.devices.count == 3)
        #expect(configuration.devices.allSatisfy { $0.key != nil || $0.identityKey != nil })
        #expect(configuration.broker.tls?.key == folder.path + "/gateway.key")
        #expect(configuration.metricsPort == 9465 && configuration.filter.minimumRSSI == -90)
    }

    @Test(arguments: [
        "", "broker", "broker.tls", "filter", "topics", "publishing", "home-assistant", "store", "recovery",
        "connections", "other-devices",
        "sharing", "metrics", "devices", "devices.jobs",
    ])
    func `The example has each key`(_ place: String) throws {
        let unknown = "{ zzzzzzzz: 1 }"
        let text =
            switch place {
            case "": unknown
            case "broker.tls": "broker: { tls: \(unknown) }"
            case "devices": "devices: [\(unknown)]"
            case "devices.jobs": "devices: [{ jobs: [\(unknown)] }]"
            default: "\(place): \(unknown)"
            }
        let error = #expect(throws: ConfigurationError.self) { try GatewayConfiguration(yaml: text) }
        let mistake = try #require(error?.mistakes.first { $0.problem.contains("zzzzzzzz") })
        let keys = mistake.advice.dropFirst("use one of ".count).split(separator: ", ")
        #expect(!keys.isEmpty)
        for key in keys {
            let isThere = complete.contains("\(key):") || GatewayConfiguration.example.contains("#\(key):")
            #expect(isThere, "\(key)")
        }
    }

    @Test func `A key changes each setting`() throws {
        let folder = try SecretFiles()
        try folder.write("secret", "text", mode: 0o600)
        try folder.write("client.key", "-----BEGIN PRIVATE KEY-----\n", mode: 0o600)
        try folder.write("ca.pem", "-----BEGIN CERTIFICATE-----\n", mode: 0o600)
        try folder.write("identity", "ec0234a357c8ad05341010a60a397d9b", mode: 0o600)
        let text = """
            name: other
            broker: { host: h, port: 1, version: 3.1.1, user: u, password-file: secret, client-identifier: c,
              tls: { authorities: ca.pem, certificate: ca.pem, key: client.key }, session-expiry: 1 s, keep-alive: 9 s,
              messages-in-flight: 9, initial-delay: 2 s, maximum-delay: 9 s }
            adapters: [hci9]
            filter: { allow: [C0], deny: [C1], minimum-rssi: -9, unknown: true }
            devices: [{ address: "C0:00:00:00:00:01", name: n, key: 00112233445566778899aabbccddeeff,
              identity-key-file: identity,
              jobs: [{ notify: 2A37, service: 180D, name: n }] }]
            other-devices: { maximum: 9, messages-per-minute: 99 }
            topics: { base: b, reading: "1{mac}", presence: "2{mac}", connection: "3{mac}", command: "4/{mac}",
              result: "5{mac}", availability: "6/{gateway}", status: "7" }
            publishing: { minimum-interval: 9 s, maximum-interval: 99 s, changes: { temperature: 9 }, rssi-change: 9,
              presence-timeout: 9 s, messages-per-minute: 99, minimum-intervals: { temperature: 9 s } }
            home-assistant: { prefix: p, status-topic: s, expire-after: 999 s, discovery: none, discovery-limit: 9,
              discovery-expiry: 99 s }
            store: { path: p, maximum-size: 1 MiB, batch-interval: 9 s }
            recovery: { minimum-silence: 9 s, maximum-silence: 99 s, power-cycle: false, other-adapter: true }
            connections: { maximum: 9, minimum-stay: 9 s, heard-timeout: 9 s }
            commands: { maximum-age: 9 s }
            sharing: { topic: t, hysteresis: 9 }
            metrics: { port: 9 }
            """
        var configuration = try GatewayConfiguration(yaml: text, directory: folder.path)
        configuration.sharing.isEnabled = try GatewayConfiguration(yaml: "sharing: false").sharing.isEnabled
        let none = try GatewayConfiguration(yaml: "other-devices: false")
        configuration.otherDevices.arePublished = none.otherDevices.arePublished
        // A dry run sets it.
        configuration.connections.closesForeignLinks = configuration.dryRun.connections.closesForeignLinks
        let (changed, initial) = (configuration, GatewayConfiguration())
        func compare(_ one: Any, _ other: Any) {
            for (new, old) in zip(Mirror(reflecting: one).children, Mirror(reflecting: other).children) {
                #expect("\(new.value)" != "\(old.value)", "\(new.label ?? "")")
            }
        }
        compare(changed, initial)
        compare(changed.broker, initial.broker)
        compare(try #require(changed.broker.tls), BrokerSettings.TLS())
        compare(changed.filter, initial.filter)
        compare(try #require(changed.devices.first), DeviceSettings(address: "00:00:00:00:00:00"))
        compare(changed.otherDevices, initial.otherDevices)
        compare(changed.topics, initial.topics)
        compare(changed.publishing, initial.publishing)
        compare(try #require(changed.homeAssistant), HomeAssistantSettings())
        compare(changed.store, initial.store)
        compare(changed.recovery, initial.recovery)
        compare(changed.connections, initial.connections)
        compare(changed.commands, initial.commands)
        compare(changed.sharing, initial.sharing)
    }

    @Test func `Damaged files are refused without a crash and without secrets`() {
        let bytes = Array(complete.utf8)
        var state: UInt64 = 42
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let key = "00112233445566778899aabbccddee"
        var refused = 0
        for _ in 0..<300 {
            var damaged = bytes
            for _ in 0...random(4) {
                let position = random(damaged.count)
                switch random(4) {
                case 0: damaged.remove(at: position)
                case 1: damaged.insert(UInt8(random(128)), at: position)
                case 2: damaged[position] = Array(":#-[]{}\"' \n&*%".utf8)[random(14)]
                default: damaged.removeSubrange(position..<min(damaged.count, position + random(200)))
                }
            }
            do throws(ConfigurationError) {
                _ = try GatewayConfiguration(yaml: String(decoding: damaged, as: UTF8.self), hostName: "host")
            } catch {
                refused += 1
                #expect(!error.mistakes.isEmpty && !error.description.contains(key))
                #expect(error.mistakes.allSatisfy { !$0.description.contains("\n") && ($0.line ?? 1) <= bytes.count })
            }
        }
        #expect(refused > 200)
    }

    @Test func `docs has the same example`() throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let data = try #require(FileManager.default.contents(atPath: "/\(root)/docs/gateway.yaml"))
        #expect(String(decoding: data, as: UTF8.self) == GatewayConfiguration.example)
    }
}
