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
    /// When the connection sends messages again that it refuses because of earlier closures.
    private var retryTime: Duration?
    /// The repetitions because of starts of Home Assistant.
    private var repetitions = MinimumInterval(.seconds(10))
    private var isRepetitionPlanned = false
    private let repetitionTimer = SerialDisposable()
    private var others: OtherDiscoveries
    private var isListPlanned = false
    private let listTimer = SerialDisposable()

    /// The time in which the retained reports of other gateways arrive, before a device is described.
    private static let settling = Duration.seconds(3)
    /// The time in which changes of gateways are collected.
    private static let collecting = Duration.seconds(10)
    private static let packetOverhead = 16

    /// Receives what to report about the limit of other devices.
    var onNotice: ((DeviceLimitNotice) -> Void)?

    /// Creates a publisher; nil if the configuration switches the discovery off.
    package init?(_ configuration: GatewayConfiguration, delivery: MessageDelivery, loop: GatewayLoop) {
        guard let settings = configuration.homeAssistant else { return nil }
        // Devices beyond the limit of others are not added, so none is forgotten.
        let capacity = configuration.devices.count + settings.discoveryLimit
        guard let discovery = HomeAssistantDiscovery(configuration, capacity: capacity) else { return nil }
        self.discovery = discovery
        others = OtherDiscoveries(configuration, settings)
        self.delivery = delivery
        self.loop = loop
    }

    deinit {
        timer.dispose()
        repetitionTimer.dispose()
        listTimer.dispose()
    }

    /// Uses another configuration, and publishes all messages again.
    ///
    /// - Parameter isPublished: Whether a device is published with the new configuration.
    func reload(_ configuration: GatewayConfiguration, isPublished: (BluetoothAddress) -> Bool) {
        guard let settings = configuration.homeAssistant else { return }
        let now = loop.monotonicTime
        let capacity = configuration.devices.count + settings.discoveryLimit
        discovery.reload(configuration, settings, capacity: max(capacity, Array(discovery.addresses).count))
        others.reload(configuration, settings)
        for address in Array(discovery.addresses) where !isPublished(address) || !others.keeps(address, at: now) {
            remove(address, at: now)
        }
        change(Array(discovery.addresses), within: Self.settling)
        planList()
    }

    /// The topics to subscribe to: Home Assistant's start, and what this and other gateways say about other devices.
    var filters: [String] { [discovery.statusTopic] + others.filters }

    /// How often a device was not discovered because of the limit of other devices.
    var refusedCount: Int { others.admission.refusedCount }

    /// Learns from a reading.
    package func add(_ device: MessageDevice, _ reading: SensorReading) {
        learn(device) { $0.add(device, reading) }
    }

    /// Learns a device without readings.
    package func add(_ device: MessageDevice) { learn(device) { $0.add(device) } }

    /// Learns from a value of a job.
    func add(_ device: MessageDevice, _ value: GATTValue) { learn(device) { $0.add(device, value) } }

    /// Whether a device has discovery.
    func contains(_ address: BluetoothAddress) -> Bool { discovery.contains(address) }

    private func learn(_ device: MessageDevice, _ add: (inout HomeAssistantDiscovery) -> Publication?) {
        let address = device.address
        let isKnown = discovery.contains(address)
        guard others.admission.admit(device, at: loop.monotonicTime) else { return reportLimit() }
        if add(&discovery) != nil { change([address], within: Self.settling) }
        guard !isKnown, !device.isConfigured else { return }
        // A reading without entities makes no message.
        if discovery.contains(address) { others.isListChanged = true } else { others.admission.withdraw(address) }
        planList()
    }

    private func reportLimit() {
        for notice in others.admission.takeNotices(at: loop.monotonicTime) { onNotice?(notice) }
    }

    /// Another gateway exists, or reports a device.
    package func foundGateway(_ name: String, hearing address: BluetoothAddress?) {
        change(discovery.addGateway(name, hearing: address), within: Self.collecting)
    }

    /// The broker has refused a message. If it was too large, shorter ones follow, with fewer entities.
    ///
    /// The limit is that of the broker, or that of ``LearnedSizeLimit``. Without one, they have half the size.
    func refused(_ refusal: BrokerRefusal) {
        guard discovery.isMessage(refusal.topic) else { return }
        if let delay = refusal.retryDelay {
            let time = loop.monotonicTime + delay
            retryTime = min(retryTime ?? time, time)
        }
        guard case .tooLarge(let limit) = refusal.kind else { return }
        // The bytes of a packet besides the topic and the content.
        let size = limit.map { $0 - Self.packetOverhead } ?? refusal.size / 2
        guard size < discovery.maximumSize ?? .max, size < refusal.size else { return }
        discovery.maximumSize = size
        change(Array(discovery.addresses), within: Self.settling)
    }

    /// The connection to the broker was made, which may have lost all messages.
    package func connected() {
        (discovery.maximumSize, retryTime) = (nil, nil)
        others.connected(at: loop.monotonicTime)
        for address in others.recentRemovals(at: loop.monotonicTime) where !others.admission.contains(address) {
            delivery.publish(discovery.removal(of: address))
        }
        change(Array(discovery.addresses), within: Self.settling)
        planList()
    }

    /// Publishes everything if a message says that Home Assistant has started. Returns whether it is one.
    ///
    /// - Parameter publishMore: Publishes what else Home Assistant needs.
    func receive(_ message: ReceivedMessage, publishMore: @escaping () -> Void) -> Bool {
        if receiveOthers(message) { return true }
        guard discovery.isStart(message) else { return false }
        guard !isRepetitionPlanned else { return true }
        let now = loop.monotonicTime
        let time = repetitions.earliest(at: now)
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
        repetitions.happened(at: loop.monotonicTime)
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

// The devices that the configuration does not contain.
extension DiscoveryPublisher {
    /// Removes the devices that were not heard for long, and ends an expired limit. Called each minute.
    func expire() {
        reportLimit()
        guard delivery.isConnected else { return }
        let now = loop.monotonicTime
        if let retryTime, now >= retryTime {
            // What was learned from closures may be wrong, so complete messages are tried again.
            (discovery.maximumSize, self.retryTime) = (nil, nil)
            change(Array(discovery.addresses), within: Self.settling)
        }
        for address in others.admission.expire(at: now) { remove(address, at: now) }
        if others.isListDue(at: now) { publishList() }
    }

    private func remove(_ address: BluetoothAddress, at now: Duration) {
        _ = discovery.remove(address)
        delivery.publish(discovery.removal(of: address))
        if let message = others.removed(address, at: now) { delivery.publish(message) }
    }

    /// Publishes the list soon, so that several changes make one message.
    private func planList() {
        guard others.isListChanged, !isListPlanned else { return }
        isListPlanned = true
        let bound = loop.bound(WeakReference(self))
        listTimer.disposable = loop.schedule(after: Self.collecting) {
            guard let publisher = bound.value.object else { return }
            publisher.isListPlanned = false
            guard publisher.delivery.isConnected else { return }
            publisher.publishList()
        }
    }

    private func publishList() {
        let list = others.list(at: loop.monotonicTime, wallTime: loop.scheduler.now)
        if let list { delivery.publish(list) }
    }

    /// Handles the list of an earlier process, and removals by other gateways. Returns whether it is one of these.
    private func receiveOthers(_ message: ReceivedMessage) -> Bool {
        let now = loop.monotonicTime
        if message.topic == others.listTopic {
            for address in others.restore(message, at: now, wallTime: loop.scheduler.now) { remove(address, at: now) }
            return true
        }
        guard let address = others.removedAddress(message) else { return false }
        // Another gateway does not hear the device any more, and this one does.
        if discovery.contains(address) { change([address], within: Self.collecting) }
        return true
    }
}
