import DBus
import Foundation
import RxTest

/// A bus on which behaviours run: with bluetoothd or its simulation, and with the same peripherals.
protocol Ground: AnyObject {
    /// Opens a connection to the bus.
    func connect() -> any Bus

    /// Lets time pass until a condition is true or the limit is reached.
    ///
    /// - Parameter activity: Signals when the condition may have changed.
    func wait(_ limit: Duration, for activity: ActivitySignal, until isEnough: () -> Bool)

    /// Performs work while bluetoothd reads no messages, so that it then reads the messages of the work at once.
    ///
    /// Returns whether bluetoothd was stopped.
    func whileDaemonIsStopped(_ work: () -> Void) -> Bool
}

extension Ground {
    /// In virtual time, no call is handled between two calls of one thread.
    func whileDaemonIsStopped(_ work: () -> Void) -> Bool {
        work()
        return true
    }
}

/// A ground in real time.
protocol RealTimeGround: Ground {}

extension RealTimeGround {
    func wait(_ limit: Duration, for activity: ActivitySignal, until isEnough: () -> Bool) {
        activity.wait(until: Date(timeIntervalSinceNow: limit / .seconds(1)), or: isEnough)
    }
}

/// A ground in virtual time.
///
/// The clock advances only while the program waits, so a slow machine does not change the transcript.
protocol VirtualTimeGround: Ground {
    var scheduler: TestScheduler { get }
}

extension VirtualTimeGround {
    func wait(_ limit: Duration, for activity: ActivitySignal, until isEnough: () -> Bool) {
        scheduler.advance(until: isEnough, limit: Int(limit / .milliseconds(1)))
    }
}
