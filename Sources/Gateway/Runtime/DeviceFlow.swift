import BluetoothValues
import RxBluetooth

/// The state of devices that are published: their packets, readings and presence.
///
/// The devices of the configuration and all others have one each, so that others displace nothing of the former. It
/// belongs to the context of a gateway.
final class DeviceFlow {
    var decoder: SensorDecoder
    var limiter: ReadingLimiter<ReadingMessage>
    var presence: PresenceMonitor
    private var unusedCounters = UnusedCounters()

    private init(
        decoder: SensorDecoder, limiter: ReadingLimiter<ReadingMessage>, presence: PresenceMonitor
    ) {
        self.decoder = decoder
        self.limiter = limiter
        self.presence = presence
    }

    /// Creates the flow of the devices of a configuration.
    static func configured(_ configuration: GatewayConfiguration, _ decoder: SensorDecoder) -> DeviceFlow {
        let capacity = configuration.devices.count
        return DeviceFlow(
            decoder: decoder, limiter: ReadingLimiter(configuration.publishing, capacity: capacity),
            presence: PresenceMonitor(configuration.publishing, capacity: capacity))
    }

    /// Creates the flow of all other devices. A single packet of a device publishes no presence.
    static func others(_ configuration: GatewayConfiguration, _ decoder: SensorDecoder) -> DeviceFlow {
        let capacity = configuration.otherDevices.maximum
        // A device that returns soon is remembered.
        return DeviceFlow(
            decoder: decoder, limiter: ReadingLimiter(configuration.publishing, capacity: 2 * capacity),
            presence: PresenceMonitor(configuration.publishing, capacity: capacity, settling: .seconds(1)))
    }

    /// Uses other settings and keys from now on. The devices and the counters of their packets stay.
    ///
    /// A device with a new key may count again, as after a pairing of its own. If the old key comes back, its counter
    /// continues.
    func apply(_ settings: PublishingSettings, keys: KeyStore, capacity: Int, presenceCapacity: Int) {
        for counter in decoder.encryptedCounters where keys[counter.address] != decoder.keys[counter.address] {
            unusedCounters.add(counter)
            decoder.forgetCounter(of: counter.address)
        }
        decoder.keys = keys
        decoder.resume(unusedCounters.take(for: keys))
        limiter.apply(settings, capacity: capacity)
        presence.apply(settings, capacity: presenceCapacity)
    }

    /// Continues with the counters of an earlier process. Those of other keys wait for a later configuration.
    func restore(_ counters: [EncryptedCounter]) {
        for counter in counters where !counter.matches(decoder.keys[counter.address]) { unusedCounters.add(counter) }
        decoder.restore(counters)
    }

    /// The counters for the next process, also those of keys that are not in use.
    var countersToSave: [EncryptedCounter] {
        let counters = decoder.encryptedCounters
        return counters + unusedCounters.missing(in: counters)
    }

    /// When readings that wait or devices that are lost have work; nil if there are none.
    var nextDeadline: Duration? { limiter.nextDeadline.earlier(presence.nextDeadline) }
    /// The number of devices that were forgotten because there were too many.
    var evicted: Int { limiter.evicted + presence.evicted }
}
