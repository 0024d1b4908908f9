import FoundationEssentials
import Glibc
import Rx

/// Reports the state of the process to systemd, and that its loop is not stuck. It belongs to the context of a gateway.
///
/// With `WatchdogSec=` in the unit, systemd restarts the process if its loop does not run for this time: the messages
/// are sent by the loop itself, twice in each period. Without systemd, the notifier does nothing.
public final class WatchdogNotifier {
    private let loop: GatewayLoop
    private let send: ([String]) -> Void
    private let period: Duration?
    private var timer: (any Disposable)?
    private var status: String?

    /// Creates a notifier.
    ///
    /// - Parameters:
    ///   - loop: The context of the gateway.
    ///   - period: The time after which systemd considers the process stuck; nil without a watchdog.
    ///   - send: Sends variables to systemd, for example with ``NotifySocket``.
    public init(loop: GatewayLoop, period: Duration?, send: @escaping ([String]) -> Void) {
        self.loop = loop
        self.period = period
        self.send = send
    }

    /// Creates a notifier from the environment of a service.
    ///
    /// - Parameters:
    ///   - loop: The context of the gateway.
    ///   - environment: The environment. Default: that of this process.
    public convenience init(loop: GatewayLoop, environment: [String: String]? = nil) {
        let environment = environment ?? ProcessInfo.processInfo.environment
        let socket = NotifySocket(environment["NOTIFY_SOCKET"])
        let isForUs = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        self.init(
            loop: loop, period: isForUs && microseconds > 0 && socket != nil ? .microseconds(microseconds) : nil
        ) { socket?.send($0) }
    }

    /// Reports that the service has started, and begins to serve the watchdog.
    public func ready(_ status: String) {
        send(["READY=1", "STATUS=\(Self.oneLine(status))"])
        self.status = status
        guard timer == nil, period != nil else { return }
        alive()
    }

    /// Reports a state, which `systemctl status` shows. An equal state is not sent again.
    public func setStatus(_ status: String) {
        guard status != self.status else { return }
        self.status = status
        send(["STATUS=\(Self.oneLine(status))"])
    }

    /// Reports that the configuration is being read again. Source: sd_notify(3), RELOADING.
    public func reloading() {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        send(["RELOADING=1", "MONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)"])
    }

    /// Reports the end of ``reloading()``.
    public func reloaded() { send(["READY=1"]) }

    /// Reports that the service is stopping. The watchdog is served until ``end()``.
    public func stopping() { send(["STOPPING=1"]) }

    /// Stops serving the watchdog.
    public func end() {
        timer?.dispose()
        timer = nil
    }

    private func alive() {
        guard let period else { return }
        send(["WATCHDOG=1"])
        let me = loop.bound(WeakReference(self))
        timer = loop.schedule(after: period / 2) { me.value.object?.alive() }
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
