/// Shows what a gateway receives in `systemctl status`: soon after its start, and whenever its status is published.
///
/// It sets ``Gateway/onStatus``, and belongs to the context of the gateway.
public final class ServiceStatus {
    private let gateway: Gateway
    private let notifier: WatchdogNotifier
    private let loop: GatewayLoop
    /// The status is published each minute, and the first devices are found before.
    private static let earlyUpdates: [Duration] = [.seconds(1), .seconds(3), .seconds(10), .seconds(30)]

    /// Creates the status of a service, which sends nothing before ``start()``, or the first status of the gateway.
    public init(of gateway: Gateway, notifier: WatchdogNotifier, loop: GatewayLoop) {
        self.gateway = gateway
        self.notifier = notifier
        self.loop = loop
        gateway.onStatus = { [notifier] in notifier.setStatus($0.summary) }
    }

    /// Reports that the gateway has started. The first numbers follow after a second.
    public func start() {
        notifier.ready("started")
        let bound = loop.bound(WeakReference(self))
        for delay in Self.earlyUpdates {
            _ = loop.schedule(after: delay) { bound.value.object?.update() }
        }
    }

    private func update() { notifier.setStatus(gateway.status().summary) }
}

extension GatewayStatus {
    /// One line with what the gateway receives.
    var summary: String {
        let rate = adapters.reduce(0) { $0 + $1.advertisementsPerSecond }
        let problem = obstacle.map { "cannot receive (\($0)); " } ?? ""
        let count = devices == 1 ? "1 device" : "\(devices) devices"
        return "\(problem)\(count), \(Int(rate.rounded())) advertisements a second, \(store.count) messages wait"
    }
}
