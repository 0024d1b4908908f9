/// A defect of some versions of bluetoothd: what happens, and what to do.
///
/// Only this table and ``VersionBehaviour`` compare versions. A distribution may have repaired a defect without
/// changing the number, so the texts say that it may happen.
struct KnownProblem: Sendable {
    let name: Name
    /// The versions with the defect. The last one is the newest release that has it.
    let versions: ClosedRange<BlueZVersion>
    let text: String
    let advice: String

    enum Name: CaseIterable {
        case serviceFilterCrash, operationLostWithPairing, notifyStartCrash, socketStartCrash, monitorCrash
        case pairingKept, removalCrash
    }

    /// The newest release that this table covers. Later versions count as this one.
    static let newestVersion = BlueZVersion(5, 87)

    /// Source: the issues and changes of BlueZ that each row names, and the tests in the virtual machine.
    static let all: [KnownProblem] = [
        // Q127: bluez/bluez#2282, repaired by 82af2beaf after 5.87.
        KnownProblem(
            name: .serviceFilterCrash, versions: BlueZVersion(5, 87)...BlueZVersion(5, 87),
            text: "may crash when a program scans with a filter for services",
            advice: "This program filters by itself. Do not set service filters in other programs, or update BlueZ."),
        // Q126: introduced by f8670f9aa in 5.67.
        KnownProblem(
            name: .operationLostWithPairing, versions: BlueZVersion(5, 67)...BlueZVersion(5, 87),
            text: "may keep an attribute busy, or crash, when a link ends while an operation waits for pairing",
            advice: "Pair with a device before you use its protected attributes."),
        // Q131: bluez/bluez#2538.
        KnownProblem(
            name: .notifyStartCrash, versions: BlueZVersion(5, 87)...BlueZVersion(5, 87),
            text: "may crash when a link is lost while notifications are being turned on",
            advice: "Let programs reconnect by themselves after a lost link, or update BlueZ."),
        // Q132: bluez/bluez#1376; the sources of 5.66 and 5.82 have the defect.
        KnownProblem(
            name: .socketStartCrash, versions: BlueZVersion(5, 46)...BlueZVersion(5, 83),
            text: "may crash after a notification socket could not be opened",
            advice: "This program tries signals first. In others, receive notifications as signals, or update BlueZ."),
        // Q133: bluez/bluez#1169; the sources of 5.82 have the defect, those of 5.66 and 5.87 do not.
        KnownProblem(
            name: .monitorCrash, versions: BlueZVersion(5, 79)...BlueZVersion(5, 82),
            text: "may crash when a passive scan for manufacturer data receives an extended advertisement",
            advice: "Scan actively, or use a pattern of another type."),
        // Q136: introduced by 5d836f1c in 5.87.
        KnownProblem(
            name: .pairingKept, versions: BlueZVersion(5, 87)...BlueZVersion(5, 87),
            text: "may refuse connections to a device after its link was lost during a pairing",
            advice: "This program cancels its own pairings. If a device without a bond stays refused, forget it."),
        // Q137: bluez/bluez#2221, introduced by the same change.
        KnownProblem(
            name: .removalCrash, versions: BlueZVersion(5, 87)...BlueZVersion(5, 87),
            text: "may crash when a program removes a connected device",
            advice: "Disconnect a device before you remove it with another program, or update BlueZ."),
    ]

    /// Returns the problems of a version, in the order of the table; none if the version is not known.
    static func of(_ version: BlueZVersion?) -> [KnownProblem] {
        guard let version = version.map({ min($0, newestVersion) }) else { return [] }
        return all.filter { $0.versions.contains(version) }
    }

    /// Returns whether a version may have a problem. An unknown version may have each of them.
    static func mayAffect(_ version: BlueZVersion?, _ name: Name) -> Bool {
        version == nil || of(version).contains { $0.name == name }
    }
}
