public import Rx

/// The state of bus, bluetoothd, adapters and connections, with the likely causes of a problem.
///
/// ``BluetoothManager/diagnose()`` emits a diagnosis. ``description`` is the diagnosis in sentences, with the most
/// likely cause first.
public struct Diagnosis: Equatable, Sendable {
    /// The state of Bluetooth; nil if it was not known before the deadline.
    public let state: BluetoothState?
    /// The state of the system bus.
    public let bus: BusStatus
    /// The state of bluetoothd.
    public let daemon: DaemonStatus
    /// The version of bluetoothd; nil if it is not known, see ``BluetoothManager/daemonVersion``.
    public let daemonVersion: BlueZVersion?
    /// The adapters of this machine, ordered by number.
    public let adapters: [Adapter]
    /// A sentence with the reason why the manager uses its adapter, or no adapter.
    public let choice: String
    /// The rfkill switches of this machine; empty without a ``HostController``.
    public let switches: [RadioSwitch]
    /// The source that the next scan would use; nil if it was not known before the deadline.
    ///
    /// It applies to scans with the source ``ScanSource/automatic``.
    public let scanSource: ScanSourceStatus?
    /// The discovery sessions of this manager.
    public let scans: [ScanStatus]
    /// The scans of other programs, with adapters that this manager does not scan with.
    public let foreignScans: [ForeignScan]
    /// The connections of this manager, ordered by the address of the peripheral.
    public let connections: [ConnectionStatus]
    /// The pairings of this manager.
    public let pairings: [PairingStatus]
    /// The number of malformed messages from bluetoothd since the bus was opened.
    public let rejectedMessages: Int
    /// The findings, with the most likely cause first. There is at least one.
    ///
    /// Known problems of the version of bluetoothd follow all others, so they are never the ``cause``.
    public internal(set) var findings: [Finding] = []

    /// The state of the system bus.
    public enum BusStatus: Equatable, Sendable {
        /// The bus answers.
        case reachable
        /// There is no bus, or the connection to it was lost.
        case unreachable(BluetoothError)
        /// The bus did not answer before the deadline.
        case silent
    }

    /// The state of bluetoothd. The name is the bus name of its connection, for example `:1.5`.
    public enum DaemonStatus: Equatable, Sendable {
        /// bluetoothd answers.
        case answers(name: String)
        /// bluetoothd runs, but did not answer before the deadline.
        case silent(name: String)
        /// bluetoothd answers with an error.
        case refuses(name: String, BluetoothError)
        /// bluetoothd does not run.
        case notRunning
        /// The state of bluetoothd is not known, for example because the bus does not answer.
        case unknown
    }

    /// The state of a session of this manager's scans: a discovery session, or a monitor for passive scans.
    public struct ScanStatus: Equatable, Sendable {
        /// The name of the adapter, for example `hci0`.
        public let adapter: String
        /// Whether the scans are passive, so that the session is a monitor in bluetoothd, see ``ScanMode``.
        public let isPassive: Bool
        /// The step that the session is in.
        public let step: Step
        /// The time since this step began.
        public let duration: Duration
        /// The number of scans that share the session.
        public let subscribers: Int
        /// The time since the last advertisement of any device; nil if none was received.
        public let sinceAdvertisement: Duration?
        /// The number of scan results that the present scans have lost because their subscribers were too slow.
        ///
        /// See ``ScanOptions/buffer``.
        public let droppedResults: Int
        /// The source of the advertisements: ``ScanSource/management`` if at least one of the scans uses it.
        public let source: ScanSourceStatus
        /// The number of packets with malformed data from the management socket, on all adapters.
        ///
        /// The other data of such a packet is used.
        public let malformedPackets: Int

        /// The step of a session.
        public enum Step: Equatable, Sendable {
            /// The session is starting. `refusals` counts how often bluetoothd refused to start it.
            case starting(refusals: Int)
            /// The session is active.
            case active
            /// The session is stopping.
            case stopping
        }
    }

    /// The source of advertisements that a scan uses, and the reason.
    public struct ScanSourceStatus: Equatable, Sendable {
        /// The source: ``ScanSource/dbus`` or ``ScanSource/management``.
        public let source: ScanSource
        /// The reason as the end of a sentence, without a full stop.
        public let reason: String

        /// The source and the reason as a sentence.
        public var sentence: String {
            switch source {
            case .management: "Advertisements are received from the kernel's management socket: \(reason)."
            case .dbus, .automatic: "Advertisements are received from bluetoothd over D-Bus: \(reason)."
            }
        }
    }

    /// A scan of one or more other programs. bluetoothd does not report which programs scan.
    public struct ForeignScan: Equatable, Sendable {
        /// The name of the adapter, for example `hci0`.
        public let adapter: String
        /// The time since the scan began; nil if the scan began before this manager opened the bus.
        public let duration: Duration?
    }

    /// The state of a connection of this manager.
    public struct ConnectionStatus: Equatable, Sendable {
        /// The peripheral of the connection.
        public let peripheral: Peripheral
        /// The step that the connection is in.
        public let step: Step
        /// The time since this step began.
        public let duration: Duration
        /// The GATT operation that is running; nil if none is running.
        public let running: QueuedOperation?
        /// The time since the start of the running operation; nil if none is running.
        public let runningFor: Duration?
        /// The time after which the running operation takes much longer than usual; nil if none is running.
        public let overdueAfter: Duration?
        /// The number of operations that wait behind the running operation.
        public let waiting: Int
        /// The time without a link while a reconnection is in progress; nil otherwise.
        ///
        /// See ``ConnectOptions/reconnection``.
        public let disconnectedFor: Duration?
        /// Why the link was lost or the last attempt failed; nil with a link or without reconnection.
        public let cause: BluetoothError?

        /// The step of a connection.
        public enum Step: String, Equatable, Sendable {
            /// The steps of a connection in their order.
            ///
            /// - `connecting`: The connection is being made.
            /// - `connected`: The connection is established.
            /// - `losing`: The link is lost, and the reason is being determined.
            /// - `closing`: The connection is being closed.
            /// - `waiting`: The connection waits for the next attempt to reconnect.
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
            /// The steps of a pairing in their order.
            ///
            /// - `waiting`: The pairing waits for the end of another pairing.
            /// - `preparing`: The pairing waits for the agent and the link.
            /// - `pairing`: The pairing waits for bluetoothd and the user's answer.
            /// - `undoing`: The pairing is being cancelled.
            case waiting, preparing, pairing, undoing
        }
    }

    /// A possible cause of a problem.
    public struct Finding: Equatable, Sendable {
        /// The cause as a constant that programs can compare.
        public let cause: Cause
        /// The cause as a sentence for users.
        public let text: String
        /// What to do, as a sentence; nil if there is nothing to do.
        public let advice: String?
        /// The error with which operations fail because of an obstacle, and which has the same advice.
        ///
        /// Nil if operations do not fail, or if their error does not contain what the diagnosis has found.
        package let error: BluetoothError?
    }

    /// The kind of a finding. The raw values stay the same in all versions.
    public enum Cause: String, CaseIterable, Sendable {
        /// There is no system bus.
        case busUnavailable = "bus-unavailable"
        /// The system bus does not answer.
        case busSilent = "bus-silent"
        /// This process is not permitted to use bluetoothd.
        case unauthorized = "unauthorized"
        /// bluetoothd does not run.
        case daemonUnavailable = "daemon-unavailable"
        /// bluetoothd runs, but does not answer.
        case daemonSilent = "daemon-silent"
        /// bluetoothd answers with an error.
        case daemonRefuses = "daemon-refuses"
        /// There is no adapter, or no adapter supports the central role.
        case noAdapter = "no-adapter"
        /// There are adapters, but the selected adapter is absent.
        case otherAdapters = "other-adapters"
        /// rfkill blocks the adapter.
        case blocked = "blocked"
        /// The adapter is off.
        case poweredOff = "powered-off"
        /// The adapter is being switched on or off.
        case adapterChanging = "adapter-changing"
        /// bluetoothd refuses to start a scan, or has not answered the request for 5 s.
        case scanNotStarted = "scan-not-started"
        /// A scan has received no advertisement for 5 s.
        case nothingHeard = "nothing-heard"
        /// Connecting takes longer than 5 s, or a lost link has not been restored for 5 s.
        case connecting = "connecting"
        /// An operation has had no answer for 5 s, or for much longer than usual.
        case operationRuns = "operation-runs"
        /// A pairing takes longer than 5 s.
        case pairing
        /// bluetoothd has sent malformed messages.
        case malformedMessages = "malformed-messages"
        /// This version of bluetoothd has a known defect. The text describes it.
        case knownProblem = "known-problem"
        /// There is no problem, and scans, connections or pairings are in progress.
        case working = "working"
        /// There is no problem, and this manager has no scan, connection or pairing.
        case idle = "idle"

        /// Whether the cause prevents any use of Bluetooth.
        public var isObstacle: Bool {
            switch self {
            case .busUnavailable, .busSilent, .unauthorized, .daemonUnavailable, .daemonSilent, .daemonRefuses,
                .noAdapter, .otherAdapters, .blocked, .poweredOff, .adapterChanging:
                true
            case .scanNotStarted, .nothingHeard, .connecting, .operationRuns, .pairing, .malformedMessages,
                .knownProblem, .working, .idle:
                false
            }
        }
    }

    /// The cause of the first finding, which is the most likely cause.
    public var cause: Cause { findings.first?.cause ?? .idle }
}

extension BluetoothManager {
    /// Finds out why Bluetooth does not work, or what is in progress.
    ///
    /// The diagnosis covers the bus, bluetoothd and the adapter, the scans with the time since the last advertisement,
    /// and the state of each connection and pairing.
    ///
    /// Emits one ``Diagnosis`` after ``Deadlines/diagnosis`` (default: 2 s) at the latest, even if neither the bus nor
    /// bluetoothd answers; 0.5 s later if the bus cannot be opened. Fails only with ``BluetoothError/Kind/closed``.
    /// Cold: subscribing opens the bus if necessary, and sends one request to bluetoothd that changes nothing. Delivers
    /// on the manager's queue.
    public func diagnose() -> Single<Diagnosis> {
        let (access, selection) = (access, selection)
        return Observable.deferred {
            let settings = access.settings
            let switches = settings.controller?.radioSwitches() ?? []
            let collected: Observable<Diagnosis> = access.stream { client, emitter in
                DiagnosisCollector(client, switches, selection, emitter).begin()
            }
            // Emits a diagnosis even if the bus never opens: the client's own deadline starts only when it is open.
            let late = access.pause(settings.deadlines.diagnosis.timer + .milliseconds(500))
                .map { _ in Diagnosis.ofSilentBus(switches, selection) }
            return collected.amb(late).take(1)
        }
        .asSingle()
    }
}
