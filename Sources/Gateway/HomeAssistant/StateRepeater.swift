import Rx
import RxBluetooth

/// Publishes the last states of devices again after a start of Home Assistant, which does not remember them.
///
/// It belongs to the context of a gateway. The messages follow the discovery, because Home Assistant needs a moment
/// until it listens, and at a limited rate. The oldest are first: if several gateways have received a device, the one
/// that received it last also publishes its state last.
final class StateRepeater {
    private var states: LastStates
    private var topics: GatewayTopics
    private let delivery: MessageDelivery
    private let loop: GatewayLoop
    private let presence: (BluetoothAddress) -> PresenceMessage?
    private var waiting: ArraySlice<(due: Duration, entry: LastStates.Entry)> = []
    private let timer = SerialDisposable()

    /// The time in which Home Assistant makes its entities from the discovery.
    private static let settling = Duration.seconds(5)
    /// The time for the devices of the configuration, and then for all others.
    private static let window = Duration.seconds(15)
    private static let interval = Duration.milliseconds(100)
    /// The most messages in each interval, so 200 a second.
    private static let messagesPerInterval = 20

    /// Creates a repeater; nil if the configuration switches the discovery off.
    ///
    /// - Parameter presence: Returns the message about the presence of a device; nil if it is not in range.
    init?(
        _ configuration: GatewayConfiguration, delivery: MessageDelivery, loop: GatewayLoop,
        presence: @escaping (BluetoothAddress) -> PresenceMessage?
    ) {
        guard let settings = configuration.homeAssistant else { return nil }
        states = LastStates(configuration, settings)
        topics = GatewayTopics(configuration.topics, gateway: configuration.name)
        self.delivery = delivery
        self.loop = loop
        self.presence = presence
    }

    deinit { timer.dispose() }

    /// Uses another configuration.
    func reload(_ configuration: GatewayConfiguration) {
        guard let settings = configuration.homeAssistant else { return }
        topics = GatewayTopics(configuration.topics, gateway: configuration.name)
        states.reload(configuration, settings)
    }

    /// Remembers a message about a device with discovery.
    func add(_ message: ReadingMessage) { states.add(message, at: loop.monotonicTime) }

    /// Remembers a message about a device with discovery.
    func add(_ message: PresenceMessage) { states.add(message, at: loop.monotonicTime) }

    /// Remembers a message about a device with discovery.
    func add(_ content: GATTEvent.Content, _ publication: Publication, of device: MessageDevice) {
        states.add(content, publication, of: device, at: loop.monotonicTime)
    }

    /// Publishes all states, after the discovery. A repetition that is in progress begins again.
    func repeatAll() {
        let now = loop.monotonicTime
        let entries = states.entries(at: now) { presence($0) != nil }
        let start = now + Self.settling
        let configured = entries.configured.map { (due: start + Self.delay(of: now - $0.time), entry: $0) }
        let others = entries.others.map { (due: start + Self.window + Self.delay(of: now - $0.time), entry: $0) }
        waiting = (configured + others).sorted { $0.due < $1.due }[...]
        schedule(after: Self.settling)
    }

    /// The older a message is, the sooner it is published, on a logarithmic scale of about a month.
    private static func delay(of age: Duration) -> Duration {
        let seconds = 1 + max(0, age / .seconds(1))
        // The binary logarithm, with straight lines between powers of two.
        let logarithm = Double(seconds.exponent) + seconds.significand - 1
        return window * (1 - min(1, logarithm / 22))
    }

    private func publish() {
        let now = loop.monotonicTime
        var count = 0
        while count < Self.messagesPerInterval, let next = waiting.first, next.due <= now {
            waiting.removeFirst()
            let present = next.entry.content == .presence ? presence(next.entry.address) : nil
            guard let message = states.message(next.entry, presence: present, topics, at: now) else { continue }
            // The next start of Home Assistant repeats all.
            guard delivery.publish(message) else { return waiting = [] }
            count += 1
        }
        if let next = waiting.first { schedule(after: max(Self.interval, next.due - now)) }
    }

    private func schedule(after delay: Duration) {
        let bound = loop.bound(WeakReference(self))
        timer.disposable = loop.schedule(after: delay) { bound.value.object?.publish() }
    }
}
