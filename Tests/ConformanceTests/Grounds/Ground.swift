import DBus
import Foundation
import RxTest

/// Where behaviours are tried: a bus with bluetoothd or its simulation on it, and the lab's eight peripherals around.
protocol Ground: AnyObject {
    /// Makes a connection to the bus.
    func connect() -> any Bus

    /// Lets time pass, up to a limit, until it is enough. `bell` rings whenever something was seen.
    func wait(_ limit: Duration, for bell: Bell, until isEnough: () -> Bool)
}

/// A ground on which time is real.
protocol RealTimeGround: Ground {}

extension RealTimeGround {
    func wait(_ limit: Duration, for bell: Bell, until isEnough: () -> Bool) {
        bell.wait(until: Date(timeIntervalSinceNow: limit / .seconds(1)), or: isEnough)
    }
}

/// A ground whose time passes only while the program waits, so that a busy machine changes nothing.
protocol VirtualTimeGround: Ground {
    var scheduler: TestScheduler { get }
}

extension VirtualTimeGround {
    func wait(_ limit: Duration, for bell: Bell, until isEnough: () -> Bool) {
        var left = Int(limit / .milliseconds(1))
        while !isEnough(), left > 0 {
            scheduler.advanceBy(1)
            left -= 1
        }
    }
}
