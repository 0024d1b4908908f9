package import BluetoothValues
import Rx
package import RxBluetooth

/// Publishes the discovery of devices. It collects changes, so that many gateways or starts make few messages.
///
/// It belongs to the context of a gateway.
package final class DiscoveryPublisher {
    private var discovery: HomeAssistantDiscovery
    private let delivery: MessageDelivery
    private let loop: GatewayLoop
    /// The devices with changed messages.
    private var changed: Set<BluetoothAddress> = []
    private var due: Duration?
    private let timer = SerialDisposable()
    private var lastRepetition: Duration?
    private var isRepetitionPlanned = false
    private let repetitionTimer = SerialDisposable()

    /// The time in which the retained reports of other gateways arrive, before a device is described.
    private static let settling = Duration.seconds(3)
    /// The time in which changes of gateways are collected.
    private static let collecting = Duration.seconds(10)
    /// The shortest time between two repetitions because of starts of Home Assistant.
    private static let repetitionInterval = Duration.seconds(10)

    /// Creates a publisher; nil if the configuration switches the discovery off.
    package init?(_ configuration: GatewayConfiguration, delivery: MessageDelivery, loop: GatewayLoop) {
        guard let discovery = HomeAssistantDiscovery(configuration) else { return nil }
        self.discovery = discovery
        self.delivery = delivery
        self.loop = loop
    }

    deinit {
        timer.dispose()
        repetitionTimer.dispose()
    }

    /// The topic on which Home Assistant publishes its start.
    var statusTopic: String { discovery.statusTopic }

    /// Learns from a reading.
    package func add(_ device: MessageDevice, _ reading: SensorReading) {
        if discovery.add(device, reading) != nil { change([device.address], within: Self.settling) }
    }

    /// Learns a device without readings.
    package func add(_ device: MessageDevice) {
        if discovery.add(device) != nil { change([device.address], within: Self.settling) }
    }

    /// Learns from a value of a job.
    func add(_ device: MessageDevice, _ value: GATTValue) {
        if discovery.add(device, value) != nil { change([device.address], within: Self.settling) }
    }

    /// Another gateway exists, or reports a device.
    package func foundGateway(_ name: String, hearing address: BluetoothAddress?) {
        change(discovery.addGateway(name, hearing: address), within: Self.collecting)
    }

    /// The connection to the broker was made, which may have lost all messages.
    package func connected() { change(Array(discovery.addresses), within: Self.settling) }

    /// Publishes everything if a message says that Home Assistant has started. Returns whether it is one.
    ///
    /// - Parameter publishMore: Publishes what else Home Assistant needs.
    func receive(_ message: ReceivedMessage, publishMore: @escaping () -> Void) -> Bool {
        guard discovery.isStart(message) else { return false }
        guard !isRepetitionPlanned else { return true }
        let now = loop.monotonicTime
        let time = lastRepetition.map { max(now, $0 + Self.repetitionInterval) } ?? now
        guard time > now else {
            repeatAll(publishMore)
            return true
        }
        isRepetitionPlanned = true
        let bound = loop.bound((WeakReference(self), publishMore))
        repetitionTimer.disposable = loop.schedule(after: time - now) {
            guard let publisher = bound.value.0.object else { return }
            publisher.isRepetitionPlanned = false
            publisher.repeatAll(bound.value.1)
        }
        return true
    }

    private func repeatAll(_ publishMore: () -> Void) {
        lastRepetition = loop.monotonicTime
        publishMore()
        for message in discovery.all { delivery.publish(message) }
    }

    private func change(_ addresses: [BluetoothAddress], within delay: Duration) {
        guard !addresses.isEmpty else { return }
        changed.formUnion(addresses)
        let now = loop.monotonicTime
        guard due.map({ now + delay < $0 }) ?? true else { return }
        due = now + delay
        let bound = loop.bound(WeakReference(self))
        timer.disposable = loop.schedule(after: delay) { bound.value.object?.publishChanged() }
    }

    private func publishChanged() {
        due = nil
        // The next connection publishes everything.
        guard delivery.isConnected else { return changed = [] }
        for address in changed.sorted() {
            if let message = discovery.message(of: address) { delivery.publish(message) }
        }
        changed = []
    }
}
