import Dispatch
import Gateway
import Rx

/// Reads the configuration again, in a queue of its own.
///
/// A long file or a slow disk delays neither the gateway nor the signals that stop it. Requests during a reading lead
/// to one more.
final class ConfigurationReloads: Sendable {
    /// Reads the configuration file; nil if there is none.
    typealias Reader = @Sendable () throws(ProgramFailure) -> GatewayConfiguration?
    typealias Outcome = Result<GatewayConfiguration?, ProgramFailure>

    private let queue: DispatchQueue
    private let read: Reader
    private let onRead: @Sendable (Outcome) -> Void
    /// Whether a reading is requested that has not begun.
    private let isWaiting = Guarded(false)

    /// - Parameters:
    ///   - queue: The queue of the readings.
    ///   - onRead: Called in the queue after each reading.
    init(
        queue: DispatchQueue = DispatchQueue(label: "ble-gateway.configuration"), read: @escaping Reader,
        onRead: @escaping @Sendable (Outcome) -> Void
    ) {
        self.queue = queue
        self.read = read
        self.onRead = onRead
    }

    /// Requests a reading. Returns at once.
    func request() {
        let isFirst = isWaiting.withLock { isWaiting in
            defer { isWaiting = true }
            return !isWaiting
        }
        guard isFirst else { return }
        queue.async { [self] in
            isWaiting.withLock { $0 = false }
            onRead(Result { () throws(ProgramFailure) in try read() })
        }
    }
}
