import FoundationEssentials
public import RxBluetooth

/// A command that was accepted and has no result yet.
struct PendingCommand: Hashable, Sendable {
    var address: BluetoothAddress
    var command: GATTCommand
    /// When the command arrived.
    var arrival: Duration

    /// When the command fails.
    var deadline: Duration { arrival + command.deadline }
    /// When the command no longer waits for an adapter that hears the device.
    var patience: Duration { arrival + command.deadline / 2 }
}

/// The identifier of an accepted command.
public struct UsedIdentifier: Hashable, Sendable {
    /// The device of the command.
    public var address: BluetoothAddress
    /// The identifier that the sender chose.
    public var id: String
    /// A hash value of the payload, which differs between a command and another one with the same id.
    public var fingerprint: UInt64
}

/// The commands of a gateway: accepts each once, with limits and a maximum age, and remembers the identifiers.
///
/// There is one for all adapters, so that a command runs once although its adapter or its manager changes.
struct CommandBook {
    /// The largest numbers of commands that wait or run.
    struct Limits: Hashable, Sendable {
        var perDevice = 8
        var total = 64
        /// So many of the newest identifiers are remembered, whatever their age is.
        var remembered = UsedIdentifier.limit
        /// When so many identifiers are remembered, further commands are refused.
        var mostRemembered = UsedIdentifier.maximum
    }

    /// What happens to a message on a topic of commands.
    enum Admission: Hashable, Sendable {
        /// The command is executed.
        case accepted(PendingCommand, UsedIdentifier)
        /// The command is not executed. The sender gets this answer.
        case refused(id: String?, CommandFailure)
        /// A retained message, or a repetition of a command: no answer.
        case ignored
    }

    private struct Key: Hashable {
        var address: BluetoothAddress
        var id: String
    }

    private struct Remembered {
        var key: Key
        var arrival: Duration
    }

    private let limits: Limits
    /// A command that was sent longer ago is not executed.
    var maximumAge: Duration
    /// The devices for which commands are accepted.
    var allowed: Set<BluetoothAddress>
    /// The commands that wait or run.
    private var pending: [BluetoothAddress: Set<String>] = [:]
    private var fingerprints: [Key: UInt64] = [:]
    /// The remembered identifiers, the oldest first.
    private var order: ArraySlice<Remembered> = []
    private(set) var count = 0
    /// The commands that were refused because of their age.
    private(set) var expiredCount = 0
    /// Whether the gateway is stopping. Then it accepts no further commands, because it would never execute them.
    var isClosed = false

    /// Creates an empty book, which accepts commands for these devices.
    ///
    /// - Parameters:
    ///   - used: The identifiers of earlier processes, the oldest first.
    ///   - now: The monotonic time. The age of the identifiers counts from it, because their own time is not known.
    init(
        allowed: Set<BluetoothAddress>, limits: Limits = Limits(), maximumAge: Duration = .seconds(30),
        used: [UsedIdentifier] = [], now: Duration = .zero
    ) {
        self.allowed = allowed
        self.limits = limits
        self.maximumAge = maximumAge
        for identifier in used { remember(identifier, now) }
    }

    /// How long an identifier is remembered, so that a repetition is recognised as long as it is not too old itself.
    ///
    /// The time of a command, `created`, may be in the future by the maximum age.
    var memory: Duration { maximumAge * 2 }

    /// Handles a message of the topic of commands for a device.
    ///
    /// - Parameters:
    ///   - now: The monotonic time of its arrival.
    ///   - time: The wall time of its arrival.
    mutating func receive(
        _ message: ReceivedMessage, for address: BluetoothAddress, now: Duration, time: Date
    ) -> Admission {
        // The sender of a retained command may have waited for its result years ago.
        guard !message.isRetained, !message.payload.isEmpty else { return .ignored }
        guard allowed.contains(address) else {
            let text = "\(address) is not a device of the configuration; add it to “devices”"
            let id = GATTCommand.identifier(ofPayload: message.payload)
            return .refused(id: id, CommandFailure(kind: "unknown-device", text: text))
        }
        let json: JSONNode
        do throws(JSONParser.Failure) { json = try JSONParser.parse(message.payload) } catch {
            return .refused(id: nil, CommandFailure(kind: "invalid-json", text: error.text))
        }
        let id = GATTCommand.identifier(of: json)
        let command: GATTCommand
        do throws(CommandFailure) { command = try GATTCommand(json: json) } catch {
            return .refused(id: id, error)
        }
        let identifier = UsedIdentifier(
            address: address, id: command.id, fingerprint: UsedIdentifier.fingerprint(of: message.payload))
        if let earlier = fingerprints[Key(address: address, id: command.id)] {
            return repetition(identifier, earlier)
        }
        guard !isClosed else {
            let text = "The gateway is stopping, and did not execute the command; send it again"
            return .refused(id: id, CommandFailure(kind: "gateway-stopped", text: text))
        }
        let age = CommandAge(of: command, message, at: time)
        if let failure = age.failure(maximum: maximumAge) {
            expiredCount += 1
            return .refused(id: id, failure)
        }
        guard pending[address, default: []].count < limits.perDevice, count < limits.total else {
            let text = "Too many commands wait; at most \(limits.perDevice) for a device, \(limits.total) in total"
            return .refused(id: command.id, CommandFailure(kind: "gateway-busy", text: text))
        }
        forgetOld(now)
        guard order.count < limits.mostRemembered else {
            let text =
                "The gateway accepts at most \(limits.mostRemembered) commands in \(memory.inSeconds) s, because it "
                + "remembers each; send it later, or set “commands.maximum-age” lower"
            return .refused(id: command.id, CommandFailure(kind: "gateway-busy", text: text))
        }
        remember(identifier, now)
        pending[address, default: []].insert(command.id)
        count += 1
        return .accepted(PendingCommand(address: address, command: command, arrival: now), identifier)
    }

    /// A command has its result.
    mutating func finish(_ id: String, of address: BluetoothAddress) {
        guard pending[address]?.remove(id) != nil else { return }
        if pending[address]?.isEmpty == true { pending[address] = nil }
        count -= 1
    }

    private func repetition(_ identifier: UsedIdentifier, _ earlier: UInt64) -> Admission {
        // The broker may deliver a message twice, also after the result; the first one is answered.
        if earlier == identifier.fingerprint || pending[identifier.address]?.contains(identifier.id) == true {
            return .ignored
        }
        let text = "A command with this id was executed already; use another id for another command"
        return .refused(id: identifier.id, CommandFailure(kind: "duplicate", text: text))
    }

    /// Forgets a command that does not run, because its identifier could not be stored. It may be sent again.
    mutating func forget(_ id: String, of address: BluetoothAddress) {
        finish(id, of: address)
        let key = Key(address: address, id: id)
        fingerprints[key] = nil
        if let index = order.lastIndex(where: { $0.key == key }) { order.remove(at: index) }
    }

    private mutating func remember(_ identifier: UsedIdentifier, _ now: Duration) {
        let key = Key(address: identifier.address, id: identifier.id)
        if fingerprints.updateValue(identifier.fingerprint, forKey: key) == nil {
            order.append(Remembered(key: key, arrival: now))
        }
    }

    /// Makes room for an identifier: forgets those that are too old, and not among the newest.
    private mutating func forgetOld(_ now: Duration) {
        while order.count >= limits.remembered, let oldest = order.first, now - oldest.arrival > memory {
            fingerprints[oldest.key] = nil
            order.removeFirst()
        }
    }
}

extension UsedIdentifier {
    /// So many identifiers a gateway remembers, whatever their age is.
    static let limit = 1024
    /// The largest number of identifiers that a gateway remembers.
    static let maximum = 10_000

    /// The same in each process, unlike `Hasher`. Source: FNV-1a with 64 bits.
    static func fingerprint(of payload: [UInt8]) -> UInt64 {
        payload.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
