import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of what differs between the simulated versions of BlueZ.
struct VersionTests {
    private static let address = "C0:FF:EE:00:00:01"

    /// The versions that have each feature.
    private static let versions: [SimulatedFeature: Set<SimulatedBlueZ.Version>] = [
        .handle: [.v5_82, .v5_87], .claimedServices: [.v5_82, .v5_87], .hiddenBattery: [],
        .preferredBearer: [.v5_82, .v5_87],
        .disconnectedSignal: [.v5_87], .leBearer: [.v5_87], .cablePairing: [.v5_87],
        .serviceRecords: [.v5_82, .v5_87], .deviceSets: [.v5_82, .v5_87], .connectable: [.v5_82, .v5_87],
        .controllerVersion: [.v5_82, .v5_87], .autoConnectFilter: [.v5_87], .connectInProgress: [.v5_82, .v5_87],
        .connectDeviceFailed: [.v5_82, .v5_87], .pairAlreadyExists: [.v5_82, .v5_87],
        .cancelPairingDisconnects: [.v5_82, .v5_87], .checkedProfile: [.v5_82, .v5_87],
        .lateDisconnectReply: [.v5_82, .v5_87], .ignoredPattern: [.v5_82],
        .canceledAttemptRemoves: [.v5_82, .v5_87], .cutNames: [.v5_87], .advertisedServicesKept: [.v5_82, .v5_87],
    ]

    @Test(arguments: SimulatedFeature.allCases, SimulatedBlueZ.Version.allCases)
    func `Each version shows its own features`(_ feature: SimulatedFeature, _ version: SimulatedBlueZ.Version) throws {
        let versions = try #require(Self.versions[feature])
        #expect(shows(feature, Stage(bluez: version)) == versions.contains(version))
    }

    @Test(arguments: SimulatedFeature.allCases)
    func `A scenario switches single features on and off`(_ feature: SimulatedFeature) {
        var scenario = Scenario.everyday
        scenario.features = [feature]
        #expect(shows(feature, Stage(scenario, bluez: .v5_66)))
        scenario.disabledFeatures = [feature]
        for version in SimulatedBlueZ.Version.allCases { #expect(!shows(feature, Stage(scenario, bluez: version))) }
    }

    private func shows(_ feature: SimulatedFeature, _ stage: Stage) -> Bool {
        stage.connect(Stage.strap)
        let service = Stage.strap + "/service000a"
        switch feature {
        case .handle: return stage.property(service, "GattService1", "Handle") == "10"
        case .claimedServices: return stage.objects().contains { $0.hasSuffix("service0001") }
        case .hiddenBattery: return !stage.objects().contains { $0.hasSuffix("service0012") }
        case .preferredBearer: return introspected(stage, Stage.strap).contains(#"name="PreferredBearer""#)
        case .disconnectedSignal:
            stage.simulation.bluez.dropLink(to: Self.address)
            stage.run(.milliseconds(10))
            return stage.seen().contains { $0.contains("Disconnected [") }
        case .leBearer: return stage.property(Stage.strap, "Bearer.LE1", "Connected") == "true"
        case .cablePairing: return stage.property(Stage.strap, "Device1", "CablePairing") == "false"
        case .serviceRecords: return stage.device(Stage.strap, "GetServiceRecords") == "DoesNotExist: Does Not Exist"
        case .deviceSets: return introspected(stage, Stage.strap).contains(#"name="Sets""#)
        case .connectable: return stage.property(Stage.hci, "Adapter1", "Connectable") == "false"
        case .controllerVersion:
            return stage.property(Stage.hci, "Adapter1", "Manufacturer") == "65535"
                && stage.property(Stage.hci, "Adapter1", "Version") == "9"
        case .autoConnectFilter:
            return stage.adapter("GetDiscoveryFilters").contains("AutoConnect")
                && stage.adapter("SetDiscoveryFilter", .properties(["AutoConnect": .bool(true)])) == "ok"
        case .connectInProgress:
            stage.device(Stage.strap, "Disconnect")
            _ = stage.another().call(Stage.strap, "org.bluez.Device1.Connect", [])
            return stage.device(Stage.strap, "Connect") == "InProgress: In Progress"
        case .connectDeviceFailed:
            let known = Value.properties(["Address": .string(Self.address), "AddressType": .string("random")])
            return stage.adapter("ConnectDevice", known) == "Failed: Connect failed"
        case .pairAlreadyExists:
            _ = stage.agent("NoInputNoOutput", .accept)
            stage.device(Stage.strap, "Pair")
            let again = stage.client.call(Stage.strap, "org.bluez.Device1.Pair", [])
            stage.run(.seconds(1))
            return again.line == "AlreadyExists: Already Exists"
        case .cancelPairingDisconnects:
            _ = stage.agent("NoInputNoOutput", .accept)
            stage.device(Stage.strap, "Pair")
            guard stage.device(Stage.strap, "CancelPairing").hasPrefix("DoesNotExist") else { return false }
            // bluetoothd closes a link after 2 s.
            stage.run(.seconds(3))
            return stage.property(Stage.strap, "Device1", "Connected") == "false"
        case .checkedProfile:
            let answer = stage.client.call(Stage.strap, "org.bluez.Device1.ConnectProfile", [.string("rubbish")])
            return stage.wait(for: answer) == "InvalidArguments: br-connection-invalid-argument"
        case .lateDisconnectReply:
            stage.device(Stage.strap, "Disconnect")
            stage.run(.milliseconds(10))
            return stage.seen().last == "Disconnect -> ok"
        case .ignoredPattern:
            stage.adapter("RemoveDevice", .objectPath(ObjectPath(Stage.strap) ?? .root))
            stage.scan(["Pattern": .string("no such name"), "Transport": .string("le")])
            stage.run(.seconds(2))
            return stage.objects().contains { $0.hasSuffix("dev_C0_FF_EE_00_00_01") }
        case .cutNames:
            var advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
            advertisement.name = [0x41, 0xFF, 0x42]
            stage.simulation.bluez.advertise(advertisement, from: "C0:FF:EE:00:00:02")
            stage.scan()
            stage.run(.milliseconds(500))
            return stage.property(Stage.thermometer, "Device1", "Name") == "A"
        case .canceledAttemptRemoves:
            stage.device(Stage.strap, "Disconnect")
            stage.simulation.bluez.setInRange(false, Self.address)
            let connecting = stage.client.call(Stage.strap, "org.bluez.Device1.Connect", [])
            stage.run(.milliseconds(100))
            stage.device(Stage.strap, "Disconnect")
            stage.run(.milliseconds(100))
            return connecting.line == "Failed: br-connection-canceled"
                && !stage.objects().contains { $0.hasSuffix("dev_C0_FF_EE_00_00_01") }
        case .advertisedServicesKept:
            // The thermometer does not have the service.
            let advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -60, services: ["181b"])
            stage.simulation.bluez.advertise(advertisement, from: "C0:FF:EE:00:00:02")
            stage.connect(Stage.thermometer)
            stage.device(Stage.thermometer, "Disconnect")
            stage.run(.seconds(3))
            return stage.property(Stage.thermometer, "Device1", "UUIDs").contains("0000181b")
        }
    }

    private func introspected(_ stage: Stage, _ path: String) -> String {
        stage.wait(for: stage.client.call(path, "org.freedesktop.DBus.Introspectable.Introspect", []))
    }

    @Test(arguments: zip(SimulatedBlueZ.Version.allCases, ["0542", "0552", "0557"]))
    func `Modalias ends in the version in hexadecimal`(_ version: SimulatedBlueZ.Version, _ number: String) {
        #expect(Stage(bluez: version).property(Stage.hci, "Adapter1", "Modalias") == "usb:v1D6Bp0246d\(number)")
    }

    @Test(arguments: zip(SimulatedBlueZ.Version.allCases, [(8, "112d"), (12, "184f"), (13, "184f")]))
    func `Each version has its own services`(_ version: SimulatedBlueZ.Version, _ services: (Int, String)) {
        let stage = Stage(bluez: version)
        let answer = stage.client.call(
            Stage.hci, "org.freedesktop.DBus.Properties.Get", [.string("org.bluez.Adapter1"), .string("UUIDs")])
        stage.wait(for: answer)
        guard case .variant(.array("s", let uuids))? = answer.values.first else {
            Issue.record("UUIDs is no array.")
            return
        }
        #expect(uuids.count == services.0)
        #expect(uuids.first == .string("0000\(services.1)-0000-1000-8000-00805f9b34fb"))
        #expect(uuids.contains(.string("0000185b-0000-1000-8000-00805f9b34fb")) == (version == .v5_87))
    }

    @Test func `An adapter without a name has the name of BlueZ and its version`() {
        for version in SimulatedBlueZ.Version.allCases {
            #expect(Stage(.lab, bluez: version).property(Stage.hci, "Adapter1", "Name") == "BlueZ \(version)")
        }
    }

    @Test(.proves(.Q86)) func `The end of a link is signaled in the order of the version`() {
        let device = "hci0/dev_C0_FF_EE_00_00_01"
        func seen(_ version: SimulatedBlueZ.Version) -> [String] {
            let stage = Stage(bluez: version)
            stage.connect(Stage.strap)
            stage.device(Stage.strap, "Disconnect")
            stage.run(.milliseconds(10))
            return stage.seen().filter { !$0.hasPrefix("removed") }
        }
        #expect(
            seen(.v5_66) == [
                "\(device) {ServicesResolved: false}", "Disconnect -> ok", "\(device) {Connected: false}",
            ])
        #expect(seen(.v5_82) == ["\(device) {ServicesResolved: false, Connected: false}", "Disconnect -> ok"])
        let reason = #"Disconnected ["org.bluez.Reason.Local", "Connection terminated by local host"]"#
        #expect(
            seen(.v5_87) == [
                "\(device) {ServicesResolved: false}", "\(device) {Connected: false}", "\(device) \(reason)",
                "\(device) \(reason)", "\(device) {Connected: false}", "Disconnect -> ok",
            ])
    }

    @Test func `A scenario without a version is that of 5.82; the initializer takes precedence`() {
        var scenario = Scenario.everyday
        #expect(scenario.bluez == .v5_82)
        scenario.bluez = .v5_66
        #expect(Stage(scenario, bluez: .v5_87).property(Stage.hci, "Adapter1", "Modalias").hasSuffix("0557"))
    }
}
