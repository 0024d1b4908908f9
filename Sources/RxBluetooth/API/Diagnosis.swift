public import Rx

/// Why nothing happens, or what does: all that stands between a program and a device, from the bus to the queue of a connection.
/// ``BluetoothManager/diagnose()`` makes it. Its description is plain sentences, the most likely cause first.
public struct Diagnosis: Equatable, Sendable {
    /// Whether Bluetooth can be used; nil where that was not found out in time.
    public let state: BluetoothState?
    /// How the system bus stands.
    public let bus: BusStatus
    /// How bluetoothd stands.
    public let daemon: DaemonStatus
    /// The machine's adapters, by number.
    public let adapters: [Adapter]
    /// Why the manager works with the adapter that it works with, or with none, as a sentence.
    public let choice: String
    /// The switches by which the kernel may keep adapters off; none where there is no ``HostController``.
    public let switches: [RadioSwitch]
    /// The discovery sessions of this manager.
    public let scans: [ScanStatus]
    /// The adapters with which only other programs scan.
    public let foreignScans: [ForeignScan]
    /// The connections of this manager, by address.
    public let connections: [ConnectionStatus]
    /// The pairings of this manager.
    public let pairings: [PairingStatus]
    /// How many malformed messages bluetoothd has sent since the bus was opened.
    public let rejectedMessages: Int
    /// What may be why nothing happens, the most likely first; at least one.
    public internal(set) var findings: [Finding] = []

    /// How the system bus stands.
    public enum BusStatus: Equatable, Sendable {
        /// It is there, and answers.
        case reachable
        /// It is not, or was lost.
        case unreachable(BluetoothError)
        /// It is there and did not answer in time.
        case silent
    }

    /// How bluetoothd stands. The name is that of its connection to the bus, for example `:1.5`.
    public enum DaemonStatus: Equatable, Sendable {
        /// It answers.
        case answers(name: String)
        /// It runs and did not answer in time.
        case silent(name: String)
        /// It answers that it will not.
        case refuses(name: String, BluetoothError)
        /// It does not run.
        case notRunning
        /// That is not known, because of the bus.
        case unknown
    }

    /// A discovery session of this manager.
    public struct ScanStatus: Equatable, Sendable {
        /// With which adapter.
        public let adapter: String
        /// How far it is.
        public let step: Step
        /// How long it has been so.
        public let duration: Duration
        /// How many scans share it.
        public let subscribers: Int
        /// How long ago any device was heard; nil for never.
        public let sinceAdvertisement: Duration?

        /// How far a session is.
        public enum Step: Equatable, Sendable {
            /// It is being started; bluetoothd has refused so often (Q38).
            case starting(refusals: Int)
            /// It is on.
            case active
            /// It is being stopped.
            case stopping
        }
    }

    /// That other programs scan with an adapter. bluetoothd does not tell which.
    public struct ForeignScan: Equatable, Sendable {
        /// With which adapter.
        public let adapter: String
        /// For how long; nil where they did so before this manager came.
        public let duration: Duration?
    }

    /// A connection of this manager.
    public struct ConnectionStatus: Equatable, Sendable {
        /// To whom.
        public let peripheral: Peripheral
        /// How far it is.
        public let step: Step
        /// How long it has been so.
        public let duration: Duration
        /// The operation that has its turn; nil for none.
        public let running: QueuedOperation?
        /// How long it has it.
        public let runningFor: Duration?
        /// How many operations wait behind it.
        public let waiting: Int
        /// How long there has been no link where there is to be one again (``ConnectOptions/reconnection``); nil where there is one.
        public let disconnectedFor: Duration?
        /// The last reason for that.
        public let cause: BluetoothError?

        /// How far a connection is.
        public enum Step: String, Equatable, Sendable {
            /// It is being made, it is up, it is down and why is being asked, it is being closed, or it waits to be made again.
            case connecting, connected, losing, closing, waiting
        }
    }

    /// A pairing of this manager.
    public struct PairingStatus: Equatable, Sendable {
        /// With whom.
        public let peripheral: Peripheral
        /// How far it is.
        public let step: Step
        /// How long it has been so.
        public let duration: Duration

        /// How far a pairing is.
        public enum Step: String, Equatable, Sendable {
            /// It waits for another pairing, for the agent and the link, for bluetoothd and whoever answers, or to be called off.
            case waiting, preparing, pairing, undoing
        }
    }

    /// Something that may be why nothing happens.
    public struct Finding: Equatable, Sendable {
        /// What it is.
        public let cause: Cause
        /// The same in a sentence.
        public let text: String
        /// What to do about it, in a sentence; nil where there is nothing.
        public let advice: String?
    }

    /// What may be why nothing happens. The raw values stay the same in all versions.
    public enum Cause: String, CaseIterable, Sendable {
        /// There is no system bus.
        case busUnavailable = "bus-unavailable"
        /// The system bus does not answer.
        case busSilent = "bus-silent"
        /// This process may not speak to bluetoothd.
        case permissionDenied = "permission-denied"
        /// bluetoothd does not run.
        case daemonUnavailable = "daemon-unavailable"
        /// bluetoothd runs and does not answer.
        case daemonSilent = "daemon-silent"
        /// bluetoothd answers with an error.
        case daemonRefuses = "daemon-refuses"
        /// There is no adapter.
        case noAdapter = "no-adapter"
        /// There are adapters, and not the one that was asked for.
        case otherAdapters = "other-adapters"
        /// rfkill keeps the adapter off.
        case adapterBlocked = "adapter-blocked"
        /// The adapter is off.
        case adapterOff = "adapter-off"
        /// The adapter is being switched on or off.
        case adapterChanging = "adapter-changing"
        /// bluetoothd refuses to scan, or does not answer.
        case scanNotStarted = "scan-not-started"
        /// A scan is on, and nothing was heard for a while.
        case nothingHeard = "nothing-heard"
        /// A connection has been under way for a while.
        case connecting = "connecting"
        /// An operation has had its turn for a while, and others wait behind it.
        case operationRuns = "operation-runs"
        /// A pairing has been under way for a while.
        case pairing
        /// bluetoothd sent messages that make no sense.
        case malformedMessages = "malformed-messages"
        /// Nothing stands in the way, and something is under way.
        case working = "working"
        /// Nothing stands in the way, and nothing was asked for.
        case idle = "idle"

        /// Whether Bluetooth cannot be used for this reason.
        public var isObstacle: Bool {
            switch self {
            case .busUnavailable, .busSilent, .permissionDenied, .daemonUnavailable, .daemonSilent, .daemonRefuses,
                .noAdapter, .otherAdapters, .adapterBlocked, .adapterOff, .adapterChanging:
                true
            case .scanNotStarted, .nothingHeard, .connecting, .operationRuns, .pairing, .malformedMessages, .working,
                .idle:
                false
            }
        }
    }

    /// The most likely cause.
    public var cause: Cause { findings.first?.cause ?? .idle }
}

extension BluetoothManager {
    /// Finds out why nothing happens: whether the bus, bluetoothd and the adapter can be used and which stands in the way, who scans,
    /// when a device was heard last, and what each connection is about.
    ///
    /// Emits one ``Diagnosis``, also where nothing answers at all: at the latest after ``Deadlines/diagnosis``, 2 s, and where the
    /// bus gives no sign of life half a second later. Fails with ``BluetoothError/Kind/closed`` only. Cold: it
    /// opens the bus where that is not open, asks bluetoothd for one property, and disturbs nothing that is under way.
    public func diagnose() -> Single<Diagnosis> {
        let (access, selection) = (access, selection)
        return Observable.deferred {
            let settings = access.settings
            let switches = settings.controller?.radioSwitches() ?? []
            let collected: Observable<Diagnosis> = access.stream { client, emitter in
                DiagnosisCollector(client, switches, selection, emitter).begin()
            }
            // A bus that does not even open has no clock that runs.
            let late = access.pause(settings.deadlines.diagnosis.timer + .milliseconds(500))
                .map { _ in Diagnosis.ofSilentBus(switches, selection) }
            return collected.amb(late).take(1)
        }
        .asSingle()
    }
}
