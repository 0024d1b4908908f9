/// The instruments that this module records. The raw values are the labels of the instruments.
///
/// docs/metrics.md lists their dimensions. A timer is in nanoseconds; most backends convert the unit.
public enum BluetoothMetric: String, CaseIterable, Sendable {
    /// Timer: from the start of an operation to its end. Dimensions: operation, result.
    case operationDuration = "bluetooth_operation_duration"
    /// Timer: from the submission of an operation to its start. Dimension: operation.
    case operationWait = "bluetooth_operation_wait"
    /// Recorder: the number of operations that wait in the queue of a connection when one is added.
    case queueDepth = "bluetooth_operation_queue_depth"
    /// Counter: operations that ended before their start. Dimensions: operation, result.
    case operationsDropped = "bluetooth_operations_dropped"
    /// Counter: operations that took much longer than usual. Dimension: operation.
    case operationsOverdue = "bluetooth_operations_overdue"
    /// Counter: established connections.
    case connections = "bluetooth_connections"
    /// Counter: ended connections and failed attempts. Dimension: reason.
    case disconnections = "bluetooth_disconnections"
    /// Counter: losses and failed attempts of connections that reconnect. Dimension: result.
    case reconnections = "bluetooth_reconnections"
    /// Timer: from the loss of a link to the next link, for connections that reconnect.
    case recoveryTime = "bluetooth_recovery_time"
    /// Counter: notified values that were lost because a subscriber was too slow.
    case valuesDropped = "bluetooth_values_dropped"
    /// Counter: scan results that streams with `countingScanResults()` have delivered.
    case scanResults = "bluetooth_scan_results"
    /// Counter: scan results that were lost because a subscriber was too slow.
    case scanResultsDropped = "bluetooth_scan_results_dropped"
    /// Counter: discovery sessions that were restarted.
    case scanRestarts = "bluetooth_scan_restarts"
    /// Counter: events that were lost, because the manager's queue was too slow.
    case eventsLost = "bluetooth_events_lost"
}
