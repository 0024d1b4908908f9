import BluetoothValues
import RxBluetooth

extension ReadingPipeline {
    /// Uses another configuration from now on. Devices stay in range, and the counters of their packets are kept.
    ///
    /// Call ``flush()`` before, so that no reading waits.
    ///
    /// - Parameter isTopicNew: Whether readings have other topics than before, so that each device publishes its next
    ///   reading. A device with another name does so in any case, because messages and topics may contain it.
    func reload(_ configuration: GatewayConfiguration, keys: KeyStore, isTopicNew: Bool) {
        let oldNames = names
        matcher = DeviceMatcher(configuration)
        keyCheck = KeyCheck(configuration.devices.map(\.address).filter(matcher.matches))
        names = DeviceNames(configuration, after: names)
        budget.settings = configuration.otherDevices
        readingBudget.apply(messagesPerMinute: configuration.publishing.messagesPerMinute)
        valueBudget.apply(messagesPerMinute: configuration.publishing.messagesPerMinute)
        let (count, maximum) = (configuration.devices.count, configuration.otherDevices.maximum)
        configured.apply(configuration.publishing, keys: keys, capacity: count, presenceCapacity: count)
        others.apply(configuration.publishing, keys: keys, capacity: 2 * maximum, presenceCapacity: maximum)
        for address in configured.presence.addresses { move(address) }
        for address in others.presence.addresses { move(address) }
        for flow in [configured, others] {
            for address in flow.presence.addresses where isTopicNew || names[address] != oldNames[address] {
                flow.limiter.forget(address)
            }
        }
        arm(at: loop.monotonicTime)
    }

    /// Moves a device to the state to which it belongs now. One that is not published any more is lost.
    private func move(_ address: BluetoothAddress) {
        let isConfigured = configured.presence.isPresent(address)
        let (old, new) = isConfigured ? (configured, others) : (others, configured)
        guard matcher.matches(address) else {
            old.limiter.forget(address)
            return publish(old.presence.remove(address))
        }
        guard matcher.describes(address) != isConfigured else { return }
        old.limiter.forget(address)
        publish(old.presence.move(address, to: &new.presence))
    }
}
