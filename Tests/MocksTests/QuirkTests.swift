import DBus
import FoundationEssentials
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of the quirks that a scenario can turn on.
struct QuirkTests {
    private func stage(_ quirks: Quirk..., scanning: Bool = true) -> Stage {
        var scenario = Scenario.everyday
        scenario.quirks = Set(quirks)
        let stage = Stage(scenario)
        if scanning {
            stage.scan()
            stage.run(.milliseconds(500))
            stage.client.log.clear()
        }
        return stage
    }

    private static let service = Stage.strap + "/service000a"
    private static let measurement = service + "/char000b"

    @Test(.proves(.Q2)) func `The daemon crashes at the first Connect and restarts after 2 s`() {
        let stage = stage(.Q2)
        #expect(stage.device(Stage.strap, "Connect").hasPrefix("NoReply"))
        stage.run(.milliseconds(1_900))
        #expect(stage.seen().contains("owner none"))
        stage.run(.milliseconds(200))
        #expect(stage.seen().contains { $0.hasPrefix("owner :") })
    }

    @Test(.proves(.Q7)) func `Connect is answered after 30 s, but the link is up before`() {
        let stage = stage(.Q7)
        let answer = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        stage.run(.seconds(29))
        #expect(answer.isOpen)
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "true")
        stage.run(.seconds(2))
        #expect(answer.line == "ok")
    }

    @Test(.proves(.Q8)) func `The first write is executed but not answered`() {
        let stage = stage(.Q8, scanning: false)
        stage.connect(Stage.strap)
        let control = Self.service + "/char0010"
        let write = stage.client.call(
            control, "org.bluez.GattCharacteristic1.WriteValue", [.bytes([7]), .properties([:])], timeout: .seconds(3))
        stage.run(.seconds(4))
        #expect(write.error?.name == DBusError.Name.noReply)
        #expect(stage.characteristic(control, "ReadValue", .properties([:])) == "ok <7>")
    }

    @Test(.proves(.Q9)) func `More than 128 pending calls fail`() {
        let stage = stage(.Q9)
        stage.device(Stage.plug, "Connect")
        let answers = (0..<130).map { _ in stage.client.call(Stage.plug, "org.bluez.Device1.Disconnect", []) }
        stage.run(.seconds(3))
        #expect(answers.filter { $0.error?.name == DBusError.Name.limitsExceeded }.count == 2)
        #expect(answers.filter { $0.line == "ok" }.count == 128)
    }

    @Test(.proves(.Q15)) func `The policy rejects all calls`() {
        #expect(stage(.Q15, scanning: false).adapter("StartDiscovery").hasPrefix("AccessDenied: Rejected"))
    }

    @Test(.proves(.Q17)) func `Forged signals reach only subscriptions without a sender`() {
        let stage = stage(.Q17)
        #expect(!stage.seen().contains { $0.contains("Connected") })
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
        #expect(stage.simulation.recorder.calls.allSatisfy { $0.sender != "" })
    }

    @Test(.proves(.Q19)) func `A removed device changes once more`() {
        let stage = stage(.Q19)
        stage.adapter("RemoveDevice", .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01"))
        let seen = stage.seen()
        let removed = seen.firstIndex { $0.hasPrefix("removed") }
        #expect(removed.map { seen[$0 + 1] } == "hci0/dev_C0_FF_EE_00_00_01 {RSSI: -60}")
    }

    @Test(.proves(.Q20, .Q101)) func `Properties are missing everywhere`() {
        let stage = stage(.Q20, .Q101, scanning: false)
        stage.connect(Stage.strap)
        let all = stage.client.call("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects", [])
        stage.wait(for: all)
        #expect(all.line.contains("Alias: Heart rate strap"))
        for name in ["Name:", "Bonded:", "PowerState:", "MTU:"] { #expect(!all.line.contains(name)) }
    }

    @Test(.proves(.Q22)) func `The first write of an adapter's property fails with Busy`() {
        let stage = stage(.Q22, scanning: false)
        #expect(stage.set(Stage.hci, "Adapter1", "Powered", .bool(false)) == "Busy: ")
        #expect(stage.set(Stage.hci, "Adapter1", "Powered", .bool(false)) == "ok")
    }

    @Test(.proves(.Q26)) func `The adapters appear 5 s after the daemon`() {
        let stage = stage(.Q26, scanning: false)
        #expect(stage.objects() == [])
        stage.run(.seconds(5))
        #expect(stage.objects() == ["hci0"])
    }

    @Test(.proves(.Q27)) func `There is no hci0`() {
        #expect(stage(.Q27, scanning: false).objects() == ["hci1"])
    }

    @Test(.proves(.Q28)) func `The adapter returns under another number`() {
        let stage = stage(.Q28)
        _ = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        stage.run(.milliseconds(500))
        #expect(stage.objects() == [])
        stage.run(.seconds(1))
        #expect(stage.objects() == ["hci1", "hci1/dev_C0_FF_EE_00_00_01"])
    }

    @Test(.proves(.Q30)) func `Rfkill blocks the adapter`() {
        let stage = stage(.Q30, scanning: false)
        #expect(stage.property(Stage.hci, "Adapter1", "PowerState") == "off-blocked")
        #expect(stage.set(Stage.hci, "Adapter1", "Powered", .bool(true)) == "Blocked: Blocked through rfkill")
    }

    @Test(.proves(.Q32)) func `The adapter loses power during the first Connect`() {
        let stage = stage(.Q32)
        #expect(stage.device(Stage.strap, "Connect") == "Failed: le-connection-abort-by-local")
        #expect(stage.property(Stage.hci, "Adapter1", "Powered") == "false")
    }

    @Test(.proves(.Q33, .Q38)) func `StartDiscovery fails with InProgress, always or three times`() {
        let hung = stage(.Q33, scanning: false)
        let busy = stage(.Q38, scanning: false)
        let text = "InProgress: Operation already in progress"
        #expect((0..<5).map { _ in hung.adapter("StartDiscovery") } == Array(repeating: text, count: 5))
        #expect((0..<4).map { _ in busy.adapter("StartDiscovery") } == [text, text, text, "ok"])
    }

    @Test(.proves(.Q40)) func `StopDiscovery does not stop another client's scan`() {
        let stage = stage(.Q40)
        stage.adapter("StopDiscovery")
        stage.run(.seconds(1))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
    }

    @Test(.proves(.Q41)) func `Discovering changes twice while the scan continues`() {
        let stage = stage(.Q41)
        stage.run(.seconds(10))
        let seen = stage.seen()
        #expect(
            seen.filter { $0.contains("Discovering") } == ["hci0 {Discovering: false}", "hci0 {Discovering: true}"])
        stage.run(.seconds(1))
        #expect(!stage.seen().isEmpty)
    }

    @Test(.proves(.Q42)) func `A scan stops reporting after 20 s, and a new one reports again`() {
        let stage = stage(.Q42)
        stage.run(.seconds(20))
        stage.client.log.clear()
        stage.run(.seconds(5))
        #expect(stage.seen() == [])
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
        stage.adapter("StopDiscovery")
        stage.client.log.clear()
        stage.scan()
        stage.run(.seconds(1))
        #expect(stage.seen().contains { $0.contains("RSSI") })
    }

    @Test(.proves(.Q61, .Q74)) func `Another client removes or disconnects our device`() {
        let removing = stage(.Q61)
        removing.device(Stage.strap, "Connect")
        removing.run(.seconds(4))
        #expect(removing.seen().contains { $0.hasPrefix("removed hci0/dev_C0_FF_EE_00_00_01") })
        let disconnecting = stage(.Q74)
        disconnecting.device(Stage.strap, "Connect")
        disconnecting.run(.seconds(4))
        #expect(disconnecting.seen().contains { $0.contains("Connected: false") })
    }

    @Test(.proves(.Q62)) func `A private address changes after 15 minutes, a static one does not`() {
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Phone", address: "4A:00:00:00:00:01") {
                SimulatedAdvertisement(every: .seconds(1), rssi: -60)
            },
            SimulatedPeripheral("Tag", address: "C0:00:00:00:00:02") {
                SimulatedAdvertisement(every: .seconds(1), rssi: -60)
            },
        ])
        scenario.quirks = [.Q62]
        let stage = Stage(scenario)
        stage.scan()
        stage.run(.seconds(5))
        #expect(stage.objects().contains("hci0/dev_4A_00_00_00_00_01"))
        stage.run(.seconds(960))
        let later = stage.objects()
        #expect(later.count == 3)
        #expect(!later.contains("hci0/dev_4A_00_00_00_00_01"))
        #expect(later.contains("hci0/dev_C0_00_00_00_00_02"))
    }

    @Test(.proves(.Q65, .Q66)) func `A part of the advertisements is lost`() {
        func heard(_ quirks: Quirk...) -> Int {
            var scenario = Scenario.everyday
            scenario.quirks = Set(quirks)
            let stage = Stage(scenario)
            stage.scan()
            stage.run(.seconds(60))
            return stage.simulation.bluez.advertisementsSent
        }
        let all = heard()
        #expect((45...55).contains(heard(.Q65) * 100 / all))
        #expect((65...75).contains(heard(.Q66) * 100 / all))
    }

    @Test(.proves(.Q72)) func `ServicesResolved precedes the GATT objects`() throws {
        let stage = stage(.Q72)
        stage.device(Stage.strap, "Connect")
        stage.run(.seconds(1))
        let seen = stage.seen()
        let resolved = try #require(seen.firstIndex { $0.contains("ServicesResolved: true") })
        let added = try #require(seen.firstIndex { $0.hasPrefix("added") && $0.contains("/service") })
        #expect(resolved < added)
    }

    @Test(.proves(.Q73)) func `The services are never resolved`() {
        let stage = stage(.Q73)
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        stage.run(.seconds(120))
        #expect(stage.property(Stage.strap, "Device1", "ServicesResolved") == "false")
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "true")
    }

    @Test(.proves(.Q76, .Q77, .Q83)) func `The first attempts to connect fail with their errors`() {
        func attempts(_ quirk: Quirk) -> [String] {
            let stage = stage(quirk)
            return (0..<3).map { _ in stage.device(Stage.strap, "Connect") }
        }
        #expect(attempts(.Q76) == ["InProgress: In Progress", "InProgress: In Progress", "ok"])
        #expect(
            attempts(.Q77) == ["Failed: le-connection-abort-by-local", "Failed: le-connection-abort-by-local", "ok"])
        #expect(attempts(.Q83) == ["Failed: br-connection-page-timeout", "ok", "ok"])
    }

    @Test(.proves(.Q78)) func `Connected changes twice before the reply`() {
        let stage = stage(.Q78)
        stage.device(Stage.strap, "Connect")
        let told = stage.seen().filter { $0.contains("_01 {Connected") || $0.hasPrefix("Connect ->") }
        let device = "hci0/dev_C0_FF_EE_00_00_01"
        #expect(
            told == [
                "\(device) {Connected: true}", "\(device) {Connected: false}", "\(device) {Connected: true}",
                "Connect -> ok",
            ])
    }

    @Test(.proves(.Q81)) func `A sixth link fails`() {
        var scenario = Scenario(
            peripherals: (1...6).map { number in
                SimulatedPeripheral("P", address: "C0:00:00:00:00:0\(number)") {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
                }
            })
        scenario.quirks = [.Q81]
        let stage = Stage(scenario)
        stage.scan()
        stage.run(.seconds(1))
        let answers = (1...6).map { stage.device("/org/bluez/hci0/dev_C0_00_00_00_00_0\($0)", "Connect") }
        #expect(answers == Array(repeating: "ok", count: 5) + ["Failed: le-connection-concurrent-connection-limit"])
    }

    @Test(.proves(.Q86)) func `Newer daemons send the reason of a lost link, 5.66 does not`() {
        func told(_ version: SimulatedBlueZ.Version) -> [String] {
            let stage = Stage(bluez: version)
            stage.connect(Stage.strap)
            stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01", reason: .timeout)
            stage.run(.milliseconds(10))
            return stage.seen().filter { $0.contains("Disconnected") }
        }
        #expect(told(.v5_66) == [])
        #expect(
            told(.v5_87)
                == Array(
                    repeating:
                        #"hci0/dev_C0_FF_EE_00_00_01 Disconnected ["org.bluez.Reason.Timeout", "Connection timeout"]"#,
                    count: 2))
    }

    @Test(.proves(.Q87)) func `Links end right after they were established`() {
        let stage = stage(.Q87)
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        stage.run(.milliseconds(60))
        #expect(stage.property(Stage.strap, "Device1", "Connected") == "false")
    }

    @Test(.proves(.Q123)) func `The device is removed during the first Connect, which is not answered`() {
        let stage = stage(.Q123)
        let answer = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
        stage.run(.milliseconds(60))
        #expect(stage.seen().contains { $0.hasPrefix("removed") && $0.contains(Stage.strap.suffix(17)) })
        stage.run(.seconds(10))
        #expect(answer.isOpen)
        // The scan finds the device again, and the next attempt succeeds.
        #expect(stage.device(Stage.strap, "Connect") == "ok")
    }

    @Test(.proves(.Q89)) func `Pair fails because a bond exists`() {
        #expect(stage(.Q89).device(Stage.strap, "Pair") == "AlreadyExists: Already Exists")
    }

    @Test(.proves(.Q94, .Q112)) func `The first operations fail with their errors`() {
        func reads(_ quirk: Quirk) -> [String] {
            let stage = stage(quirk, scanning: false)
            stage.connect(Stage.strap)
            return (0..<2).map { _ in stage.characteristic(Self.measurement, "ReadValue", .properties([:])) }
        }
        #expect(reads(.Q94) == ["InProgress: In Progress", "ok <0 3d>"])
        #expect(reads(.Q112) == ["Failed: Not connected", "ok <0 3d>"])
    }

    @Test(.proves(.Q102)) func `Notifications precede the reply to StartNotify`() throws {
        let stage = stage(.Q102, scanning: false)
        stage.connect(Stage.strap)
        stage.characteristic(Self.measurement, "StartNotify")
        let seen = stage.seen()
        let value = try #require(seen.firstIndex { $0.contains("{Value:") })
        let reply = try #require(seen.firstIndex { $0.hasPrefix("StartNotify ->") })
        #expect(value < reply)
    }

    @Test func `With each quirk, two runs show the same events`() {
        func events() -> [String] {
            var scenario = Scenario.everyday
            scenario.quirks = Set(Quirk.allCases).subtracting([.Q15, .Q33, .Q27, .Q26, .Q30])
            let stage = Stage(scenario)
            for _ in 0..<4 { stage.scan() }
            stage.run(.seconds(5))
            _ = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
            stage.run(.seconds(30))
            return stage.seen()
        }
        let first = events()
        #expect(first.count > 20)
        #expect(first == events())
    }
}

/// Tests of the table of quirks in the documentation.
struct QuirkTableTests {
    @Test func `The article lists every quirk once, with all switches`() throws {
        let rows = try cells(of: "Mocks/Mocks.docc/Quirks.md")
        let known = try cells(of: "docs/quirks.md").map { $0[0] }
        #expect(rows.map { $0[0] } == known.sorted { ($0.count, $0) < ($1.count, $1) })
        #expect(rows.allSatisfy { ["switch", "always", "control", "cannot"].contains($0[1]) })
        let switches = rows.filter { $0[1] == "switch" }.map { $0[0] }
        #expect(switches == Quirk.allCases.map { "Q\($0.rawValue)" })
    }

    /// Returns the cells of the rows that begin with a number of a quirk, without spaces.
    private func cells(of page: String) throws -> [[String]] {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let data = try #require(FileManager.default.contents(atPath: "/\(folder)/\(page)"))
        return String(decoding: data, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("| Q") }
            .map { $0.split(separator: "|").map { $0.filter { $0 != " " } } }
    }
}
