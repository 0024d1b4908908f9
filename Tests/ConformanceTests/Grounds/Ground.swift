import DBus
import Foundation

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
