import DBus
import Rx

/// A bus connection that counts the received changes of properties of devices.
final class SignalCountingBus: ForwardingBus {
    let forwardingTarget: any Bus
    private let received = Guarded(0)

    init(_ bus: any Bus) { forwardingTarget = bus }

    /// The number of signals since the last call.
    func takeCount() -> Int {
        received.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    func subscribe(_ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void) -> BusTask {
        forwardingTarget.subscribe(rule) { [self] signal in
            if signal.member == "PropertiesChanged", signal.path?.description.contains("/dev_") == true {
                self.received.withLock { $0 += 1 }
            }
            handler(signal)
        }
    }
}
