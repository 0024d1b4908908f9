import DBus
import Foundation
import RxTest

/// A bus with bluetoothd or its simulation, and the lab's peripherals.
protocol Ground: AnyObject {
    /// Opens a connection to the bus.
    func connect() -> any Bus

    /// Lets time pass until a condition is true or the limit is reached.
    ///
    /// - Parameter activity: Signals that the condition may have changed.
    func wait(_ limit: Duration, for activity: ActivitySignal, until isEnough: () -> Bool)
}

/// A ground in real time.
protocol RealTimeGround: Ground {}

extension RealTimeGround {
    func wait(_ limit: Duration, for activity: ActivitySignal, until isEnough: () -> Bool) {
        activity.wait(until: Date(timeIntervalSinceNow: limit / .seconds(1)), or: isEnough)
    }
}

/// A ground in virtual time, which passes only while the program waits, so the load of the machine has no effect.
protocol VirtualTimeGround: Ground {
    var scheduler: TestScheduler { get }
}

extension VirtualTimeGround {
    func wait(_ limit: Duration, for activity: ActivitySignal, until isEnough: () -> Bool) {
        var left = Int(limit / .milliseconds(1))
        while !isEnough(), left > 0 {
            scheduler.advanceBy(1)
            left -= 1
        }
    }
}
