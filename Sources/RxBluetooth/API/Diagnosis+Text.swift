extension Diagnosis: CustomStringConvertible {
    /// The findings with their advice, then all ``facts``, one per line.
    public var description: String {
        let causes = findings.map { finding in [finding.text, finding.advice].compactMap { $0 }.joined(separator: " ") }
        return (causes + facts).joined(separator: "\n")
    }

    /// The facts of the diagnosis as sentences, from the state of the bus to the pairings.
    public var facts: [String] {
        [busText, daemonText].compactMap { $0 } + adapters.map(\.sentence) + (adapters.isEmpty ? [] : [choice])
            + switches.map(\.sentence)
            + sourceTexts + scans.map(\.sentence) + foreignScanTexts + connections.map(\.sentence)
            + pairings.map(\.sentence)
    }

    private var busText: String? {
        switch bus {
        case .reachable: "The system bus is reachable."
        case .unreachable: nil
        case .silent: nil
        }
    }

    private var daemonText: String? {
        let daemonName = daemonVersion.map { "bluetoothd \($0)" } ?? "bluetoothd"
        return switch daemon {
        case .answers(let name): "\(daemonName) runs as \(name) and answers."
        case .refuses(let name, _): "\(daemonName) runs as \(name)."
        case .silent, .notRunning, .unknown: nil
        }
    }

    /// The sources of the scans; without a scan, the source that the next one would use.
    private var sourceTexts: [String] {
        var sources = scans.map(\.source)
        if sources.isEmpty, let scanSource { sources = [scanSource] }
        var texts: [String] = []
        for text in sources.map(\.sentence) where !texts.contains(text) { texts.append(text) }
        return texts
    }

    private var foreignScanTexts: [String] {
        foreignScans.map { scan in
            guard let duration = scan.duration else { return "Another program scans with \(scan.adapter)." }
            return "Another program has been scanning with \(scan.adapter) for \(duration.spoken)."
        }
    }
}

extension Adapter {
    fileprivate var sentence: String {
        let power =
            switch powerState {
            case .offBlocked: "blocked by rfkill"
            case .offEnabling: "being switched on"
            case .onDisabling: "being switched off"
            case .on, .off, nil: isPowered ? "on" : "off"
            }
        return "The adapter \(title) is \(power)" + (isCentral ? "." : ", and cannot be a central.")
    }
}

extension RadioSwitch {
    fileprivate var sentence: String {
        switch (isSoftBlocked, isHardBlocked) {
        case (false, false): "The rfkill switch “\(name)” does not block its radio."
        case (true, false): "The rfkill switch “\(name)” blocks its radio by software or a key."
        case (_, true): "The rfkill switch “\(name)” blocks its radio in hardware."
        }
    }
}

extension Diagnosis.ScanStatus {
    fileprivate var sentence: String {
        let scans = subscribers == 1 ? "1 scan" : "\(subscribers) scans"
        switch step {
        case .starting:
            return "\(session) with \(adapter) for \(scans) has been starting for \(duration.spoken)."
        case .stopping: return "\(session) with \(adapter) is being stopped."
        case .active:
            let heard = sinceAdvertisement.map { "last advertisement \($0.spoken) ago" } ?? "no advertisement yet"
            let time = "for \(duration.spoken) (\(scans))"
            let verb = isPassive ? "scanning passively" : "scanning"
            return "This program has been \(verb) with \(adapter) \(time); \(heard)\(lossText)."
        }
    }

    private var session: String { isPassive ? "A monitor for passive scans" : "A discovery session" }
}

extension Diagnosis.ScanStatus {
    /// The number of dropped results as the end of a sentence; empty if there are none.
    private var lossText: String {
        droppedResults == 0 ? "" : "; its subscribers were too slow for \(droppedResults) results, which were dropped"
    }
}

extension Diagnosis.ConnectionStatus {
    fileprivate var sentence: String {
        let state =
            switch step {
            case .connecting: "has been connecting"
            case .connected: "has been up"
            case .losing: "has been down with its reason still unknown"
            case .closing: "has been closing"
            case .waiting: "has been waiting to reconnect"
            }
        var text = "The connection to \(peripheral.address) \(state) for \(duration.spoken)"
        if let running, let runningFor {
            text += "; the operation \(running.phrase) has run for \(runningFor.spoken)\(waitingText)"
        }
        return text + "."
    }

    /// The operations behind the running one, as the end of a sentence; empty if there are none.
    var waitingText: String {
        switch waiting {
        case 0: ""
        case 1: ", and 1 more operation waits behind it"
        default: ", and \(waiting) more operations wait behind it"
        }
    }
}

extension QueuedOperation {
    /// The operation and its target as the subject of a sentence, in quotation marks.
    var phrase: String { "“\(operation.phrase(on: target))”" }
}

extension Diagnosis.PairingStatus {
    fileprivate var sentence: String {
        let state =
            switch step {
            case .waiting: "has been waiting for its turn"
            case .preparing: "has been preparing"
            case .pairing: "has been in progress"
            case .undoing: "has been cancelling"
            }
        return "The pairing with \(peripheral.address) \(state) for \(duration.spoken)."
    }
}

extension AdapterSelection {
    /// The requested name or address as text; nil for automatic selection.
    var wanted: String? {
        switch self {
        case .automatic: nil
        case .named(let name): "“\(name)”"
        case .address(let address): "\(address)"
        }
    }

    /// Returns a sentence with the reason why the manager uses an adapter, or no adapter.
    func reason(for adapter: AdapterRecord?) -> String {
        guard let adapter else {
            return wanted.map { "No adapter is chosen: \($0) was requested." } ?? "No adapter is chosen."
        }
        let name = "hci\(adapter.number)"
        switch self {
        case .automatic:
            return adapter.isPowered
                ? "\(name) is chosen: it is on and can be a central."
                : "\(name) is chosen: no adapter is on, and it is the first."
        case .named, .address: return "\(name) is chosen: \(wanted ?? "it") was requested."
        }
    }
}

extension Duration {
    /// The duration as text, rounded down, for example `90 s` or `3 min`.
    var spoken: String {
        switch self {
        case ..<Duration.seconds(1): "less than a second"
        case ..<Duration.seconds(120): "\(components.seconds) s"
        default: "\(components.seconds / 60) min"
        }
    }
}
