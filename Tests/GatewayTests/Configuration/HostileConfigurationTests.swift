import Gateway
import RxBluetooth
import Testing

/// Tests of configurations that are much work for their size.
@Suite(.timeLimit(.minutes(5)))
struct HostileConfigurationTests {
    private func mistakes(_ text: String) -> [String] {
        do throws(ConfigurationError) { _ = try GatewayConfiguration(yaml: text) } catch {
            return error.mistakes.map(\.description)
        }
        return []
    }

    /// The text of many devices with jobs that aliases repeat.
    private func aliases(devices: Int) -> String {
        let jobs = Array(repeating: "*j", count: 2_000).joined(separator: ",")
        var text = "devices:\n- { address: \"C0:00:00:00:00:00\", jobs: &l [&j {read: 2A19, every: 1 h}, \(jobs)] }\n"
        for _ in 0..<devices { text += "- {jobs: *l}\n" }
        return text
    }

    @Test func `Jobs that aliases repeat for each device are one mistake with its line`() {
        let found = mistakes(aliases(devices: 20_000))
        #expect(found.count == 1)
        #expect(found.first?.contains("aliases repeat more than 100000 nodes; write a text with fewer aliases") == true)
        #expect(found.first?.hasPrefix("line ") == true)
    }

    @Test func `Jobs are read up to their limit, and the first one above it is the last mistake`() throws {
        let device = { (number: Int, jobs: Int) -> String in
            let lines = (0..<jobs).map { "  - { notify: \(String(0x1000 + $0, radix: 16)) }\n" }
            return "- address: \"C0:00:00:00:00:0\(number)\"\n  jobs:\n" + lines.joined()
        }
        let most = "devices:\n" + device(0, 4_000) + device(1, 6_000)
        #expect(try GatewayConfiguration(yaml: most).devices.map(\.jobs.count) == [4_000, 6_000])
        let more = most + device(2, 2) + "- address: nonsense\n"
        #expect(mistakes(more) == ["line 10008: the devices have more than 10000 jobs; remove jobs or devices"])
    }

    @Test func `Aliases for many devices take linear time`() throws {
        let ratio = try WorkRatio.ofFourTimes(20_000, input: aliases) { text in #expect(mistakes(text).count == 1) }
        #expect(ratio < WorkRatio.linear, "\(ratio)")
    }

    /// The text of a number of denied prefixes and of devices. The last device is denied.
    private func denied(_ count: Int) -> String {
        let hex = { (number: Int) in String(0x10000 + number, radix: 16).suffix(4) }
        let address = { (number: Int) in "\(hex(number).prefix(2)):\(hex(number).suffix(2))" }
        var text = "filter:\n  deny:\n"
        for number in 0..<count { text += "  - \"\(address(number))\"\n" }
        text += "devices:\n"
        for number in 0..<count { text += "- address: \"\(address(number + 30_000)):00:00:00:00\"\n" }
        return text + "- address: \"00:05:00:00:00:00\"\n"
    }

    @Test func `Many devices and many denied prefixes take linear time`() throws {
        #expect(
            mistakes(denied(20_000))
                == ["line 40004: 00:05:00:00:00:00 is described, but denied by 00:05; remove one of them"])
        let ratio = try WorkRatio.ofFourTimes(6_000, input: denied) { text in #expect(mistakes(text).count == 1) }
        #expect(ratio < WorkRatio.linear, "\(ratio)")
    }

    private func address(_ number: Int) -> String {
        let hex = String(0x1000000 + number, radix: 16, uppercase: true).suffix(6)
        return "A4:C1:38:\(hex.prefix(2)):\(hex.dropFirst(2).prefix(2)):\(hex.suffix(2))"
    }

    /// The text of 3n allowed addresses and 2n devices, of which n are also allowed.
    private func allowed(_ count: Int) -> String {
        var text = "filter:\n  allow:\n"
        for number in 0..<3 * count { text += "  - \"\(address(number))\"\n" }
        text += "devices:\n"
        for number in 2 * count..<4 * count { text += "- address: \"\(address(number))\"\n" }
        return text
    }

    @Test func `Many allowed addresses beside many devices are read, checked and matched`() throws {
        let text = allowed(10_000)
        let configuration = try GatewayConfiguration(yaml: text)
        #expect(configuration.filter.allowed.count == 30_000 && configuration.devices.count == 20_000)
        #expect(configuration.warnings.isEmpty)
        let matcher = DeviceMatcher(configuration)
        let matching = (0..<50_000).count { BluetoothAddress(address($0)).map { matcher.matches($0) } == true }
        #expect(matching == 40_000)
        #expect(
            mistakes(text + "- address: \"\(address(20_000))\"\n")
                == ["line 50004: \(address(20_000)) is also described in line 30004; merge both entries"])
    }

    @Test func `Many allowed addresses beside many devices take linear time`() throws {
        let ratio = try WorkRatio.ofFourTimes(4_000, input: { (text: allowed($0), count: $0) }) { input in
            let configuration = try GatewayConfiguration(yaml: input.text)
            #expect(configuration.warnings.isEmpty)
            let matcher = DeviceMatcher(configuration)
            let matching = (0..<5 * input.count).count {
                BluetoothAddress(address($0)).map { matcher.matches($0) } == true
            }
            #expect(matching == 4 * input.count)
        }
        #expect(ratio < WorkRatio.linear, "\(ratio)")
    }
}
