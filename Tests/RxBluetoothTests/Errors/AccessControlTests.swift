import DBus
import Glibc
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// The mechanisms that refuse access to bluetoothd, and their remedies.
struct AccessControlTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let message: String
        let access: AccessControl?
        let advice: String
        var name = DBusError.Name.accessDenied

        var testDescription: String { String(message.prefix(60)) }
    }

    private static func facts(uid: Int, label: String? = nil, to target: String = "unconfined") -> String {
        let own = label.map { #" label="\#($0)""# } ?? ""
        return #"type="method_call", sender=":1.88" (uid=\#(uid) pid=4047 comm="snapper"\#(own)) "#
            + #"interface="org.bluez.Device1" member="Connect" error name="(unset)" requested_reply="0" "#
            + #"destination="org.bluez" (uid=0 pid=612 comm="bluetoothd" label="\#(target)")"#
    }

    private static let prevents = "policy prevents this sender from sending this message to this recipient"
    private static let appArmor = "An AppArmor \(prevents); "
    private static let seLinux = "An SELinux \(prevents), 0 matched rules; "
    private static let policy = "Rejected send message, 2 matched rules; "

    /// The advice without a known mechanism, for the user of the tests.
    private static let likelyAdvice = AccessControl.likely(isRoot: geteuid() == 0).advice

    static let refusals = [
        Refusal(message: policy + facts(uid: 1000), access: .busPolicy, advice: "sudo adduser $USER bluetooth"),
        Refusal(
            message: policy + facts(uid: 0), access: .rootPolicy, advice: "Allow root to send to org.bluez"),
        Refusal(
            message: appArmor + facts(uid: 1000, label: "docker-default (enforce)"), access: .appArmor,
            advice: "AppArmor profile “docker-default”"),
        Refusal(
            message: appArmor + facts(uid: 0, label: "snap.meter.daemon (enforce)"), access: .snap,
            advice: "sudo snap connect meter:bluez"),
        Refusal(
            message: appArmor + facts(uid: 0, label: "meter (enforce)", to: "snap.bluez.bluez (enforce)"),
            access: .appArmor, advice: "AppArmor profile “meter”"),
        Refusal(
            message: seLinux + facts(uid: 0, label: "system_u:system_r:container_t:s0"), access: .seLinux,
            advice: "ausearch"),
        Refusal(message: "Denied by SELinux", access: .seLinux, advice: "ausearch"),
        Refusal(message: "snap confinement", access: .snap, advice: "sudo snap connect NAME:bluez"),
        Refusal(
            message: "The bus closed the connection instead of authenticating this process.", access: .authentication,
            advice: "--userns=keep-id", name: DBusError.Name.authFailed),
        Refusal(
            message: "Failed to connect to socket /run/dbus/system_bus_socket: Permission denied", access: .socket,
            advice: "permissions of the socket"),
        Refusal(message: "Sender is not authorized to send message", access: nil, advice: likelyAdvice),
        Refusal(message: "", access: nil, advice: likelyAdvice),
    ]

    @Test(.proves(.Q15), arguments: refusals)
    func `A refusal names its mechanism and the remedy`(refusal: Refusal) {
        let error = BluetoothError(
            DBusError(name: refusal.name, message: refusal.message), operation: .connect, target: nil)
        #expect(error.kind == .unauthorized && error.accessControl == refusal.access)
        #expect(error.advice?.contains(refusal.advice) == true, "\(error)")
        let isOfGroup = refusal.access == .busPolicy || refusal.access == nil && geteuid() != 0
        #expect(error.advice?.contains("group") == isOfGroup)
        #expect(!error.description.contains("\n"))
    }

    @Test(.proves(.Q15)) func `An operation, the obstacle, ready and a diagnosis name the same mechanism`() throws {
        let message = Self.appArmor + Self.facts(uid: 0, label: "docker-default (enforce)")
        let stage = Stage(
            Scenario {
                SimulatedAdapter()
                Fault("ObjectManager.GetManagedObjects", .error(DBusError.Name.accessDenied, message))
            })
        let ready = stage.record(stage.manager.ready())
        let scan = stage.record(stage.manager.scanForPeripherals())
        let obstacle = stage.record(stage.manager.obstacle)
        let diagnosis = stage.record(stage.manager.diagnose())
        stage.advance(3_000)
        #expect(ready.error?.accessControl == .appArmor)
        #expect(scan.error?.accessControl == .appArmor)
        #expect(obstacle.elements.last??.accessControl == .appArmor)
        let finding = try #require(diagnosis.elements.first?.findings.first)
        #expect(finding.advice?.contains("“docker-default”") == true)
    }

    @Test func `Root is not advised to join a group if the refusal names no mechanism`() {
        let root = AccessControl.likely(isRoot: true).advice
        #expect(!root.contains("group") && root.contains("/etc/dbus-1/system.d/bluetooth.conf"))
        #expect(AccessControl.likely(isRoot: false).advice.contains("“bluetooth” group"))
    }

    @Test(.proves(.Q15)) func `A refused Connect names the mechanism and the peripheral`() {
        let message = Self.policy + Self.facts(uid: 1000)
        var scenario = Scenario.everyday
        scenario.faults = [Fault("Device1.Connect", .error(DBusError.Name.accessDenied, message))]
        let stage = Stage(scenario)
        let link = stage.record(stage.find("C0:FF:EE:00:00:01").connect())
        stage.advance(2_000)
        #expect(link.error?.kind == .unauthorized && link.error?.accessControl == .busPolicy)
        #expect(link.error?.operation == .connect)
        #expect(link.error?.advice?.contains("sudo adduser $USER bluetooth") == true)
    }

    @Test(.proves(.Q15)) func `A refused ReadValue names the mechanism, and the link remains`() {
        let message = Self.seLinux + Self.facts(uid: 0, label: "system_u:system_r:container_t:s0")
        var scenario = Scenario.everyday
        scenario.faults = [Fault("GattCharacteristic1.ReadValue", .error(DBusError.Name.accessDenied, message))]
        let stage = Stage(scenario)
        let peripheral = stage.find("C0:FF:EE:00:00:01")
        let link = stage.connect(peripheral)
        let read = stage.record(peripheral.characteristic(0x2A19).flatMap { $0.readValue() })
        stage.advance(2_000)
        #expect(read.error?.kind == .unauthorized && read.error?.accessControl == .seLinux)
        #expect(read.error?.operation == .read && link.isLive)
    }

    @Test func `A refusal of the kernel does not advise to join a group`() {
        for operation in [BluetoothError.Operation.readRSSI, .openChannel, .publishChannel, .updateLink] {
            let error = BluetoothError(.unauthorized, operation: operation)
            #expect(error.accessControl == nil && error.advice?.contains("group") == false, "\(error)")
        }
    }
}
