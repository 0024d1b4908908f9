import BluetoothValues
import RxBluetooth

// The limits of messages of each device of the configuration.
extension ReadingPipeline {
    /// The values of a link that are published however fast they arrive, if no others arrived for a while before.
    ///
    /// A glucose meter sends its stored records in a row. Each one counts, so none may replace another.
    private static var recordsAtOnce: Int { 20_000 }

    /// A reading with an event is kept, because the next one does not contain the event.
    static func readingBudget(_ settings: PublishingSettings) -> DeviceBudget<ReadingMessage> {
        DeviceBudget(
            messagesPerMinute: settings.messagesPerMinute, hasSameKind: { $0.reading.hasSameKinds(as: $1.reading) },
            isKept: { !$0.reading.events.isEmpty })
    }

    static func valueBudget(_ settings: PublishingSettings) -> DeviceBudget<GATTEvent> {
        DeviceBudget(
            messagesPerMinute: settings.messagesPerMinute, minimumBurst: recordsAtOnce,
            hasSameKind: { $0.content.source == $1.content.source })
    }

    /// The number of messages of configured devices that were not published because of their limits.
    var ignoredDeviceMessages: Int { readingBudget.ignoredMessages + valueBudget.ignoredMessages }

    /// Publishes a value that arrived over a link, as soon as the limit of its device allows.
    func publish(_ event: GATTEvent) {
        let now = loop.monotonicTime
        for event in valueBudget.add(event, of: event.address, at: now) { onValue?(event) }
        for notice in valueBudget.takeNotices(at: now) { onNotice?(notice) }
        arm(at: now)
    }

    /// Publishes a reading of a device of the configuration, as soon as the limit allows.
    func publishLimited(_ message: ReadingMessage) {
        let now = loop.monotonicTime
        for message in readingBudget.add(message, of: message.device.address, at: now) { deliver(message) }
        for notice in readingBudget.takeNotices(at: now) { onNotice?(notice) }
    }
}

extension GATTEvent.Content {
    /// What distinguishes the characteristics of a device. Jobs for the same one may have several names.
    fileprivate var source: [String] {
        guard case .value(let value) = self else { return [] }
        return [value.service?.description ?? "", value.characteristic.description, value.name]
    }
}
