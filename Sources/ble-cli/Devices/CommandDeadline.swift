import Rx
import RxBluetooth

/// The moment at which the time limit of `--timeout` ends, for a command that it limits as a whole.
struct CommandDeadline: Sendable {
    /// The time limit, which counts from the start of the command.
    let limit: Duration
    private let clock: ElapsedClock
    private let end: Duration

    /// Operations that begin later than this before the end are not requested.
    private static let shortest = Duration.milliseconds(10)

    /// Begins the time limit; nil if the command has none.
    init?(in context: CommandContext) {
        guard let limit = context.options.timeout else { return nil }
        self.limit = limit
        clock = ElapsedClock(context.scheduler)
        end = clock.time + limit
    }

    /// The time until the end; negative after it.
    var remaining: Duration { end - clock.time }

    /// Whether no further operation is requested.
    var isOver: Bool { remaining < Self.shortest }

    /// The options of an operation that ends at the deadline.
    var options: OperationOptions { OperationOptions(deadline: max(remaining, Self.shortest)) }

    /// Returns why a value is not read that was not requested before the end.
    func failure(notReading attribute: GATTAttribute) -> GATTTreeItem.ReadFailure {
        let text = "Not read within \(limit.text)"
        let error = BluetoothError(
            .timedOut, operation: attribute.readOperation, target: attribute.target, detail: text)
        return .notRequested(error, text: text)
    }
}

extension CommandDeadline? {
    /// The options of an operation: those of the deadline, or the usual ones without it.
    var options: OperationOptions { self?.options ?? OperationOptions() }
}
