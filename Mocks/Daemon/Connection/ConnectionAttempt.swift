import DBus

/// An attempt to connect that is under way.
final class ConnectionAttempt {
    /// The call of `Connect`; nil where pairing began it, and nobody has called since.
    var call: IncomingCall?
    var timers: [BusTask] = []
    /// Nobody asked for it: the daemon connects a device by itself (Q85).
    let isSpontaneous: Bool
    /// The peripheral has answered, and the link is being made.
    var isAnswered = false

    init(_ call: IncomingCall?, isSpontaneous: Bool = false) {
        self.call = call
        self.isSpontaneous = isSpontaneous
    }

    func cancel() {
        for timer in timers { timer.cancel() }
        timers = []
    }
}

/// A disconnection that was asked for, and waits for bluetoothd's timer.
final class PendingDisconnection {
    var calls: [IncomingCall] = []
    /// `RemoveDevice` asked for it.
    var removes = false
    var timer: BusTask?
}
