import DBus
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
        Refusal(message: "Sender is not authorized to send message", access: nil, advice: "as root, check the policy"),
        Refusal(message: "", access: nil, advice: "“bluetooth” group"),
    ]

    @Test(.proves(.Q15), arguments: refusals)
    func `A refusal names its mechanism and the remedy`(refusal: Refusal) {
        let error = BluetoothError(
            DBusError(name: refusal.name, message: refusal.message), operation: .connect, target: nil)
        #expect(error.kind == .unauthorized && error.accessControl == refusal.access)
        #expect(error.advice?.contains(refusal.advice) == true, "\(error)")
        let isOfGroup = refusal.access == .busPolicy || refusal.access == nil
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

    @Test func `A refusal of the kernel does not advise to join a group`() {
        for operation in [BluetoothError.Operation.readRSSI, .openChannel, .publishChannel, .updateLink] {
            let error = BluetoothError(.unauthorized, operation: operation)
            #expect(error.accessControl == nil && error.advice?.contains("group") == false, "\(error)")
        }
    }
}
