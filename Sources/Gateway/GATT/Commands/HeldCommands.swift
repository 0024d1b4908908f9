import RxBluetooth

/// The commands that arrived before an adapter was known. A value without timers.
struct HeldCommands {
    /// A command that waits.
    struct Entry: Hashable, Sendable {
        var address: BluetoothAddress
        var payload: [UInt8]
        var id: String
        var arrival: Duration
        var deadline: Duration
    }

    // Checks commands, and limits their number.
    private var queue: CommandQueue
    private var entries: [Entry] = []

    /// Creates an empty value, which accepts commands for these devices.
    init(allowed: Set<BluetoothAddress>) { queue = CommandQueue(allowed: allowed) }

    /// When ``expire(now:)`` must be called; nil if no command waits.
    var deadline: Duration? { entries.map(\.deadline).min() }

    /// Keeps a command. Returns the identifier and the cause if it is refused.
    mutating func receive(
        _ payload: [UInt8], isRetained: Bool, for address: BluetoothAddress, now: Duration
    ) -> (id: String?, failure: CommandFailure)? {
        switch queue.receive(payload, isRetained: isRetained, for: address, now: now) {
        case .ignored: return nil
        case .refused(let id, let failure): return (id, failure)
        case .accepted(let command):
            entries.append(
                Entry(
                    address: address, payload: payload, id: command.id, arrival: now, deadline: now + command.deadline))
            return nil
        }
    }

    /// Removes and returns all commands, in the order in which they arrived.
    mutating func takeAll() -> [Entry] {
        defer { remove { _ in true } }
        return entries
    }

    /// Removes and returns the commands that passed their deadlines.
    mutating func expire(now: Duration) -> [Entry] {
        defer { remove { $0.deadline <= now } }
        return entries.filter { $0.deadline <= now }
    }

    private mutating func remove(_ condition: (Entry) -> Bool) {
        for entry in entries where condition(entry) { queue.finish(entry.id, of: entry.address) }
        entries.removeAll(where: condition)
    }
}
