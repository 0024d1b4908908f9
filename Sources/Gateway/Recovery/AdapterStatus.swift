public import RxBluetooth

/// The state and the counts of a supervised adapter.
public struct AdapterStatus: Sendable {
    /// The name of the adapter, for example `hci0`; nil while it is not known.
    public var name: String?
    /// The adapter that is supervised.
    public var adapter: AdapterSelection
    /// The recovery step in progress; nil if none is.
    public var step: RecoveryStep?
    /// Whether the adapter is silent, and no obstacle explains it.
    public var isSilent: Bool
    /// Why the adapter cannot receive; nil if no obstacle is known.
    public var obstacle: ScanObstacle?
    /// The number of advertisements since the start.
    public var advertisements: UInt64
    /// The normal number of independent advertisements per second. A burst counts once.
    public var rate: Double
    /// The time since the last advertisement, or since the start.
    public var sinceAdvertisement: Duration
    /// The silence that is normal in the present surroundings.
    public var allowedSilence: Duration
    /// Whether advertisements come from the management socket of the kernel.
    public var usesManagement: Bool
    /// How often each step was tried and has helped.
    public var counts: [RecoveryStep: StepCount]
    /// The step that began last; nil if none has.
    public var lastStep: RecoveryStep?
    /// The time since it began.
    public var sinceLastStep: Duration?
}

/// What happened to a supervised adapter.
public struct SupervisionEvent: Hashable, Sendable {
    /// The name of the adapter, for example `hci0`.
    public var adapter: String
    /// What happened.
    public var report: RecoveryReport
    /// Whether links deliver values and only a few devices are silent, so that the silence is probably no fault.
    public var isHarmless: Bool

    /// Creates an event.
    public init(adapter: String, report: RecoveryReport, isHarmless: Bool = false) {
        self.adapter = adapter
        self.report = report
        self.isHarmless = isHarmless
    }
}

extension ScanObstacle {
    /// The obstacle that an error of ``BluetoothManager/obstacle`` stands for.
    init(_ error: BluetoothError) {
        switch error.kind {
        case .poweredOff: self = .poweredOff
        case .blocked: self = .blocked
        case .noAdapter: self = .noAdapter
        case .unauthorized: self = .unauthorized(error.accessControl)
        case .busUnavailable: self = .noBus
        default: self = .noDaemon
        }
    }

    /// The word for the status and the metrics, which have one for all missing permissions.
    var word: String {
        switch self {
        case .poweredOff: "powered-off"
        case .blocked: "blocked"
        case .noAdapter: "no-adapter"
        case .noDaemon: "no-daemon"
        case .noBus: "no-bus"
        case .unauthorized: "unauthorized"
        }
    }

    /// Whether a permission is missing.
    var isMissingPermission: Bool { word == Self.unauthorized(nil).word }
}
