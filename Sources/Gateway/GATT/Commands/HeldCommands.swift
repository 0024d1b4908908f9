import RxBluetooth

/// The commands that wait until the adapter of their device is known. A value without timers.
struct HeldCommands {
    /// A command that waits.
    struct Entry: Hashable, Sendable {
        var address: BluetoothAddress
        var command: GATTCommand
        var arrival: Duration

        /// When the command fails.
        var deadline: Duration { arrival + command.deadline }
        /// When the command no longer waits for an adapter that hears the device.
        var patience: Duration { arrival + command.deadline / 2 }
    }

    // Checks commands, and limits their number.
    private var queue: CommandQueue
    private var entries: [Entry] = []

    /// Creates an empty value, which accepts commands for these devices.
    init(allowed: Set<BluetoothAddress>) { queue = CommandQueue(allowed: allowed) }

    /// When a command runs out of patience or passes its deadline; nil if no command waits.
    func wake(now: Duration) -> Duration? { entries.map { $0.patience > now ? $0.patience : $0.deadline }.min() }

    /// Whether a command with this identifier waits, or has passed its deadline here.
    func remembers(_ id: String, of address: BluetoothAddress) -> Bool { queue.remembers(id, of: address) }

    /// Keeps a command. Returns the identifier and the cause if it is refused.
    mutating func receive(
        _ payload: [UInt8], isRetained: Bool, for address: BluetoothAddress, now: Duration
    ) -> (id: String?, failure: CommandFailure)? {
        admit(queue.receive(payload, isRetained: isRetained, for: address, now: now), address, now)
    }

    /// Keeps a command that waited for an adapter. Returns the identifier and the cause if it is refused.
    mutating func add(_ entry: Entry) -> (id: String?, failure: CommandFailure)? {
        admit(queue.add(entry.command, for: entry.address, arrival: entry.arrival), entry.address, entry.arrival)
    }

    private mutating func admit(
        _ admission: CommandQueue.Admission, _ address: BluetoothAddress, _ arrival: Duration
    ) -> (id: String?, failure: CommandFailure)? {
        switch admission {
        case .ignored: return nil
        case .refused(let id, let failure): return (id, failure)
        case .accepted(let command):
            entries.append(Entry(address: address, command: command, arrival: arrival))
            return nil
        }
    }

    /// Removes and returns commands for an adapter, in the order in which they were kept.
    mutating func take(where condition: (Entry) -> Bool) -> [Entry] {
        guard !entries.isEmpty else { return [] }
        let taken = entries.filter(condition)
        for entry in taken { queue.withdraw(entry.command.id, of: entry.address) }
        entries.removeAll(where: condition)
        return taken
    }

    /// Removes and returns the commands that get a result: those that passed their deadlines, or all.
    mutating func end(now: Duration?) -> [Entry] {
        let isOver: (Entry) -> Bool = { entry in now.map { entry.deadline <= $0 } ?? true }
        let ended = entries.filter(isOver)
        for entry in ended { queue.finish(entry.command.id, of: entry.address) }
        entries.removeAll(where: isOver)
        return ended
    }
}
