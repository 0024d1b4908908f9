/// What the error of a start of notifications says about the next start.
extension BluetoothError {
    /// Whether bluetoothd may have kept a notify session of an earlier link, so that it refuses a new one (Q135).
    var isOfStaleNotifySession: Bool { dbusMessage == "Failed to register notify session" }

    /// Whether bluetoothd refused a socket, so that signals may work.
    ///
    /// Signals would not help after a lost link, or if the peripheral does not answer.
    var refusesSocket: Bool { dbusName != nil && kind != .timedOut && !isLossOfLink }
}
