/// The usual durations of the operations of a connection, to detect operations that take much longer.
struct UsualDurations {
    /// The moving average of the durations of successful operations, by kind.
    private var averages: [BluetoothError.Operation: Duration] = [:]

    /// How many times longer than usual an operation takes when it is overdue.
    private static let factor = 8
    /// The weight of the earlier operations in the average.
    private static let memory = 8
    /// An operation is not overdue before this time, because a peripheral may sleep between connection events.
    private static let shortest = Duration.seconds(1)
    /// The time after which an operation is overdue before the first success of its kind.
    private static let unknown = Duration.seconds(10)

    mutating func record(_ duration: Duration, of operation: BluetoothError.Operation) {
        guard let average = averages[operation] else {
            averages[operation] = duration
            return
        }
        averages[operation] = average + (duration - average) / Self.memory
    }

    /// The usual duration of a kind of operation; nil before the first success.
    func average(of operation: BluetoothError.Operation) -> Duration? { averages[operation] }

    /// The time after which an operation of a kind is overdue.
    func limit(of operation: BluetoothError.Operation) -> Duration {
        averages[operation].map { max(Self.shortest, $0 * Self.factor) } ?? Self.unknown
    }
}
