public import RxBluetooth

/// Something that may let a silent adapter receive advertisements again, from the gentlest to the strongest.
public enum RecoveryStep: String, CaseIterable, Hashable, Sendable {
    /// The scan is stopped and started.
    case restartScan = "restart-scan"
    /// The manager is replaced, and with it the connection to the bus. Its connections to devices end.
    case newSession = "new-session"
    /// Advertisements are received over D-Bus instead of the management socket, or the other way round.
    case otherSource = "other-source"
    /// The adapter is switched off and on. All its connections end, also those of other programs.
    case powerCycle = "power-cycle"
    /// The radio is blocked and unblocked by rfkill, or reset in another way that the driver knows.
    case reset
    /// Another adapter takes over until this one receives again.
    case otherAdapter = "other-adapter"

    /// Whether connections to devices end.
    public var endsConnections: Bool {
        switch self {
        case .restartScan, .otherSource, .otherAdapter: false
        case .newSession, .powerCycle, .reset: true
        }
    }

    /// How many advertisements have to be missing before the step is justified in quiet surroundings.
    var requiredEvidence: Double {
        switch self {
        case .restartScan: 0
        case .newSession, .otherSource, .otherAdapter: 5
        case .powerCycle, .reset: 24
        }
    }

    /// How long the step itself may take, without the time to see whether it has helped.
    var limit: Duration {
        switch self {
        case .restartScan, .newSession, .otherSource, .otherAdapter: .seconds(4)
        case .powerCycle: .seconds(6)
        case .reset: .seconds(8)
        }
    }
}

/// What is known about a silence, besides that nothing is received.
public enum SilenceSymptom: String, CaseIterable, Hashable, Sendable {
    /// The scan is active according to bluetoothd.
    case silentScan = "silent-scan"
    /// Bluetooth can be used, but bluetoothd has not started the scan.
    case noScan = "no-scan"

    /// The steps that can help, in their normal order.
    var steps: [RecoveryStep] {
        switch self {
        case .silentScan: RecoveryStep.allCases
        case .noScan: [.restartScan, .newSession, .powerCycle, .reset, .otherAdapter]
        }
    }
}

/// Why an adapter receives nothing although nothing is wrong with it. The gateway waits for the end of the obstacle.
public enum ScanObstacle: Hashable, Sendable {
    /// The adapter is off, and this gateway did not switch it off.
    case poweredOff
    /// rfkill blocks the adapter, and this gateway did not block it.
    case blocked
    /// The adapter is unplugged.
    case noAdapter
    /// bluetoothd does not run or does not answer.
    case noDaemon
    /// The system bus is not available.
    case noBus
    /// The gateway is not permitted to use Bluetooth, by this mechanism; nil if it is not known.
    case unauthorized(AccessControl?)
}
