import FoundationEssentials
import RxBluetoothSupport

/// Detects other gateways with the same name by their status, which has the same topic. A pure value.
///
/// Two gateways with one name have one client identifier, so the broker closes the connection of one whenever the other
/// connects. The one that was started later uses another identifier then, so that both stay connected.
struct InstanceWatch {
    /// What the status says about the process that has published it.
    struct Instance: Hashable, Sendable {
        /// A random text.
        var id: String
        /// The name of the machine.
        var host: String
        /// The wall time of the start, in whole seconds.
        var started: Int64

        /// Whether this one gives way to another one.
        func isYounger(than other: Instance) -> Bool { (other.started, other.id) < (started, id) }
    }

    enum Output: Equatable {
        /// Another gateway exists, or one that executes the commands.
        case found(Instance)
        /// The last other gateway has sent no status for a while.
        case gone(Instance)
        /// The gateway that executed the commands is gone. Others exist, which give way to this one.
        case resumed
        /// Connect with an identifier of this process.
        case useOwnIdentifier
    }

    /// Each gateway publishes its status once a minute.
    private static let timeout = Duration.seconds(190)
    /// Others above this number are forgotten, because any client with the access right can invent some.
    private static let maximumOthers = 8
    /// So many connections that another client has taken over in this time also prove another gateway.
    private static let takeovers = (count: 4, within: Duration.seconds(120))

    private struct Sign {
        var instance: Instance
        /// When the last status with this start arrived.
        var startTime: Duration
        /// When the last status arrived.
        var time: Duration
    }

    let own: Instance
    /// The last status of each other gateway, by its identifier.
    private var signs: [String: Sign] = [:]
    /// Whether the broker has returned a status of this process. A retained one of another process is newer then.
    private var isOwnKnown = false
    private var takeoverTimes: [Duration] = []
    private var usesOwnIdentifier = false

    init(_ own: Instance) { self.own = own }

    /// The other gateway that was started first; nil if there is none.
    var other: Instance? { signs.values.map(\.instance).min { $1.isYounger(than: $0) } }

    /// Whether the other gateway executes the commands.
    var givesWay: Bool { other.map(own.isYounger) ?? false }

    /// A status has arrived, of this gateway or another one.
    mutating func receive(_ message: ReceivedMessage, at now: Duration) -> [Output] {
        guard let found = Instance(message.payload) else { return [] }
        guard found.id != own.id else {
            isOwnKnown = true
            return []
        }
        // The status of an earlier process of this gateway.
        guard message.isRetained ? isOwnKnown : message.waiting == .none else { return [] }
        let (wasAlone, gaveWay) = (signs.isEmpty, givesWay)
        add(found, at: now)
        let isNew = wasAlone || givesWay && !gaveWay
        if gaveWay, !givesWay { return [.resumed] }
        return (isNew ? [.found(found)] : []) + (own.isYounger(than: found) ? useOwnIdentifier() : [])
    }

    private mutating func add(_ found: Instance, at now: Duration) {
        // A changed start could begin and end the giving way with each message, so the earliest one counts for a while.
        if let known = signs[found.id], found.isYounger(than: known.instance), now - known.startTime <= Self.timeout {
            signs[found.id]?.time = now
        } else {
            signs[found.id] = Sign(instance: found, startTime: now, time: now)
        }
        // The ones that were started first decide about commands.
        guard signs.count > Self.maximumOthers else { return }
        let youngest = signs.values.map(\.instance).max { $1.isYounger(than: $0) }
        if let youngest { signs[youngest.id] = nil }
    }

    /// The broker has closed the connection, because another client has the same identifier.
    mutating func takenOver(at now: Duration) -> [Output] {
        takeoverTimes = takeoverTimes.filter { now - $0 < Self.takeovers.within } + [now]
        return takeoverTimes.count < Self.takeovers.count ? [] : useOwnIdentifier()
    }

    /// Time has passed.
    mutating func expire(at now: Duration) -> [Output] {
        guard let last = other else { return [] }
        let gaveWay = givesWay
        signs = signs.filter { now - $0.value.time <= Self.timeout }
        if signs.isEmpty { return [.gone(last)] }
        return gaveWay && !givesWay ? [.resumed] : []
    }

    private mutating func useOwnIdentifier() -> [Output] {
        guard !usesOwnIdentifier else { return [] }
        usesOwnIdentifier = true
        return [.useOwnIdentifier]
    }
}

extension InstanceWatch.Instance {
    /// Makes the instance of this process.
    init(started: Date) {
        let id = (0..<4).map { _ in UInt8.random(in: 0 ... .max) }
        self.init(
            id: HexDigits.text(id), host: ProcessInfo.processInfo.hostName,
            started: Int64(started.timeIntervalSince1970))
    }

    /// Reads a status; nil for anything else.
    init?(_ payload: [UInt8]) {
        guard let json = try? JSONParser.parse(payload, upTo: 64 << 10), case .object? = json["instance"],
            let id = json["instance"]?["id"]?.text, case .number(let started)? = json["instance"]?["started"],
            abs(started) < 1e12
        else { return nil }
        // Another client chooses these texts.
        let host = json["instance"]?["host"]?.text ?? ""
        self.init(id: String(id.prefix(64)), host: String(host.prefix(64)), started: Int64(started))
    }

    var json: JSON {
        .object([("id", .string(id)), ("host", .string(host)), ("started", .number(Int(started)))])
    }
}
