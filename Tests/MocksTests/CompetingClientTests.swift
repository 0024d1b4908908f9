import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of a competing client, which interferes with the client under test.
struct CompetingClientTests {
    private let strap = "C0:FF:EE:00:00:01"

    @Test(.proves(.Q40)) func `Another client's scan keeps Discovering true`() {
        let stage = Stage()
        let client = stage.simulation.bluez.competingClient()
        client.startDiscovery()
        stage.scan()
        stage.run(.milliseconds(100))
        stage.adapter("StopDiscovery")
        stage.run(.milliseconds(100))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
        client.leave()
        stage.run(.milliseconds(100))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "false")
    }

    @Test(.proves(.Q74)) func `Another client ends a link that it did not establish`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.simulation.bluez.competingClient().disconnect(strap)
        stage.run(.seconds(3))
        #expect(stage.seen().contains { $0.contains("Connected: false") })
    }

    @Test(.proves(.Q61)) func `Another client removes a connected device`() {
        let stage = Stage()
        stage.connect(Stage.strap)
        stage.simulation.bluez.competingClient().remove(strap)
        stage.run(.seconds(3))
        #expect(!stage.objects().contains { $0.contains("01") })
    }

    @Test func `Faults and the recorder's queries ignore competing clients`() {
        var scenario = Scenario.everyday
        scenario.faults = [Fault("StartDiscovery", .error("org.bluez.Error.Failed"))]
        let stage = Stage(scenario)
        let client = stage.simulation.bluez.competingClient()
        client.startDiscovery()
        stage.run(.milliseconds(100))
        let recorder = stage.simulation.recorder
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
        #expect(recorder.count("StartDiscovery") == 0)
        #expect(recorder.count("StartDiscovery", from: client.name) == 1)
    }
}
