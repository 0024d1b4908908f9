import BluetoothValues
import RxBluetooth

extension Gateway {
    /// Uses another configuration, which differs only in settings that may change while the gateway runs.
    func apply(_ new: GatewayConfiguration) {
        // The readings that wait have the topics and names of the old configuration.
        pipeline.flush()
        connections.reload(new)
        let old = topics
        let oldFilters = filters
        let isTopicNew = new.topics.reading != configuration.topics.reading
        configuration = new
        topics = GatewayTopics(new.topics, gateway: new.name)
        commandFilter = TopicFilter(topics.commandFilter)
        pipeline.reload(new, keys: new.keys(besides: programKeys), isTopicNew: isTopicNew)
        states?.reload(new)
        let pipeline = pipeline
        discovery?.reload(new) { pipeline.matcher.matches($0) }
        delivery.subscribe(to: filters)
        if topics.status != old.status { moveStatus(from: old) }
        delivery.unsubscribe(from: (oldFilters + [old.status]).filter { !(filters + [topics.status]).contains($0) })
        publishStatusSoon()
    }

    /// The filters of commands and of Home Assistant.
    private var filters: [String] { [topics.commandFilter] + (discovery?.filters ?? []) }

    /// Removes the retained messages of the old topics, and publishes the discovery of the gateway with the new ones.
    private func moveStatus(from old: GatewayTopics) {
        delivery.resubscribe(to: [topics.status])
        for topic in [old.status, old.discovered] {
            delivery.publish(Publication(topic: topic, payload: [], isRetained: true))
        }
        ownDiscovery?.topics = topics
        if let message = ownDiscovery?.publication { delivery.publish(message) }
    }
}

extension GatewayConfiguration {
    /// Returns the keys of the devices, added to other keys.
    func keys(besides others: KeyStore) -> KeyStore {
        var keys = others
        for device in devices {
            let address = SenderAddress(device.address)
            if let key = device.key { keys[address] = key }
            if let key = device.identityKey { keys.addIdentity(address, key: key) }
        }
        return keys
    }
}
