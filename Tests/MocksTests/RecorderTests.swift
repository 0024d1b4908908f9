import Rx
import DBus
import RxBluetoothMocks
import Testing

/// Tests of the recorder of calls.
struct RecorderTests {
    @Test func `A recorded call has its sender, arguments, time and reply`() throws {
        let stage = Stage()
        stage.run(.seconds(2))
        stage.scan(["Transport": .string("le")])
        let calls = stage.simulation.recorder.calls
        #expect(calls.map(\.member) == ["SetDiscoveryFilter", "StartDiscovery"])
        let filter = try #require(calls.first)
        #expect(filter.withArguments == #"/org/bluez/hci0 Adapter1.SetDiscoveryFilter({"Transport": "le"})"#)
        #expect(filter.time == .milliseconds(2_010))
        #expect(filter.answer == .values([]))
        let start = try #require(calls.last)
        #expect(start.answered.map { $0 - start.time } == .milliseconds(10))
        #expect(stage.simulation.recorder.unanswered.isEmpty)
    }

    @Test func `Queries select by method, interface, path and property`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.set(Stage.hci, "Adapter1", "Alias", .string("a"))
        let recorder = stage.simulation.recorder
        #expect(recorder.count("StartDiscovery") == 1)
        #expect(recorder.count("Adapter1.StartDiscovery") == 1)
        #expect(recorder.count("org.bluez.Adapter1.StartDiscovery") == 1)
        #expect(recorder.count("Device1.StartDiscovery") == 0)
        #expect(recorder.count("bluez.Adapter1.StartDiscovery") == 0)
        #expect(recorder.count("Device1.*") == 1)
        #expect(recorder.count(CallPattern("Connect", at: "/org/bluez/*_01")) == 1)
        #expect(recorder.count(CallPattern("Connect", at: "/org/bluez/*_02")) == 0)
        #expect(recorder.count(CallPattern("Properties.Set", property: "Alias")) == 1)
        #expect(recorder.count(CallPattern("Properties.Set", property: "Powered")) == 0)
    }

    @Test func `A query finds a Disconnect after a failed Connect`() {
        var scenario = Scenario.everyday
        scenario.faults = [Fault("Connect", calls: .only(1), .error("org.bluez.Error.Failed", "le-connection-refused"))]
        let stage = Stage(scenario)
        let recorder = stage.simulation.recorder
        stage.scan()
        stage.run(.milliseconds(500))
        stage.device(Stage.strap, "Disconnect")
        stage.device(Stage.strap, "Connect")
        stage.device(Stage.thermometer, "Disconnect")
        #expect(recorder.failures.map(\.member) == ["Connect"])
        #expect(recorder.calls("Disconnect", afterFailed: "Connect").isEmpty)
        stage.device(Stage.strap, "Disconnect")
        #expect(recorder.calls("Disconnect", afterFailed: "Connect").map(\.path) == [Stage.strap])
    }

    @Test func `In strict mode, an unexpected call fails the test with its name and arguments`() {
        let stage = Stage()
        let complaints = Guarded<[String]>([])
        let recorder = stage.simulation.recorder
        recorder.expectOnly(["StartDiscovery", "StopDiscovery"]) { text in complaints.withLock { $0.append(text) } }
        #expect(stage.adapter("StartDiscovery") == "ok")
        #expect(complaints.withLock { $0 } == [])
        #expect(stage.adapter("SetDiscoveryFilter", .properties(["RSSI": .int16(-80)])).hasPrefix("NotSupported: "))
        let name = recorder.calls("SetDiscoveryFilter").first?.sender ?? ""
        #expect(
            complaints.withLock { $0 } == [
                "Unscripted call of \(name): /org/bluez/hci0 Adapter1.SetDiscoveryFilter({\"RSSI\": -80})"
            ])
        recorder.expectAnything()
        #expect(stage.adapter("SetDiscoveryFilter", .properties([:])) == "ok")
    }

    @Test func `An unexpected call is recorded as one issue with all arguments`() {
        let stage = Stage()
        stage.simulation.recorder.expectOnly(["GetManagedObjects"]) { Issue.record(Comment(rawValue: $0)) }
        let text =
            #"/org/bluez/hci0 Properties.Set("org.bluez.Adapter1", "Alias", "a")"#
        withKnownIssue {
            stage.set(Stage.hci, "Adapter1", "Alias", .string("a"))
        } matching: { issue in
            issue.comments.contains { $0.rawValue.hasPrefix("Unscripted call of :") && $0.rawValue.hasSuffix(text) }
        }
        // The strict mode allows all calls of competing clients.
        stage.simulation.bluez.competingClient().startDiscovery()
        stage.run(.seconds(1))
    }

    @Test func `Cleared calls do not return with their replies`() {
        let stage = Stage()
        let answer = stage.client.call(Stage.hci, "org.bluez.Adapter1.StartDiscovery", [])
        stage.run(.milliseconds(1))
        stage.simulation.recorder.clear()
        stage.wait(for: answer)
        #expect(stage.simulation.recorder.calls.isEmpty)
        stage.adapter("StopDiscovery")
        #expect(stage.simulation.recorder.calls.map(\.answer) == [.values([])])
    }
}
