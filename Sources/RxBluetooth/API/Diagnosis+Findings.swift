extension Diagnosis {
    /// The duration from which a scan, a connection, an operation or a pairing is reported as slow.
    static let worthMentioning = Duration.seconds(5)

    /// Returns the diagnosis for a bus that does not answer.
    static func ofSilentBus(_ switches: [RadioSwitch], _ selection: AdapterSelection) -> Diagnosis {
        var diagnosis = Diagnosis(
            state: nil, bus: .silent, daemon: .unknown, daemonVersion: nil, adapters: [],
            choice: selection.reason(for: nil),
            switches: switches, scanSource: nil, scans: [], foreignScans: [], connections: [], pairings: [],
            rejectedMessages: 0)
        diagnosis.findings = diagnosis.found(selection)
        return diagnosis
    }

    /// Returns the findings, with the most likely cause first; at least one.
    func found(_ selection: AdapterSelection) -> [Finding] {
        presentFindings(selection) + knownProblems
    }

    private var knownProblems: [Finding] {
        guard let version = daemonVersion else { return [] }
        return KnownProblem.of(version).map { Finding(.knownProblem, "bluetoothd \(version) \($0.text).", $0.advice) }
    }

    private func presentFindings(_ selection: AdapterSelection) -> [Finding] {
        var found = [obstacle(selection)].compactMap { $0 } + activities
        if rejectedMessages > 0 {
            found.append(
                Finding(
                    .malformedMessages,
                    rejectedMessages == 1
                        ? "bluetoothd has sent 1 malformed message, which was ignored."
                        : "bluetoothd has sent \(rejectedMessages) malformed messages, which were ignored.",
                    "If this happens again, report it to the BlueZ project."))
        }
        guard found.isEmpty else { return found }
        return scans.isEmpty && connections.isEmpty && pairings.isEmpty
            ? [
                Finding(
                    .idle, "Bluetooth can be used, and this program neither scans nor connects now.")
            ]
            : [Finding(.working, "Bluetooth can be used, and this program's operations are in progress.")]
    }

    /// Returns the first obstacle to the use of Bluetooth: bus, bluetoothd or adapter; nil if none.
    ///
    /// Later obstacles are not reported: they cannot be checked before the first obstacle is removed.
    private func obstacle(_ selection: AdapterSelection) -> Finding? {
        switch bus {
        case .reachable: break
        case .unreachable(let error) where error.kind == .unauthorized: return Finding(.unauthorized, error)
        case .unreachable(let error): return Finding(.busUnavailable, error)
        case .silent:
            return Finding(
                .busSilent, "The system bus does not answer.", "Check whether it hangs: systemctl status dbus.")
        }
        switch daemon {
        case .answers: return adapterObstacle(selection)
        case .refuses(_, let error) where error.kind == .unauthorized: return Finding(.unauthorized, error)
        case .refuses(_, let error):
            return Finding(
                .daemonRefuses, "bluetoothd answers with an error: \(error.code) (\(error.dbusName ?? "no name")).",
                as: BlueZClient.obstacle(afterSyncFailure: error))
        case .silent(let name):
            return Finding(
                .daemonSilent, "bluetoothd runs as \(name), but does not answer.",
                as: BlueZClient.obstacle(afterSyncFailure: BluetoothError(.timedOut)))
        case .notRunning, .unknown: return Finding(.daemonUnavailable, BluetoothError(.daemonUnavailable))
        }
    }

    /// Returns why no adapter can be used; nil if the selected adapter is on.
    private func adapterObstacle(_ selection: AdapterSelection) -> Finding? {
        let absence = BluetoothError(.noAdapter)
        let blocked = switches.first(where: \.isBlocked)
        if adapters.isEmpty {
            guard let blocked else { return Finding(.noAdapter, "There is no Bluetooth adapter.", as: absence) }
            return Finding(
                .noAdapter,
                "There is no Bluetooth adapter. The rfkill switch “\(blocked.name)” blocks a radio and may hide one.",
                blocked.blockage.advice)
        }
        guard let adapter = adapters.first(where: \.isSelected) else {
            let present = adapters.map(\.title).joined(separator: ", ")
            guard let wanted = selection.wanted else {
                return Finding(
                    .noAdapter, "No adapter can be a central, which scanning and connecting need: \(present).",
                    as: absence)
            }
            return Finding(
                .otherAdapters, "There is no adapter \(wanted); available adapters: \(present).",
                "Plug it in, or select another one.")
        }
        if adapter.isPowered { return nil }
        switch adapter.powerState {
        case .offBlocked:
            let own = switches.first { $0.isBlocked && $0.name == adapter.name } ?? blocked
            return Finding(
                .blocked, "The adapter \(adapter.title) is blocked by rfkill.",
                as: own?.blockage ?? BluetoothError(.blocked))
        case .offEnabling, .onDisabling:
            return Finding(
                .adapterChanging, "The adapter \(adapter.title) is being switched on or off.",
                "Wait a moment. If this does not end, unplug the adapter and plug it in again.")
        case .off, .on, nil:
            return Finding(
                .poweredOff, "The adapter \(adapter.title) is off.", as: BluetoothError(.poweredOff))
        }
    }

    /// The scans, connections and pairings that take long, with the longest first.
    private var activities: [Finding] {
        var found: [(Duration, Finding)] = []
        for scan in scans { found += scan.findings }
        for connection in connections { found += connection.findings(adapters) }
        for pairing in pairings { found += pairing.findings }
        return found.sorted { $0.0 > $1.0 }.map(\.1)
    }
}

extension Diagnosis.ScanStatus {
    fileprivate var findings: [(Duration, Diagnosis.Finding)] {
        switch step {
        case .starting(let refusals) where refusals > 0 || duration >= Diagnosis.worthMentioning:
            let why =
                switch refusals {
                case 0: "bluetoothd has not answered"
                case 1: "bluetoothd has refused it once"
                default: "bluetoothd has refused it \(refusals) times"
                }
            return [
                (
                    duration,
                    Diagnosis.Finding(
                        .scanNotStarted,
                        "A scan with \(adapter) has been starting for \(duration.spoken), and \(why).",
                        isPassive
                            ? "Restart bluetoothd, or scan with the mode .active."
                            : "End other scans and pairings with this adapter. If there are none, restart bluetoothd.")
                )
            ]
        case .active:
            let silence = sinceAdvertisement.map { min($0, duration) } ?? duration
            guard silence >= Diagnosis.worthMentioning else { return [] }
            return [
                (
                    silence,
                    Diagnosis.Finding(
                        .nothingHeard, "The scan with \(adapter) has received no advertisement for \(silence.spoken).",
                        (isPassive
                            ? "Check that a device advertises data nearby that the patterns match. "
                            : "Check that a device advertises nearby. ")
                            + "ScanOptions.restartsAfterSilence restarts silent scans."
                    )
                )
            ]
        case .starting, .stopping: return []
        }
    }
}

extension Diagnosis.ConnectionStatus {
    /// Why a lost link is not restored. A connection waits for its own adapter, also if there is another one.
    private func outageFinding(_ duration: Duration, _ adapters: [Adapter]) -> Diagnosis.Finding {
        let lost = "The connection to \(peripheral.address) has been lost for \(duration.spoken)"
        let own = adapters.first { adapter in
            peripheral.adapterAddress.map { adapter.address == $0 } ?? (adapter.name == peripheral.adapterName)
        }
        let name = peripheral.adapterAddress?.description ?? peripheral.adapterName ?? "of the connection"
        if own == nil, !adapters.isEmpty {
            return Diagnosis.Finding(
                .connecting, "\(lost) and waits for its adapter \(name), which is absent.",
                "Plug the adapter in, or connect again to use another one.")
        }
        if let own, !own.isPowered {
            return Diagnosis.Finding(
                .connecting, "\(lost) and waits for its adapter \(own.title), which is off.",
                "Switch the adapter on, or connect again to use another one.")
        }
        return Diagnosis.Finding(
            .connecting, "\(lost) and is retried" + (cause.map { " (\($0.code))." } ?? "."),
            "Check that the device is on, nearby, and not connected to another device.")
    }

    fileprivate func findings(_ adapters: [Adapter]) -> [(Duration, Diagnosis.Finding)] {
        if let disconnectedFor, disconnectedFor >= Diagnosis.worthMentioning {
            return [(disconnectedFor, outageFinding(disconnectedFor, adapters))]
        }
        if step == .connecting, duration >= Diagnosis.worthMentioning {
            return [
                (
                    duration,
                    Diagnosis.Finding(
                        .connecting,
                        "The connection to \(peripheral.address) has been under way for \(duration.spoken).",
                        "Check that the device is on, nearby, and not connected to another device.")
                )
            ]
        }
        let limit = min(overdueAfter ?? Diagnosis.worthMentioning, Diagnosis.worthMentioning)
        guard let running, let runningFor, runningFor >= limit else { return [] }
        if running.operation == .exclusiveAccess {
            return [
                (
                    runningFor,
                    Diagnosis.Finding(
                        .operationRuns,
                        "An exclusive access to \(peripheral.address) has been in progress for \(runningFor.spoken)"
                            + "\(waitingText).",
                        "Wait for its deadline, or dispose of the access.")
                )
            ]
        }
        return [
            (
                runningFor,
                Diagnosis.Finding(
                    .operationRuns,
                    "The operation \(running.phrase) has had no answer for \(runningFor.spoken)\(waitingText).",
                    "Wait for its deadline, or disconnect from the device.")
            )
        ]
    }
}

extension Diagnosis.PairingStatus {
    fileprivate var findings: [(Duration, Diagnosis.Finding)] {
        guard duration >= Diagnosis.worthMentioning, step == .preparing || step == .pairing else { return [] }
        return [
            (
                duration,
                Diagnosis.Finding(
                    .pairing, "A pairing with \(peripheral.address) has been under way for \(duration.spoken).",
                    "Check that the device is in pairing mode, and that no pairing request waits for an answer.")
            )
        ]
    }
}

extension Diagnosis.Finding {
    init(_ cause: Diagnosis.Cause, _ text: String, _ advice: String? = nil) {
        self.init(cause: cause, text: text, advice: advice, error: nil)
    }

    /// Makes a finding with a text of its own, and the advice of the error with which operations fail.
    fileprivate init(_ cause: Diagnosis.Cause, _ text: String, as error: BluetoothError) {
        self.init(cause: cause, text: text, advice: error.advice, error: error)
    }

    /// Makes a finding with the summary and the advice of an error, without its operation.
    fileprivate init(_ cause: Diagnosis.Cause, _ error: BluetoothError) {
        let bare = BluetoothError(error.kind, dbusName: error.dbusName, dbusMessage: error.dbusMessage)
        var text = bare.description
        if let advice = bare.advice { text = String(text.dropLast(advice.count + 1)) }
        // Begins with a capital letter, except for the name bluetoothd.
        let start = text.hasPrefix("bluetoothd") ? "b" : text.prefix(1).uppercased()
        self.init(cause, start + text.dropFirst(), as: bare)
    }
}

extension RadioSwitch {
    /// The error for an adapter that this switch blocks.
    fileprivate var blockage: BluetoothError { BluetoothError(.blocked).withHardwareBlock(isHardBlocked) }
}

extension Adapter {
    /// The name, followed by the address if it is known.
    var title: String { address.map { "\(name) (\($0))" } ?? name }
}
