import RxBluetooth

/// Accepts commands, with limits, and remembers which were executed.
struct CommandQueue {
    /// The largest numbers of commands that wait or run.
    struct Limits: Hashable, Sendable {
        var perDevice = 8
        var total = 64
        /// The number of identifiers that are remembered.
        var remembered = 1024
    }

    /// A command that waits or runs.
    struct Entry: Hashable, Sendable {
        var command: GATTCommand
        /// When the command fails.
        var deadline: Duration

        /// When the command arrived.
        var arrival: Duration { deadline - command.deadline }
    }

    /// What happens to a message on a topic of commands.
    enum Admission: Hashable, Sendable {
        /// The command waits now.
        case accepted(GATTCommand)
        /// The command is not executed. The sender gets this answer.
        case refused(id: String?, CommandFailure)
        /// A retained message, or a repetition of a command: no answer.
        case ignored
    }

    private struct Key: Hashable {
        var address: BluetoothAddress
        var id: String
    }

    private let limits: Limits
    private let allowed: Set<BluetoothAddress>
    private var waiting: [BluetoothAddress: [Entry]] = [:]
    /// The commands of the identifiers, as hash values.
    private var remembered: [Key: Int] = [:]
    /// The remembered identifiers, the oldest first.
    private var order: [Key] = []
    private(set) var count = 0

    /// Creates an empty queue, which accepts commands for these devices.
    init(allowed: Set<BluetoothAddress>, limits: Limits = Limits()) {
        self.allowed = allowed
        self.limits = limits
    }

    /// The commands of a device that wait or run. The first one may run.
    func entries(of address: BluetoothAddress) -> [Entry] { waiting[address] ?? [] }

    /// Handles a message of the topic of commands for a device.
    mutating func receive(
        _ payload: [UInt8], isRetained: Bool, for address: BluetoothAddress, now: Duration
    ) -> Admission {
        // The sender of a retained command may have waited for its result years ago.
        guard !isRetained, !payload.isEmpty else { return .ignored }
        guard allowed.contains(address) else {
            let text = "\(address) is not a device of the configuration; add it to “devices”"
            let id = GATTCommand.identifier(ofPayload: payload)
            return .refused(id: id, CommandFailure(kind: "unknown-device", text: text))
        }
        let json: JSONNode
        do throws(JSONParser.Failure) { json = try JSONParser.parse(payload) } catch {
            return .refused(id: nil, CommandFailure(kind: "invalid-json", text: error.text))
        }
        let id = GATTCommand.identifier(of: json)
        let command: GATTCommand
        do throws(CommandFailure) { command = try GATTCommand(json: json) } catch {
            return .refused(id: id, error)
        }
        return add(command, for: address, arrival: now)
    }

    /// Adds a command. Its deadline began at its arrival.
    mutating func add(_ command: GATTCommand, for address: BluetoothAddress, arrival: Duration) -> Admission {
        let key = Key(address: address, id: command.id)
        if let earlier = remembered[key] { return repetition(command, of: address, earlier) }
        guard entries(of: address).count < limits.perDevice, count < limits.total else {
            let text = "Too many commands wait; at most \(limits.perDevice) for a device, \(limits.total) in total"
            return .refused(id: command.id, CommandFailure(kind: "gateway-busy", text: text))
        }
        remember(key, command)
        waiting[address, default: []].append(Entry(command: command, deadline: arrival + command.deadline))
        count += 1
        return .accepted(command)
    }

    /// Removes a command that has its result. Returns whether it was in the queue.
    @discardableResult
    mutating func finish(_ id: String, of address: BluetoothAddress) -> Bool {
        guard let index = waiting[address]?.firstIndex(where: { $0.command.id == id }) else { return false }
        waiting[address]?.remove(at: index)
        if waiting[address]?.isEmpty == true { waiting[address] = nil }
        count -= 1
        return true
    }

    /// Removes a command without a result, which another queue accepts. Returns whether it was in the queue.
    @discardableResult
    mutating func withdraw(_ id: String, of address: BluetoothAddress) -> Bool {
        guard finish(id, of: address) else { return false }
        let key = Key(address: address, id: id)
        remembered[key] = nil
        order.removeAll { $0 == key }
        return true
    }

    /// Whether a command with this identifier waits, runs, or has its result.
    func remembers(_ id: String, of address: BluetoothAddress) -> Bool {
        remembered[Key(address: address, id: id)] != nil
    }

    private func repetition(_ command: GATTCommand, of address: BluetoothAddress, _ earlier: Int) -> Admission {
        // The broker may deliver a message twice, also after the result; the first one is answered.
        if earlier == command.hashValue || entries(of: address).contains(where: { $0.command.id == command.id }) {
            return .ignored
        }
        let text = "A command with this id was executed already; use another id for another command"
        return .refused(id: command.id, CommandFailure(kind: "duplicate", text: text))
    }

    private mutating func remember(_ key: Key, _ command: GATTCommand) {
        if order.count >= limits.remembered { remembered[order.removeFirst()] = nil }
        remembered[key] = command.hashValue
        order.append(key)
    }
}
