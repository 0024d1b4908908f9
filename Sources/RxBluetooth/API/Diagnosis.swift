public import Rx

/// The state of everything between this program and a device, with the likely causes of a problem.
///
/// ``BluetoothManager/diagnose()`` creates it. ``description`` is plain sentences, with the most likely cause first.
public struct Diagnosis: Equatable, Sendable {
    /// Whether Bluetooth can be used; nil if that was not known in time.
    public let state: BluetoothState?
    /// The state of the system bus.
    public let bus: BusStatus
    /// The state of bluetoothd.
    public let daemon: DaemonStatus
    /// The adapters of this machine, by number.
    public let adapters: [Adapter]
    /// Why the manager uses its adapter, or none, as a sentence.
    public let choice: String
    /// The rfkill switches; empty without a ``HostController``.
    public let switches: [RadioSwitch]
    /// The discovery sessions of this manager.
    public let scans: [ScanStatus]
    /// The adapters with which only other programs scan.
    public let foreignScans: [ForeignScan]
    /// The connections of this manager, by address.
    public let connections: [ConnectionStatus]
    /// The pairings of this manager.
    public let pairings: [PairingStatus]
    /// The number of malformed messages from bluetoothd since the bus was opened.
    public let rejectedMessages: Int
    /// The findings, with the most likely cause first. There is at least one.
    public internal(set) var findings: [Finding] = []

    /// The state of the system bus.
    public enum BusStatus: Equatable, Sendable {
        /// The bus answers.
        case reachable
        /// There is no bus, or the connection to it was lost.
        case unreachable(BluetoothError)
        /// The bus did not answer in time.
        case silent
    }

    /// The state of bluetoothd. The name is that of its bus connection, for example `:1.5`.
    public enum DaemonStatus: Equatable, Sendable {
        /// bluetoothd answers.
        case answers(name: String)
        /// bluetoothd runs and did not answer in time.
        case silent(name: String)
        /// bluetoothd answers with an error.
        case refuses(name: String, BluetoothError)
        /// bluetoothd does not run.
        case notRunning
        /// The state is not known, because the bus does not answer.
        case unknown
    }

    /// The state of a discovery session of this manager.
    public struct ScanStatus: Equatable, Sendable {
        /// The name of the adapter, for example `hci0`.
        public let adapter: String
        /// The step that the session is in.
        public let step: Step
        /// The time since this step began.
        public let duration: Duration
        /// The number of scans that share the session.
        public let subscribers: Int
        /// The time since the last advertisement of any device; nil if there was none.
        public let sinceAdvertisement: Duration?

        /// The step of a discovery session.
        public enum Step: Equatable, Sendable {
            /// The session is starting. bluetoothd has refused to start it this many times.
            case starting(refusals: Int)
            /// The session is active.
            case active
            /// The session is stopping.
            case stopping
        }
    }

    /// A scan of other programs. bluetoothd does not report which ones.
    public struct ForeignScan: Equatable, Sendable {
        /// The name of the adapter, for example `hci0`.
        public let adapter: String
        /// The time since the scan began; nil if it began before this manager opened the bus.
        public let duration: Duration?
    }

    /// The state of a connection of this manager.
    public struct ConnectionStatus: Equatable, Sendable {
        /// The connected peripheral.
        public let peripheral: Peripheral
        /// The step that the connection is in.
        public let step: Step
        /// The time since this step began.
        public let duration: Duration
        /// The operation that is running; nil if there is none.
        public let running: QueuedOperation?
        /// The time since that operation started; nil if there is none.
        public let runningFor: Duration?
        /// The number of operations that wait for it.
        public let waiting: Int
        /// The time without a link while a reconnection is in progress; nil otherwise.
        ///
        /// See ``ConnectOptions/reconnection``.
        public let disconnectedFor: Duration?
        /// The latest reason for being without a link; nil if there is a link or no reconnection.
        public let cause: BluetoothError?

        /// The step of a connection.
        public enum Step: String, Equatable, Sendable {
            /// The steps in their order.
            ///
            /// - `connecting`: is being made.
            /// - `connected`: is established.
            /// - `losing`: the link is lost, and the reason is being determined.
            /// - `closing`: is being closed.
            /// - `waiting`: for the next attempt to reconnect.
            case connecting, connected, losing, closing, waiting
        }
    }

    /// The state of a pairing of this manager.
    public struct PairingStatus: Equatable, Sendable {
        /// The device that pairs.
        public let peripheral: Peripheral
        /// The step that the pairing is in.
        public let step: Step
        /// The time since this step began.
        public let duration: Duration

        /// The step of a pairing.
        public enum Step: String, Equatable, Sendable {
            /// The steps in their order.
            ///
            /// - `waiting`: for another pairing to end.
            /// - `preparing`: waits for the agent and the link.
            /// - `pairing`: waits for bluetoothd and the user's answer.
            /// - `undoing`: is being cancelled.
            case waiting, preparing, pairing, undoing
        }
    }

    /// A possible cause of a problem.
    public struct Finding: Equatable, Sendable {
        /// The cause, for programs.
        public let cause: Cause
        /// The cause as a sentence.
        public let text: String
        /// What to do, as a sentence; nil if there is nothing to do.
        public let advice: String?
    }

    /// A possible cause of a problem. The raw values are the same in all versions.
    public enum Cause: String, CaseIterable, Sendable {
        /// There is no system bus.
        case busUnavailable = "bus-unavailable"
        /// The system bus does not answer.
        case busSilent = "bus-silent"
        /// This process is not permitted to use bluetoothd.
        case unauthorized = "unauthorized"
        /// bluetoothd does not run.
        case daemonUnavailable = "daemon-unavailable"
        /// bluetoothd runs and does not answer.
        case daemonSilent = "daemon-silent"
        /// bluetoothd answers with an error.
        case daemonRefuses = "daemon-refuses"
        /// There is no adapter that can be used.
        case noAdapter = "no-adapter"
        /// There are adapters, but not the selected one.
        case otherAdapters = "other-adapters"
        /// rfkill blocks the adapter.
        case blocked = "blocked"
        /// The adapter is off.
        case poweredOff = "powered-off"
        /// The adapter is being switched on or off.
        case adapterChanging = "adapter-changing"
        /// bluetoothd refuses to start a scan, or has not answered for 5 s.
        case scanNotStarted = "scan-not-started"
        /// A scan has received nothing for 5 s.
        case nothingHeard = "nothing-heard"
        /// Connecting has taken 5 s, or a lost connection has not come back for 5 s.
        case connecting = "connecting"
        /// An operation has had no answer for 5 s.
        case operationRuns = "operation-runs"
        /// A pairing has taken 5 s.
        case pairing
        /// bluetoothd has sent malformed messages.
        case malformedMessages = "malformed-messages"
        /// There is no problem, and something is in progress.
        case working = "working"
        /// There is no problem, and this manager does nothing.
        case idle = "idle"

        /// Whether Bluetooth cannot be used because of this cause.
        public var isObstacle: Bool {
            switch self {
            case .busUnavailable, .busSilent, .unauthorized, .daemonUnavailable, .daemonSilent, .daemonRefuses,
                .noAdapter, .otherAdapters, .blocked, .poweredOff, .adapterChanging:
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
    /// Determines why nothing happens, or what is in progress.
    ///
    /// It checks the bus, bluetoothd and the adapter. It reports scans, the time of the last advertisement, and the
    /// state of each connection and pairing.
    ///
    /// Emits one ``Diagnosis``, also if nothing answers: after ``Deadlines/diagnosis`` (default: 2 s) at the latest, or
    /// 0.5 s later if the bus cannot be opened. Fails only with ``BluetoothError/Kind/closed``. Cold: subscribing opens
    /// the bus if necessary and sends one request to bluetoothd, which changes nothing. Delivers on the manager's
    /// queue.
    public func diagnose() -> Single<Diagnosis> {
        let (access, selection) = (access, selection)
        return Observable.deferred {
            let settings = access.settings
            let switches = settings.controller?.radioSwitches() ?? []
            let collected: Observable<Diagnosis> = access.stream { client, emitter in
                DiagnosisCollector(client, switches, selection, emitter).begin()
            }
            // A deadline in the client does not run before the bus is open.
            let late = access.pause(settings.deadlines.diagnosis.timer + .milliseconds(500))
                .map { _ in Diagnosis.ofSilentBus(switches, selection) }
            return collected.amb(late).take(1)
        }
        .asSingle()
    }
}
