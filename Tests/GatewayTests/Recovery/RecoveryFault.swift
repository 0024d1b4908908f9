import RxBluetoothMocks
import Gateway
import Testing

/// A fault of the simulation after which a stage is silent, and the step that helps.
struct RecoveryFault: Sendable, CustomTestStringConvertible {
    let name: String
    let helper: RecoveryStep
    var usesManagement = false
    let begin: @Sendable (RecoveryStage) -> Void

    var testDescription: String { name }

    static let all = [
        RecoveryFault(name: "controller silent until a discovery starts", helper: .restartScan) {
            $0.bluez.silenceController(until: .discoveryStart)
        },
        RecoveryFault(name: "connection to the bus stalled", helper: .newSession) { $0.stallBus() },
        RecoveryFault(name: "management socket deaf", helper: .restartScan, usesManagement: true) {
            $0.bluez.deafenManagementSockets()
        },
        RecoveryFault(name: "all management sockets deaf", helper: .otherSource, usesManagement: true) {
            $0.bluez.setManagementDeaf(true)
        },
        RecoveryFault(name: "controller silent until it is switched on", helper: .powerCycle) {
            $0.bluez.silenceController(until: .powerOn)
        },
        RecoveryFault(name: "controller silent until rfkill unblocks it", helper: .reset) {
            $0.bluez.silenceController(until: .unblock)
        },
        RecoveryFault(name: "every discovery refused until the adapter is switched off", helper: .powerCycle) { stage in
            stage.bluez.crash()
            stage.bluez.add(Fault("StartDiscovery", .error("org.bluez.Error.InProgress")))
            stage.bluez.add(
                Fault("Properties.Set", property: "Powered", calls: .first(1), .meanwhile { $0.removeFaults() }))
            stage.bluez.start()
        },
    ]
}

/// Something that a user or the system does, after which nothing can be received until it is undone.
struct RecoveryOutage: Sendable {
    let name: String
    let begin: @Sendable (SimulatedBlueZ) -> Void
    let end: @Sendable (SimulatedBlueZ) -> Void

    static let all = [
        RecoveryOutage(name: "switched off by a user", begin: { $0.setPower(false) }, end: { $0.setPower(true) }),
        RecoveryOutage(name: "blocked by a user", begin: { $0.setBlocked(true) }, end: { $0.setBlocked(false) }),
        RecoveryOutage(name: "unplugged", begin: { $0.removeAdapter() }, end: { $0.addAdapter() }),
        RecoveryOutage(name: "bluetoothd crashed", begin: { $0.crash() }, end: { $0.start() }),
        RecoveryOutage(name: "bluetoothd stopped", begin: { $0.stop() }, end: { $0.start() }),
    ]
}
