/// The smoothed signal strength of a device at one gateway.
struct SignalAverage: Hashable, Sendable {
    private(set) var level: Double
    private(set) var lastHeard: Duration
    private var count = 1.0

    /// The time constant, and the largest weight of one packet of a device that rarely advertises.
    private static let timeConstant = 30.0
    private static let maximumWeight = 0.1
    /// After a longer silence, the device may be somewhere else.
    private static let maximumGap = Duration.seconds(60)

    init(_ rssi: Double, now: Duration) {
        level = rssi
        lastHeard = now
    }

    mutating func add(_ rssi: Double, now: Duration) {
        let gap = now - lastHeard
        guard gap < Self.maximumGap else { return self = SignalAverage(rssi, now: now) }
        let seconds = max(0, gap / .seconds(1))
        count += 1
        let weight = max(1 / count, min(seconds / (Self.timeConstant + seconds), Self.maximumWeight))
        level += weight * (rssi - level)
        lastHeard = now
    }

    /// Stores that the device is in range although it does not advertise.
    mutating func touch(now: Duration) { lastHeard = now }
}

/// What a gateway reports about a device.
struct HeardReport: Hashable, Sendable {
    /// The smoothed signal strength in dBm.
    var rssi: Int
    /// Whether the gateway has a link to the device.
    var isLinked = false
    /// Whether the gateway could not connect to the device.
    var isFailing = false
    /// Whether the gateway has jobs for the device, so that it can be the owner.
    var hasJobs = false

    init(rssi: Int, isLinked: Bool = false, isFailing: Bool = false, hasJobs: Bool = false) {
        self.rssi = rssi
        self.isLinked = isLinked
        self.isFailing = isFailing
        self.hasJobs = hasJobs
    }

    /// Reads a report of an unknown sender; nil for anything else, also for an empty payload.
    init?(_ payload: [UInt8]) {
        guard payload.count <= 256, let json = try? JSONParser.parse(payload), case .number(let rssi)? = json["rssi"],
            (-127...20).contains(rssi)
        else { return nil }
        self.init(
            rssi: Int(rssi), isLinked: json["link"] == .bool(true), isFailing: json["failing"] == .bool(true),
            hasJobs: json["jobs"] == .bool(true))
    }

    var payload: [UInt8] {
        var members = [JSONNode.Member("rssi", .number(Double(rssi))), JSONNode.Member("link", .bool(isLinked))]
        if hasJobs { members.append(JSONNode.Member("jobs", .bool(true))) }
        if isFailing { members.append(JSONNode.Member("failing", .bool(true))) }
        return JSONNode.object(members).encoded
    }
}

/// One role for a device that exactly one gateway has: to connect to it, or to be its room.
///
/// The retained message of the topic names the holder. All gateways see its changes in the same order.
struct SharedRole: Hashable, Sendable {
    /// The gateway that the topic names; nil if it names none.
    var holder: String?
    /// When this gateway saw the last change.
    var changed: Duration = .zero
    /// Since when the holder cannot fulfil the role; nil if it can.
    var vacantSince: Duration?
    /// The position of this gateway among the candidates for a free role, and since when it has it.
    var rank: Int?
    var rankedAt: Duration = .zero
    /// Since when this gateway is better than the holder by the hysteresis; nil if it is not.
    var betterSince: Duration?
    /// When this gateway published its name; nil if the topic has answered.
    var claimed: Duration?
    /// Whether the broker has named the holder since the connection to it was made.
    var isConfirmed = false
}

/// The times after which a gateway takes a role.
struct RoleTiming: Hashable, Sendable {
    /// How long a new device is observed before its first holder is chosen.
    var unknownHolder: Duration
    /// How long a holder may be without the device before another gateway takes over.
    var silentHolder: Duration
    /// How long a gateway must be better than the holder.
    var better: Duration
    /// The shortest time between two changes because of the signal strength.
    var dwell: Duration
    /// Whether only gateways with jobs for the device can have the role.
    var needsJobs = false

    static let owner = RoleTiming(
        unknownHolder: .seconds(10), silentHolder: .seconds(10), better: .seconds(30), dwell: .seconds(300),
        needsJobs: true)
    static let room = RoleTiming(
        unknownHolder: .seconds(2), silentHolder: .seconds(2), better: .seconds(10), dwell: .seconds(15))
}

/// A device as one gateway knows it.
struct SharedDevice: Hashable, Sendable {
    var hasJobs: Bool
    var signal: SignalAverage?
    /// Since when this gateway hears the device without a pause; nil if it does not.
    var candidateSince: Duration?
    var isLinked = false
    var failingUntil: Duration?
    /// The last reports of the other gateways.
    var peers: [String: HeardReport] = [:]
    var owner = SharedRole()
    var room = SharedRole()
    /// When the retained messages have arrived that were requested again.
    var settlesAt: Duration = .zero
    /// The report that the broker has of this gateway.
    var published: HeardReport?
    var publishedAt: Duration = .zero
    /// The last ownership that the caller got.
    var isOwned = false

    init(hasJobs: Bool) { self.hasJobs = hasJobs }
}
