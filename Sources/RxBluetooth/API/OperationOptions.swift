/// The options of one operation of a connection: its deadline and its priority.
///
/// Reads, writes, descriptor operations, turning notifications on, and exclusive access have these options. Example:
///
///     characteristic.readValue(options: OperationOptions(deadline: .seconds(2), priority: .high))
public struct OperationOptions: Hashable, Sendable {
    /// The longest time from the start of the operation to its reply; nil for the deadline of the manager.
    ///
    /// The time begins when the operation starts, after the operations of the connection that precede it. The operator
    /// `timeout` limits the time in the queue too: it disposes of the operation, and a disposed operation that waits is
    /// never sent. The deadline of the manager is ``Deadlines/operation``, or ``Deadlines/exclusiveAccess`` for
    /// exclusive access. With a deadline of zero or less, the operation fails with
    /// ``BluetoothError/Kind/invalidArgument``, and nothing is sent.
    public var deadline: Duration?
    /// When the operation starts, compared with other waiting operations. Default: ``Priority/normal``.
    public var priority: Priority

    /// Creates options.
    ///
    /// - Parameters:
    ///   - deadline: The longest time from the start to the reply, more than zero. Default: nil, the deadline of the
    ///     manager.
    ///   - priority: When the operation starts, compared with other waiting operations. Default: normal.
    public init(deadline: Duration? = nil, priority: Priority = .normal) {
        self.deadline = deadline
        self.priority = priority
    }

    /// When an operation starts, compared with other waiting operations of the same connection.
    ///
    /// Operations with a higher priority start first. Operations with the same priority start in the order of their
    /// subscriptions. A started operation is not interrupted, so an operation with the priority ``high`` waits for the
    /// running operation, for earlier operations with this priority, and for at most one waiting operation with a lower
    /// priority.
    ///
    /// No priority starves. After four operations in a row with a higher priority, the next operation has a lower
    /// priority if one waits. So the first waiting operation with the priority ``normal`` starts after at most 9 other
    /// operations, and the first one with the priority ``low`` after at most 24. The running operation is not counted.
    public enum Priority: Int, CaseIterable, Hashable, Comparable, Sendable {
        /// Starts after waiting operations with a higher priority, for example to read a log.
        case low
        /// The default.
        case normal
        /// Starts before waiting operations with a lower priority, for example for a command of a user.
        case high

        /// Orders priorities from low to high.
        public static func < (one: Priority, other: Priority) -> Bool { one.rawValue < other.rawValue }
    }
}

extension OperationOptions {
    /// Throws if the deadline is zero or less.
    func check() throws(BluetoothError) {
        guard let deadline, deadline <= .zero else { return }
        throw BluetoothError(.invalidArgument, detail: "The deadline of an operation must be longer than zero")
    }
}
