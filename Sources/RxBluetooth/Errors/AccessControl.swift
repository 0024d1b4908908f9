import Glibc

/// The mechanism that does not let this process use bluetoothd.
///
/// ``BluetoothError/accessControl`` reads it from the text of the refusal.
public enum AccessControl: String, Hashable, Sendable, CaseIterable {
    /// The policy of the bus allows only some users, usually root and the group `bluetooth`.
    case busPolicy = "bus-policy"
    /// The policy of the bus does not allow root.
    case rootPolicy = "root-policy"
    /// A profile of AppArmor, for example that of a container.
    case appArmor = "apparmor"
    /// The policy of SELinux.
    case seLinux = "selinux"
    /// The confinement of a snap. Its interface `bluez` is not connected.
    case snap
    /// The bus does not accept the user number of this process, for example in a rootless container.
    case authentication
    /// The file permissions of the socket of the bus.
    case socket

    /// What to do, in one sentence.
    public var advice: String { advice(for: nil) }

    /// The cause, without a full stop.
    var reason: String {
        switch self {
        case .busPolicy: "the policy of the bus does not allow this user to use bluetoothd"
        case .rootPolicy: "the policy of the bus does not allow root to use bluetoothd"
        case .appArmor: "AppArmor does not allow this process to use bluetoothd"
        case .seLinux: "SELinux does not allow this process to use bluetoothd"
        case .snap: "the confinement of the snap does not allow this process to use bluetoothd"
        case .authentication: "the bus does not accept the user number of this process"
        case .socket: "this process is not allowed to open the socket of the bus"
        }
    }

    /// Returns the advice with the name of the snap or of the profile, if it is known.
    func advice(for name: String?) -> String {
        switch self {
        case .busPolicy: "Add yourself to the “bluetooth” group and log in again: sudo adduser $USER bluetooth."
        case .rootPolicy:
            "Allow root to send to org.bluez in the policy of the bus: /etc/dbus-1/system.d/bluetooth.conf."
        case .appArmor:
            "Allow messages to org.bluez in the AppArmor profile\(name.map { " “\($0)”" } ?? ""); a container needs "
                + "--security-opt apparmor=unconfined."
        case .seLinux:
            "Allow messages to bluetoothd in the policy of SELinux (sudo ausearch -m USER_AVC); a container needs "
                + "--security-opt label=disable."
        case .snap: "Connect the snap's interface: sudo snap connect \(name ?? "NAME"):bluez."
        case .authentication:
            "Run as a user that the bus knows; in a rootless container, use --userns=keep-id of podman."
        case .socket: "Check the permissions of the socket of the bus, and that the container mounts it for this user."
        }
    }

    /// The mechanism that is likely if the refusal names none: the policy of the bus for the user of this process.
    static func likely(isRoot: Bool) -> AccessControl { isRoot ? .rootPolicy : .busPolicy }

    /// Reads the text of a refusal of the bus or of libdbus; nil if it names no mechanism.
    init?(dbusName: String?, message: String) {
        let refusal = Refusal(message)
        switch true {
        case refusal.snap != nil, refusal.has("snap"): self = .snap
        case refusal.has("apparmor"): self = .appArmor
        case refusal.has("selinux"): self = .seLinux
        case dbusName?.hasSuffix(".AuthFailed") == true && !message.isEmpty: self = .authentication
        case refusal.has("permission denied"): self = .socket
        case refusal.isOfRoot: self = .rootPolicy
        case refusal.hasSender: self = .busPolicy
        default: return nil
        }
    }
}

extension BluetoothError {
    /// The mechanism that refused an error of kind ``Kind/unauthorized``; nil if it is not known.
    ///
    /// A refusal of the kernel, for example for a missing capability, has none.
    public var accessControl: AccessControl? {
        guard kind == .unauthorized, let dbusMessage else { return nil }
        return AccessControl(dbusName: dbusName, message: dbusMessage)
    }

    /// What to do if bluetoothd or the bus has refused.
    var adviceOnAccess: String {
        guard let accessControl else { return AccessControl.likely(isRoot: geteuid() == 0).advice }
        let refusal = Refusal(dbusMessage ?? "")
        return accessControl.advice(for: accessControl == .snap ? refusal.snap : refusal.profile)
    }
}

/// The text of a refusal, for example `An AppArmor policy prevents …; type="method_call", sender=":1.8" (uid=1000 …`.
private struct Refusal {
    /// The sentence before the facts of the message, in lower case.
    private let sentence: String
    /// The facts of the sender; empty if the text has none.
    private let sender: Substring

    init(_ message: String) {
        sentence = message.prefix { $0 != ";" }.lowercased()
        let facts = message.dropFirst(sentence.count)
        let end = facts.firstRange(of: "destination=")?.lowerBound ?? facts.endIndex
        sender = facts[..<end]
    }

    func has(_ word: String) -> Bool { sentence.contains(word) }

    var hasSender: Bool { sender.contains("(uid=") }
    var isOfRoot: Bool { sender.contains("(uid=0 ") || sender.contains("(uid=0)") }

    /// The label of the sender without its mode, for example `docker-default`.
    var profile: String? {
        guard let mark = sender.firstRange(of: "label=\"") else { return nil }
        let label = sender[mark.upperBound...].prefix { $0 != "\"" && $0 != " " }
        return label.isEmpty ? nil : String(label)
    }

    /// The name of the snap in the label of the sender, for example `meter` in `snap.meter.daemon`.
    var snap: String? {
        guard let profile, profile.hasPrefix("snap.") else { return nil }
        return profile.dropFirst("snap.".count).split(separator: ".").first.map(String.init)
    }
}
