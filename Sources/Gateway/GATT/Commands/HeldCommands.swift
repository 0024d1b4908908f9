/// The commands that wait until the adapter of their device is known. A value without timers.
struct HeldCommands {
    private var commands: [PendingCommand] = []

    /// When a command runs out of patience or passes its deadline; nil if no command waits.
    func wake(now: Duration) -> Duration? { commands.map { $0.patience > now ? $0.patience : $0.deadline }.min() }

    mutating func add(_ command: PendingCommand) { commands.append(command) }

    /// Removes and returns commands, in the order in which they were added.
    mutating func take(where condition: (PendingCommand) -> Bool) -> [PendingCommand] {
        guard !commands.isEmpty else { return [] }
        let taken = commands.filter(condition)
        commands.removeAll(where: condition)
        return taken
    }
}
