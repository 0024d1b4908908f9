import Gateway

/// A fault or an obstacle of the modelled adapter.
enum ModelFault: String, CaseIterable {
    case untilDiscovery = "controller silent until a discovery starts"
    case flapping = "controller silent 20 s after each start of a discovery"
    case untilPowerOn = "controller silent until it is switched on"
    case untilUnblock = "controller silent until rfkill unblocks it"
    case untilPlugIn = "controller silent until it is plugged in"
    case refusing = "every discovery refused until the adapter is switched on"
    case socketDeaf = "management socket deaf"
    case allSocketsDeaf = "all management sockets deaf"
    case busStalled = "connection to the bus stalled"
    case empty = "no device in range"
    case poweredOff = "switched off by a user"
    case blocked = "blocked by a user"
    case unplugged = "unplugged"
    case daemonStopped = "bluetoothd stopped"

    /// Why nothing can be received, if the manager notices it.
    var obstacle: ScanObstacle? {
        switch self {
        case .poweredOff: .poweredOff
        case .blocked: .blocked
        case .unplugged: .noAdapter
        case .daemonStopped: .noDaemon
        default: nil
        }
    }

    /// The steps that end the fault.
    var remedies: Set<RecoveryStep> {
        switch self {
        case .untilDiscovery, .socketDeaf: [.restartScan, .newSession, .otherSource, .powerCycle, .reset]
        case .flapping: [.restartScan, .newSession, .otherSource, .powerCycle, .reset]
        case .untilPowerOn, .refusing: [.powerCycle, .reset]
        case .untilUnblock: [.reset]
        case .allSocketsDeaf: [.otherSource]
        case .busStalled: [.newSession]
        case .untilPlugIn, .empty, .poweredOff, .blocked, .unplugged, .daemonStopped: []
        }
    }

    var needsManagement: Bool { self == .socketDeaf || self == .allSocketsDeaf }

    /// Whether the fault lasts until its end in the script, even if a step has helped.
    var isLasting: Bool { self == .flapping || self == .allSocketsDeaf }
}

/// What happened in runs of the model.
struct ModelTally {
    /// The number of silences of a fault that a step ended; nil for an end without a step.
    var helped: [ModelFault: [RecoveryStep?: Int]] = [:]
    /// The longest time without an advertisement while recovery was possible.
    var longestGap: [ModelFault: Duration] = [:]
    var faults: [ModelFault: Int] = [:]
    /// The silences without a fault, and the steps taken because of them.
    var falseAlarms: [RecoveryStep: Int] = [:]
    var advertisements = 0
    var runs = 0
    var days = 0

    var worst: Duration { longestGap.values.max() ?? .zero }

    mutating func add(_ other: ModelTally) {
        for (fault, steps) in other.helped { helped[fault, default: [:]].merge(steps, uniquingKeysWith: +) }
        longestGap.merge(other.longestGap, uniquingKeysWith: max)
        faults.merge(other.faults, uniquingKeysWith: +)
        falseAlarms.merge(other.falseAlarms, uniquingKeysWith: +)
        advertisements += other.advertisements
        runs += other.runs
        days += other.days
    }

    /// The table of the documentation: a row for each fault, a column for each step.
    var table: String {
        let steps: [RecoveryStep?] = RecoveryStep.allCases.filter { $0 != .otherAdapter } + [nil]
        var lines = [
            "| fault | times | " + steps.map { $0?.rawValue ?? "no step" }.joined(separator: " | ") + " | longest gap |"
        ]
        lines.append("|---" + String(repeating: "|--:", count: steps.count + 2) + "|")
        for fault in ModelFault.allCases {
            let counts = steps.map { "\(helped[fault]?[$0] ?? 0)" }
            let gap = longestGap[fault].map { "\(Int(($0 / .milliseconds(100)).rounded(.up)))" } ?? "0"
            lines.append(
                "| \(fault.rawValue) | \(faults[fault] ?? 0) | " + counts.joined(separator: " | ")
                    + " | \(gap.dropLast()).\(gap.suffix(1)) s |")
        }
        let alarms = RecoveryStep.allCases.map { "\($0.rawValue) \(falseAlarms[$0] ?? 0)" }.joined(separator: ", ")
        return
            (lines + [
                "",
                "\(runs) runs, \(days) days, \(advertisements) seconds with advertisements; steps without a fault: \(alarms)",
            ]).joined(separator: "\n")
    }
}
