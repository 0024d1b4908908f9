import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of the defects of newer versions: operations that are never answered, and crashes.
struct VersionDefectTests {
    private static let secret = Stage.strap + "/service000a/char000b"
    private static let descriptor = secret + "/desc000e"
    private static let options = Value.properties([:])

    /// An operation that waits for encryption: its name, method, arguments, object, and the methods that it blocks.
    enum Operation: String, CaseIterable, Sendable {
        case read, write, readDescriptor, writeDescriptor, startNotify, acquireNotify

        var path: String {
            switch self {
            case .readDescriptor, .writeDescriptor: VersionDefectTests.descriptor
            default: VersionDefectTests.secret
            }
        }

        var method: String {
            switch self {
            case .read: "org.bluez.GattCharacteristic1.ReadValue"
            case .write: "org.bluez.GattCharacteristic1.WriteValue"
            case .readDescriptor: "org.bluez.GattDescriptor1.ReadValue"
            case .writeDescriptor: "org.bluez.GattDescriptor1.WriteValue"
            case .startNotify: "org.bluez.GattCharacteristic1.StartNotify"
            case .acquireNotify: "org.bluez.GattCharacteristic1.AcquireNotify"
            }
        }

        var arguments: [Value] {
            switch self {
            case .read, .readDescriptor, .acquireNotify: [VersionDefectTests.options]
            case .write, .writeDescriptor: [.bytes([1]), VersionDefectTests.options]
            case .startNotify: []
            }
        }
    }

    private func stage(
        _ version: SimulatedBlueZ.Version, without quirk: Quirk? = nil, connected: Bool = true
    ) -> Stage {
        var scenario = Scenario(peripherals: [
            SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:01") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock", services: ["fff0"])
                SimulatedService("fff0") {
                    SimulatedCharacteristic(
                        "fff1", .read([7]), .write, .notify,
                        descriptors: [SimulatedDescriptor("2901", [8], writable: true, protection: .encryption)],
                        protection: .encryption)
                }
            }
        ])
        if let quirk { scenario.disabledQuirks = [quirk] }
        let stage = Stage(scenario, bluez: version)
        if connected { stage.connect(Stage.strap) }
        return stage
    }

    private func call(_ operation: Operation, _ stage: Stage) -> Answer {
        stage.client.call(operation.path, operation.method, operation.arguments, timeout: .seconds(300))
    }

    /// Starts an operation without an agent, so that the pairing fails, and ends the link.
    private func refused(_ operation: Operation, _ stage: Stage) -> Answer {
        let answer = call(operation, stage)
        stage.run(.milliseconds(500))
        stage.device(Stage.strap, "Disconnect")
        return answer
    }

    @Test(.proves(.Q126), arguments: Operation.allCases)
    func `An operation that waits for encryption has no reply from 5.67 on`(_ operation: Operation) {
        for version in SimulatedBlueZ.Version.allCases {
            let stage = stage(version)
            let answer = refused(operation, stage)
            stage.run(.seconds(10))
            #expect(answer.isOpen == (version != .v5_66 || operation == .acquireNotify), "\(version)")
        }
    }

    @Test(.proves(.Q126), arguments: Operation.allCases)
    func `The attribute of a lost operation stays busy until the device is removed`(_ operation: Operation) {
        let stage = stage(.v5_82)
        _ = refused(operation, stage)
        _ = stage.agent("", .accept)
        stage.connect(Stage.strap)
        #expect(stage.wait(for: call(operation, stage)) == "InProgress: In Progress")
        stage.adapter("RemoveDevice", .objectPath(ObjectPath(Stage.strap) ?? .root))
        stage.connect(Stage.strap)
        #expect(stage.wait(for: call(operation, stage)).hasPrefix("ok"))
    }

    @Test(.proves(.Q126)) func `Without the quirk, the operation fails when the link ends`() {
        let stage = stage(.v5_87, without: .Q126)
        let answer = refused(.read, stage)
        #expect(stage.wait(for: answer) == "Failed: Operation failed with ATT error: 0x0e")
        _ = stage.agent("", .accept)
        stage.connect(Stage.strap)
        #expect(stage.wait(for: call(.read, stage)) == "ok <7>")
    }

    // MARK: Refused sockets

    @Test(.proves(.Q132), arguments: SimulatedBlueZ.Version.allCases, ["StopNotify", "RemoveDevice"])
    func `After a refused AcquireNotify, 5.66 and 5.82 crash at StopNotify and removal`(
        version: SimulatedBlueZ.Version, method: String
    ) {
        let stage = stage(version, without: .Q126)
        let answer = refused(.acquireNotify, stage)
        stage.run(.seconds(3))
        let isFixed = version == .v5_87
        #expect(answer.isOpen != isFixed, "\(version)")
        #expect(!stage.seen().contains("owner none"))
        let path = method == "StopNotify" ? Self.secret : "/org/bluez/hci0"
        let interface = method == "StopNotify" ? "GattCharacteristic1" : "Adapter1"
        let device = Value.objectPath(ObjectPath(Stage.strap) ?? .root)
        _ = stage.client.call(
            path, "org.bluez.\(interface).\(method)", method == "StopNotify" ? [] : [device], timeout: .seconds(1))
        stage.run(.seconds(1))
        #expect(stage.seen().contains("owner none") == !isFixed, "\(version)")
    }

    // MARK: Filters with UUIDs

    @Test(.proves(.Q127)) func `A filter with UUIDs crashes 5.87 when a device advertises services`() {
        for version in SimulatedBlueZ.Version.allCases {
            let stage = stage(version, connected: false)
            stage.scan(["UUIDs": .strings(["fff0"])])
            stage.run(.milliseconds(500))
            #expect(stage.seen().contains("owner none") == (version == .v5_87), "\(version)")
        }
    }

    @Test(.proves(.Q127)) func `After the crash, the daemon returns after 2 s`() {
        let stage = stage(.v5_87, connected: false)
        stage.scan(["UUIDs": .strings(["fff0"])])
        stage.run(.milliseconds(1_900))
        #expect(!stage.seen().contains { $0.hasPrefix("owner :") })
        stage.run(.milliseconds(300))
        #expect(stage.seen().contains { $0.hasPrefix("owner :") })
        stage.scan()
        stage.run(.milliseconds(500))
        #expect(stage.objects().contains { $0.contains("dev_") })
    }

    @Test(.proves(.Q127)) func `Filters without UUIDs and the disabled quirk cause no crash`() {
        let stage = stage(.v5_87, connected: false)
        stage.scan()
        stage.run(.seconds(2))
        #expect(!stage.seen().contains("owner none"))
        let tolerant = self.stage(.v5_87, without: .Q127, connected: false)
        tolerant.scan(["UUIDs": .strings(["fff0"])])
        tolerant.run(.seconds(2))
        #expect(!tolerant.seen().contains("owner none"))
    }

    // MARK: Devices that are kept

    /// Returns a stage with a device that has lost a link while its known services were read again.
    private func interrupted(_ version: SimulatedBlueZ.Version) -> Stage {
        let stage = stage(version)
        stage.device(Stage.strap, "Disconnect")
        stage.run(.seconds(3))
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        stage.run(.seconds(1))
        return stage
    }

    private func removeDevice(_ stage: Stage) -> String {
        stage.adapter("RemoveDevice", .objectPath(ObjectPath(Stage.strap) ?? .root))
    }

    private func isShown(_ stage: Stage) -> Bool { stage.objects().contains("hci0/dev_C0_FF_EE_00_00_01") }

    @Test(.proves(.Q138), arguments: SimulatedBlueZ.Version.allCases)
    func `After an interrupted discovery, 5.82 and later keep a device once`(version: SimulatedBlueZ.Version) {
        let stage = interrupted(version)
        #expect(removeDevice(stage) == "ok")
        stage.run(.seconds(1))
        #expect(isShown(stage) == (version != .v5_66))
        #expect(removeDevice(stage) == (version == .v5_66 ? "DoesNotExist: Does Not Exist" : "ok"))
        #expect(!isShown(stage))
    }

    @Test(.proves(.Q138)) func `A kept device is removed when the next link ends, or after Disconnect`() {
        let stage = interrupted(.v5_82)
        #expect(removeDevice(stage) == "ok")
        #expect(stage.device(Stage.strap, "Connect") == "ok")
        stage.run(.seconds(1))
        #expect(isShown(stage))
        stage.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        stage.run(.milliseconds(10))
        #expect(!isShown(stage))
        let other = interrupted(.v5_87)
        #expect(other.device(Stage.strap, "Disconnect") == "ok")
        #expect(removeDevice(other) == "ok")
        #expect(!isShown(other))
    }
}
