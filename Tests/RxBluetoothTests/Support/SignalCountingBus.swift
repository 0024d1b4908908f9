import DBus
import Rx

/// A bus connection that counts the received changes of properties of devices, and records calls of bluetoothd.
final class SignalCountingBus: ForwardingBus {
    let forwardingTarget: any Bus
    private let received = Guarded(0)
    private let calls = Guarded<[String]>([])

    init(_ bus: any Bus) { forwardingTarget = bus }

    /// The number of signals since the last call.
    func takeCount() -> Int {
        received.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    /// The methods of bluetoothd that were called since the last call.
    func takeCalls() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    func call(
        _ message: Message, timeout: Duration, reply: @escaping @Sendable (Result<Message, DBusError>) -> Void
    ) -> BusTask {
        if message.destination == "org.bluez" { calls.withLock { $0.append(message.member ?? "") } }
        return forwardingTarget.call(message, timeout: timeout, reply: reply)
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
