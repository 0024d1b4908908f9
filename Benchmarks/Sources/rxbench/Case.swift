/// A benchmark case. `run` repeats the measured operation `count` times.
struct Case: Sendable {
    let name: String
    /// The number of repetitions for the table.
    let count: Int
    /// The number of subscribers that share the cost of one repetition.
    let share: Int
    let run: @Sendable (_ count: Int, _ sum: Sum) -> Void

    init(_ name: String, count: Int, share: Int = 1, run: @escaping @Sendable (Int, Sum) -> Void) {
        self.name = name
        self.count = count
        self.share = share
        self.run = run
    }
}
