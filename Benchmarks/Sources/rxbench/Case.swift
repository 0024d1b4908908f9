/// One thing to measure: `run` does it `count` times.
struct Case: Sendable {
    let name: String
    /// How many times the table does it.
    let count: Int
    /// What one time costs is shared by so many subscribers.
    let share: Int
    let run: @Sendable (_ count: Int, _ sum: Sum) -> Void

    init(_ name: String, count: Int, share: Int = 1, run: @escaping @Sendable (Int, Sum) -> Void) {
        self.name = name
        self.count = count
        self.share = share
        self.run = run
    }
}
