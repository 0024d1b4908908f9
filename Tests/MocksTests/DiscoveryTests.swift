import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Checks that discovery sessions and filters behave as in BlueZ 5.66.
struct DiscoveryTests {
    @Test func `The reply to StartDiscovery precedes Discovering, and devices follow`() {
        let stage = Stage()
        stage.scan()
        stage.run(.milliseconds(200))
        let seen = stage.seen()
        #expect(
            Array(seen.prefix(3)) == ["SetDiscoveryFilter -> ok", "StartDiscovery -> ok", "hci0 {Discovering: true}"])
        #expect(seen.filter { $0.hasPrefix("added") }.count == 5)
    }

    @Test func `In the everyday scenario, first advertisements are spread over 0.2 s`() {
        let stage = Stage()
        stage.adapter("StartDiscovery")
        var times: Set<Int> = []
        for millisecond in 0..<200 {
            stage.run(.milliseconds(1))
            if stage.seen().contains(where: { $0.hasPrefix("added") }) { times.insert(millisecond) }
        }
        #expect(times.count >= 4)
    }

    @Test(.proves(.Q37)) func `A second StartDiscovery of a client is refused`() {
        let stage = Stage()
        stage.adapter("StartDiscovery")
        #expect(stage.adapter("StartDiscovery") == "InProgress: Operation already in progress")
    }

    @Test(.proves(.Q39)) func `StopDiscovery without a session fails`() {
        let stage = Stage()
        #expect(stage.adapter("StopDiscovery") == "Failed: No discovery started")
    }

    @Test(.proves(.Q40)) func `Another client's session keeps Discovering true`() {
        let stage = Stage()
        let other = stage.another()
        stage.scan()
        stage.scan(from: other)
        #expect(stage.adapter("StopDiscovery") == "ok")
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
        #expect(stage.adapter("StopDiscovery", from: other) == "ok")
        stage.run(.milliseconds(1))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "false")
    }

    @Test(
        .proves(.Q125),
        arguments: [
            (0, ["hci0 {Discovering: false}"], "false"), (1, ["hci0 {Discovering: false}"], "false"), (2, [], "true"),
        ])
    func `A client with only a filter that leaves stops the scan of a single other client`(
        scanners: Int, signals: [String], isDiscovering: String
    ) {
        let stage = Stage()
        let others = (0..<scanners).map { _ in stage.another() }
        for other in others { stage.adapter("StartDiscovery", from: other) }
        let leaving = stage.another()
        stage.adapter("SetDiscoveryFilter", .properties(["Transport": .string("le")]), from: leaving)
        stage.run(.seconds(1))
        stage.client.log.clear()
        leaving.bus.close()
        stage.run(.milliseconds(50))
        #expect(stage.seen().filter { $0.contains("Discovering") } == signals)
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == isDiscovering)
        withExtendedLifetime(others) {}
    }

    @Test(.proves(.Q125)) func `A cleared filter does not stop another client's scan`() {
        let stage = Stage()
        stage.adapter("StartDiscovery")
        let leaving = stage.another()
        stage.adapter("SetDiscoveryFilter", .properties(["Transport": .string("le")]), from: leaving)
        stage.adapter("SetDiscoveryFilter", .properties([:]), from: leaving)
        leaving.bus.close()
        stage.run(.seconds(1))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
    }

    @Test(.proves(.Q125)) func `The session of a client whose scan was stopped remains`() {
        let stage = Stage()
        stage.scan()
        let leaving = stage.another()
        stage.adapter("SetDiscoveryFilter", .properties(["Transport": .string("le")]), from: leaving)
        leaving.bus.close()
        stage.run(.seconds(1))
        stage.client.log.clear()
        stage.run(.seconds(2))
        #expect(stage.seen() == [])
        #expect(stage.adapter("StartDiscovery") == "InProgress: Operation already in progress")
        #expect(stage.adapter("SetDiscoveryFilter", .properties(["Transport": .string("le")])) == "ok")
        stage.run(.seconds(1))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
        #expect(stage.seen().contains { $0.contains("RSSI") })
        #expect(stage.adapter("StopDiscovery") == "ok")
        stage.adapter("StartDiscovery")
        stage.run(.seconds(1))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
    }

    @Test func `A client's session ends when it leaves the bus`() {
        let stage = Stage()
        let other = stage.another()
        stage.adapter("StartDiscovery", from: other)
        stage.run(.milliseconds(50))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
        other.bus.close()
        stage.run(.milliseconds(50))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "false")
    }

    @Test(.proves(.Q29)) func `No scan starts while the adapter is off`() {
        let stage = Stage(Scenario(adapters: [SimulatedAdapter(powered: false)], peripherals: []))
        #expect(stage.adapter("StartDiscovery") == "NotReady: Resource Not Ready")
        #expect(stage.adapter("StopDiscovery") == "NotReady: Resource Not Ready")
        #expect(stage.adapter("SetDiscoveryFilter", .properties([:])) == "NotReady: Resource Not Ready")
    }

    @Test(
        .proves(.Q46),
        arguments: [
            ["Bogus": .string("x")], ["Transport": .string("zz")], ["RSSI": .int16(-300)],
            ["UUIDs": .strings(["nonsense"])],
            ["RSSI": .int16(-80), "Pathloss": .uint16(20)], ["DuplicateData": .string("yes")],
        ] as [[String: Value]])
    func `An invalid filter is refused`(filter: [String: Value]) {
        let stage = Stage()
        let answer = stage.adapter("SetDiscoveryFilter", .properties(filter))
        #expect(answer == "InvalidArguments: Invalid arguments in method call")
    }

    @Test func `GetDiscoveryFilters lists all filters`() {
        let stage = Stage()
        let names = "[UUIDs, RSSI, Pathloss, Transport, DuplicateData, Discoverable, Pattern]"
        #expect(stage.adapter("GetDiscoveryFilters") == "ok \(names)")
    }

    @Test(.proves(.Q43)) func `The UUID filters of all clients are merged`() {
        let stage = Stage()
        let other = stage.another()
        stage.scan(["UUIDs": .strings(["180d"])])
        stage.run(.seconds(1))
        #expect(stage.objects().filter { $0.contains("dev_") } == ["hci0/dev_C0_FF_EE_00_00_01"])
        stage.scan(["UUIDs": .strings(["FFF0"])], from: other)
        stage.run(.seconds(1))
        #expect(stage.objects().filter { $0.contains("dev_") }.count == 2)
    }

    @Test(.proves(.Q43)) func `An RSSI filter counts only if every client has one`() {
        let stage = Stage()
        let other = stage.another()
        stage.scan(["RSSI": .int16(-65)])
        stage.run(.seconds(1))
        #expect(!stage.objects().contains("hci0/dev_C0_FF_EE_00_00_04"))
        stage.scan(["Transport": .string("le")], from: other)
        stage.run(.seconds(1))
        #expect(stage.objects().contains("hci0/dev_C0_FF_EE_00_00_04"))
    }

    @Test(.proves(.Q43)) func `A scan without a filter removes another client's Transport`() {
        let stage = Stage()
        let other = stage.another()
        stage.scan(["Transport": .string("bredr")])
        stage.run(.seconds(1))
        #expect(stage.objects() == ["hci0"])
        stage.adapter("StartDiscovery", from: other)
        stage.run(.seconds(1))
        #expect(stage.objects().count == 6)
    }

    @Test(.proves(.Q43)) func `The transports of filters are merged`() {
        let stage = Stage()
        let other = stage.another()
        stage.scan(["Transport": .string("bredr")])
        stage.scan(["Transport": .string("le"), "UUIDs": .strings(["181a"])], from: other)
        stage.run(.seconds(1))
        // The first client's filter has no service UUIDs, so packets of all services pass.
        #expect(stage.objects().count == 6)
        #expect(stage.adapter("StopDiscovery", from: other) == "ok")
        stage.client.log.clear()
        stage.run(.seconds(2))
        #expect(stage.seen() == [])
    }

    @Test(
        arguments: [
            (0x0000, "InvalidArgs: No such property 'Icon'"), (0x003F, "unknown"), (0x0041, "phone"),
            (0x0080, "computer"),
            (0x00C0, "InvalidArgs: No such property 'Icon'"), (0x0140, "video-display"), (0x0280, "multimedia-player"),
            (0x02C0, "scanner"), (0x03C0, "InvalidArgs: No such property 'Icon'"), (0x03C1, "input-keyboard"),
            (0x03C2, "input-mouse"), (0x03C3, "input-gaming"), (0x03C4, "input-gaming"), (0x03C5, "input-tablet"),
            (0x03C6, "InvalidArgs: No such property 'Icon'"), (0x03C8, "scanner"),
            (0x03C9, "InvalidArgs: No such property 'Icon'"),
        ] as [(UInt16, String)])
    func `The appearance determines the icon`(appearance: UInt16, icon: String) {
        let stage = Stage(
            Scenario {
                SimulatedPeripheral("Tag", address: "C0:00:00:00:00:02") {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, appearance: appearance)
                }
            })
        stage.scan()
        stage.run(.milliseconds(500))
        #expect(stage.property("/org/bluez/hci0/dev_C0_00_00_00_00_02", "Device1", "Icon") == icon)
    }

    @Test(.proves(.Q44)) func `One client's pattern hides new devices from all clients`() {
        let stage = Stage()
        let other = stage.another()
        stage.scan(["Pattern": .string("Thermo")], from: other)
        stage.scan()
        stage.run(.seconds(1))
        #expect(stage.objects().filter { $0.contains("dev_") } == ["hci0/dev_C0_FF_EE_00_00_02"])
    }

    @Test(.proves(.Q44)) func `An empty pattern hides no device`() {
        let stage = Stage()
        stage.scan(["Pattern": .string("")])
        stage.run(.seconds(1))
        #expect(stage.objects().count { $0.contains("dev_") } == 5)
    }

    @Test(.proves(.Q45)) func `Without a filter, an advertisement without flags creates no device`() {
        let silent = SimulatedPeripheral("Silent", address: "C0:00:00:00:00:01") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, flags: nil)
        }
        let stage = Stage(Scenario(peripherals: [silent]))
        stage.scan(nil)
        stage.run(.seconds(1))
        #expect(stage.objects().count == 1)
        stage.adapter("StopDiscovery")
        stage.scan()
        stage.run(.seconds(1))
        #expect(stage.objects().count == 2)
    }

    @Test(.proves(.Q69)) func `A filter remains for the client's next session, and an empty one clears it`() {
        let stage = Stage()
        stage.scan(["UUIDs": .strings(["180d"])])
        stage.adapter("StopDiscovery")
        stage.adapter("StartDiscovery")
        stage.run(.seconds(1))
        #expect(stage.objects().filter { $0.contains("dev_") }.count == 1)
        stage.adapter("StopDiscovery")
        stage.adapter("SetDiscoveryFilter", .properties([:]))
        stage.adapter("StartDiscovery")
        stage.run(.seconds(1))
        #expect(stage.objects().filter { $0.contains("dev_") }.count == 5)
    }
}
