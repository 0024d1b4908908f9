extension Diagnosis: CustomStringConvertible {
    /// The findings and their advice, then all facts, one sentence per line.
    public var description: String {
        let causes = findings.map { finding in [finding.text, finding.advice].compactMap { $0 }.joined(separator: " ") }
        return (causes + facts).joined(separator: "\n")
    }

    /// The state of everything as sentences, from the bus to the pairings.
    public var facts: [String] {
        [busText, daemonText].compactMap { $0 } + adapters.map(\.sentence) + (adapters.isEmpty ? [] : [choice])
            + switches.map(\.sentence)
            + scans.map(\.sentence) + foreignScanTexts + connections.map(\.sentence)
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
        switch daemon {
        case .answers(let name): "bluetoothd runs as \(name) and answers."
        case .refuses(let name, _): "bluetoothd runs as \(name)."
        case .silent, .notRunning, .unknown: nil
        }
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
        case (false, false): "The radio switch “\(name)” is on."
        case (true, false): "The radio switch “\(name)” was switched off by a program or a key."
        case (_, true): "The radio switch “\(name)” is off in hardware."
        }
    }
}

extension Diagnosis.ScanStatus {
    fileprivate var sentence: String {
        let scans = subscribers == 1 ? "1 scan" : "\(subscribers) scans"
        switch step {
        case .starting:
            return "A discovery session for \(scans) is being started with \(adapter) since \(duration.spoken)."
        case .stopping: return "A discovery session with \(adapter) is being stopped."
        case .active:
            let heard = sinceAdvertisement.map { "a device was heard \($0.spoken) ago" } ?? "no device was heard yet"
            return "This program has been scanning with \(adapter) for \(duration.spoken), for \(scans), and \(heard)."
        }
    }
}

extension Diagnosis.ConnectionStatus {
    fileprivate var sentence: String {
        let state =
            switch step {
            case .connecting: "is being made"
            case .connected: "is up"
            case .losing: "is down, and the reason is being asked for"
            case .closing: "is being closed"
            case .waiting: "waits to be made again"
            }
        var text = "The connection to \(peripheral.address) \(state) since \(duration.spoken)"
        if let running, let runningFor {
            text +=
                "; \(running.operation.rawValue) of \(running.target) runs since \(runningFor.spoken), and \(waiting) wait"
        }
        return text + "."
    }
}

extension Diagnosis.PairingStatus {
    fileprivate var sentence: String {
        let state =
            switch step {
            case .waiting: "waits for its turn"
            case .preparing: "is being prepared"
            case .pairing: "is under way"
            case .undoing: "is being called off"
            }
        return "The pairing with \(peripheral.address) \(state) since \(duration.spoken)."
    }
}

extension AdapterSelection {
    /// The selected adapter; nil for automatic selection.
    var wanted: String? {
        switch self {
        case .automatic: nil
        case .named(let name): "“\(name)”"
        case .address(let address): "\(address)"
        }
    }

    /// Why the manager uses this adapter, or none.
    func reason(for adapter: AdapterRecord?) -> String {
        guard let adapter else {
            return wanted.map { "No adapter is chosen: \($0) was asked for." } ?? "No adapter is chosen."
        }
        let name = "hci\(adapter.number)"
        switch self {
        case .automatic:
            return adapter.isPowered
                ? "\(name) is chosen: it is on and can be a central."
                : "\(name) is chosen: none is on, and it comes first."
        case .named, .address: return "\(name) is chosen: \(wanted ?? "it") was asked for."
        }
    }
}

extension Duration {
    /// The approximate length in words.
    var spoken: String {
        switch self {
        case ..<Duration.seconds(1): "less than a second"
        case ..<Duration.seconds(120): "\(components.seconds) s"
        default: "\(components.seconds / 60) min"
        }
    }
}
