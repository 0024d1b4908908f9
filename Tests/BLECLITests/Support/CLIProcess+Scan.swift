extension CLIProcess {
    /// Runs the program with the time limits 1 s, 2 s, 4 s … until one run has shown enough, and returns the last run.
    ///
    /// How much a scan sees within a time limit depends on the load of the machine; that it ends by itself does not.
    static func scan(
        _ arguments: String..., bus: String? = nil, until isEnough: (End) -> Bool
    ) async -> End {
        var limit = 1
        while true {
            let end = await CLIProcess(list: ["scan", "--timeout", "\(limit)"] + arguments, bus: bus).end()
            if isEnough(end) || end.code != 0 || limit >= 32 { return end }
            limit *= 2
        }
    }
}
