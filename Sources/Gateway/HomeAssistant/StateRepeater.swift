import Rx
import RxBluetooth

/// Publishes the last states of devices again after a start of Home Assistant, which does not remember them.
///
/// It belongs to the context of a gateway. The messages follow the discovery, because Home Assistant needs a moment
/// until it listens, and at a limited rate.
final class StateRepeater {
    private var states: LastStates
    private let topics: GatewayTopics
    private let delivery: MessageDelivery
    private let loop: GatewayLoop
    private let presence: (BluetoothAddress) -> PresenceMessage?
    private var waiting: ArraySlice<BluetoothAddress> = []
    private let timer = SerialDisposable()

    /// The time in which Home Assistant makes its entities from the discovery.
    private static let settling = Duration.seconds(5)
    private static let interval = Duration.milliseconds(100)
    /// The messages in each interval, about 200 a second. The last device of an interval may exceed it.
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

    /// Remembers a message about a device with discovery.
    func add(_ message: ReadingMessage) { states.add(message, at: loop.monotonicTime) }

    /// Remembers a message about a device with discovery.
    func add(_ message: PresenceMessage) { states.add(message) }

    /// Remembers a message about a device with discovery.
    func add(_ content: GATTEvent.Content, _ publication: Publication, of device: MessageDevice) {
        states.add(content, publication, of: device)
    }

    /// Publishes all states, after the discovery. A repetition that is in progress begins again.
    func repeatAll() {
        waiting = states.addresses[...]
        schedule(after: Self.settling)
    }

    private func publish() {
        var count = 0
        while count < Self.messagesPerInterval, let address = waiting.popFirst() {
            let present = presence(address)
            for message in states.messages(of: address, presence: present, topics, at: loop.monotonicTime) {
                // The next start of Home Assistant repeats all.
                guard delivery.publish(message) else { return waiting = [] }
                count += 1
            }
        }
        if !waiting.isEmpty { schedule(after: Self.interval) }
    }

    private func schedule(after delay: Duration) {
        let bound = loop.bound(WeakReference(self))
        timer.disposable = loop.schedule(after: delay) { bound.value.object?.publish() }
    }
}
