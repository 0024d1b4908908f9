import RxBluetooth

// The limit of messages of each device of the configuration.
extension ReadingPipeline {
    /// A message that the limit of its device may delay.
    enum DeviceMessage: Sendable {
        case reading(ReadingMessage)
        /// A value that arrived over a link.
        case value(GATTEvent)

        /// Whether a newer message may replace this one.
        func hasSameKind(as other: DeviceMessage) -> Bool {
            switch (self, other) {
            case (.reading(let one), .reading(let other)): one.reading.hasSameKinds(as: other.reading)
            case (.value(let one), .value(let other)): one.content.characteristic == other.content.characteristic
            default: false
            }
        }
    }

    static func deviceBudget(_ settings: PublishingSettings) -> DeviceBudget<DeviceMessage> {
        DeviceBudget(messagesPerMinute: settings.messagesPerMinute) { $0.hasSameKind(as: $1) }
    }

    /// Publishes a value that arrived over a link, as soon as the limit of its device allows.
    func publish(_ event: GATTEvent) {
        publish(.value(event), of: event.address)
        arm()
    }

    /// Publishes a message of a device of the configuration, as soon as the limit allows.
    func publish(_ message: DeviceMessage, of address: BluetoothAddress) {
        let now = loop.monotonicTime
        for message in deviceBudget.add(message, of: address, at: now) { deliver(message) }
        for notice in deviceBudget.takeNotices(at: now) { onNotice?(notice) }
    }

    func deliver(_ message: DeviceMessage) {
        switch message {
        case .reading(let message): deliver(message)
        case .value(let event): onValue?(event)
        }
    }
}

extension GATTEvent.Content {
    /// The characteristic of a value, in its service.
    fileprivate var characteristic: [BluetoothUUID?] {
        if case .value(let value) = self { [value.characteristic, value.service] } else { [] }
    }
}
