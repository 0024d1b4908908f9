public import RxBluetooth

/// Whether Bluetooth can be used, and which selected adapters are missing. A pure value: times are monotonic.
///
/// Adapters need a moment after bluetoothd has started, so their absence counts after ``grace``.
public struct AdapterAvailability: Sendable {
    /// Something that is worth a line in the log.
    public enum Change: Hashable, Sendable {
        /// Nothing can be received with any adapter, for this reason; nil when the obstacle is gone.
        case obstacle(ScanObstacle?)
        /// A selected adapter does not exist. The text is that of the configuration.
        case missing(String)
        /// A selected adapter that was missing exists now.
        case found(String)
    }

    /// The time from which an absent adapter is reported.
    public static let grace = Duration.seconds(10)

    private let selected: [String]
    private var found: Set<String> = []
    private var reported: ScanObstacle?
    private var isReported = false
    private var absentSince: Duration?

    /// Why nothing can be received with any adapter; nil if no obstacle is known.
    public private(set) var obstacle: ScanObstacle?
    /// The selected adapters that were never found, as the configuration names them.
    public private(set) var missing: [String] = []

    /// Creates the state before the first report.
    ///
    /// - Parameter selected: The names or addresses of the selected adapters; empty for all.
    public init(selected: [String]) { self.selected = selected }

    /// When to call ``deadlinePassed(at:)``; nil if no absence is about to be reported.
    public var deadline: Duration? { isConfirmationDue ? absentSince.map { $0 + Self.grace } : nil }

    /// Sets the obstacle that the manager reports.
    ///
    /// An adapter that is off or blocked is no obstacle to the others. Its supervisor reports it.
    public mutating func setObstacle(_ obstacle: ScanObstacle?, at now: Duration) -> [Change] {
        isReported = true
        reported = [.poweredOff, .blocked].contains(obstacle) ? nil : obstacle
        return update(at: now)
    }

    /// Sets the adapters that exist. A missing adapter that was found once stays found: its supervisor reports it.
    public mutating func setAdapters(_ adapters: [Adapter], at now: Duration) -> [Change] {
        found.formUnion(selected.filter { name in adapters.contains { $0.matches(name.lowercased()) } })
        return update(at: now)
    }

    /// Continues when ``deadline`` has passed.
    public mutating func deadlinePassed(at now: Duration) -> [Change] { update(at: now) }

    private var absent: [String] { selected.filter { !found.contains($0) } }

    private var isConfirmationDue: Bool {
        reported == .noAdapter && obstacle == nil || reported == nil && absent != missing
    }

    private mutating func update(at now: Duration) -> [Change] {
        guard isReported else { return [] }
        let isLacking = reported == .noAdapter || reported == nil && !absent.isEmpty
        absentSince = isLacking ? absentSince ?? now : nil
        let isConfirmed = absentSince.map { now >= $0 + Self.grace } ?? false
        var changes: [Change] = []
        // After another obstacle, the gateway cannot receive again before there is an adapter.
        let current = reported == .noAdapter && obstacle == nil && !isConfirmed ? nil : reported
        if current != obstacle {
            obstacle = current
            changes.append(.obstacle(current))
        }
        let absent = absent
        changes += missing.filter { !absent.contains($0) }.map { .found($0) }
        missing.removeAll { !absent.contains($0) }
        // While an obstacle hides the adapters, it is not known which ones exist.
        guard reported == nil, isConfirmed else { return changes }
        changes += absent.filter { !missing.contains($0) }.map { .missing($0) }
        missing = absent
        return changes
    }
}

extension Adapter {
    /// The address, or the name if bluetoothd does not report an address.
    var identity: String { address?.description ?? name }

    /// Whether a lowercase name or address of the configuration stands for this adapter.
    func matches(_ selection: String) -> Bool { selection == name || selection == identity.lowercased() }
}
