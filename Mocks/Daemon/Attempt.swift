import DBus

/// An attempt to connect that is under way.
final class Attempt {
    /// The call of `Connect`; nil where pairing began it, and nobody has called since.
    var call: IncomingCall?
    var timers: [BusTask] = []
    /// The peripheral has answered, and the link is being made.
    var isAnswered = false

    init(_ call: IncomingCall?) { self.call = call }

    func cancel() {
        for timer in timers { timer.cancel() }
        timers = []
    }
}

/// A disconnection that was asked for, and waits for bluetoothd's timer.
final class Disconnection {
    var calls: [IncomingCall] = []
    /// `RemoveDevice` asked for it.
    var removes = false
    var timer: BusTask?
}
