import BluetoothValues
import RxBluetooth

/// The last messages about devices, from which Home Assistant gets their states after its start. A pure value.
///
/// Its size is bounded by the number of devices with discovery. A device has a reading for each set of quantities that
/// it sends, and a value for each job.
struct LastStates: Sendable {
    private struct Reading: Sendable {
        var message: ReadingMessage
        var time: Duration
        /// Distinguishes the readings, of which a packet may contain several.
        var number: Int
    }

    private struct Device: Sendable {
        var readings: [Reading] = []
        /// The message that the device was lost; nil while it is in range.
        var loss: (message: PresenceMessage, time: Duration)?
        /// The state of the connection and the values of jobs, by what they are about.
        var connection: [(key: String, publication: Publication, time: Duration)] = []
    }

    /// One message of a device. It is not repeated if a newer one has replaced it.
    struct Entry: Hashable, Sendable {
        /// What the message is about.
        enum Content: Hashable, Sendable {
            case reading(Int)
            case presence
            case connection(String)
        }

        let address: BluetoothAddress
        let content: Content
        /// When the message was made.
        let time: Duration
    }

    private static let maximumReadings = 16
    private static let maximumValues = 64

    private var expireAfter: Duration
    private var configured: RecencyTable<BluetoothAddress, Device>
    private var others: RecencyTable<BluetoothAddress, Device>
    private var readingCount = 0

    init(_ configuration: GatewayConfiguration, _ settings: HomeAssistantSettings) {
        expireAfter = settings.expireAfter
        configured = RecencyTable(capacity: configuration.devices.count)
        others = RecencyTable(capacity: settings.discoveryLimit)
    }

    /// Uses another configuration. Values of connections have topics, which may have changed.
    mutating func reload(_ configuration: GatewayConfiguration, _ settings: HomeAssistantSettings) {
        expireAfter = settings.expireAfter
        configured.setCapacity(max(configuration.devices.count, configured.count))
        others.setCapacity(max(settings.discoveryLimit, others.count))
        let described = Set(configuration.devices.map(\.address))
        for address in configured.keys where !described.contains(address) { configured.remove(address) }
        for address in others.keys where described.contains(address) {
            if let device = others.remove(address) { configured.use(address, default: device) }
        }
        for address in configured.keys { _ = configured.update(address) { $0.connection = [] } }
    }

    /// The messages about the devices of the configuration, and about all others.
    ///
    /// - Parameter isPresent: Whether a device is in range.
    func entries(at now: Duration, isPresent: (BluetoothAddress) -> Bool) -> (configured: [Entry], others: [Entry]) {
        func entries(_ table: RecencyTable<BluetoothAddress, Device>) -> [Entry] {
            table.keys.flatMap { address -> [Entry] in
                guard let device = table.peek(address) else { return [] }
                let presence = isPresent(address) ? now : device.loss?.time
                return device.readings.map { Entry(address: address, content: .reading($0.number), time: $0.time) }
                    + (presence.map { [Entry(address: address, content: .presence, time: $0)] } ?? [])
                    + device.connection.map { Entry(address: address, content: .connection($0.key), time: $0.time) }
            }
        }
        return (entries(configured), entries(others))
    }

    mutating func add(_ message: ReadingMessage, at now: Duration) {
        var message = message
        // An event happens once.
        message.reading.events = []
        guard !message.reading.measurements.isEmpty || !message.reading.states.isEmpty else { return }
        readingCount += 1
        let number = readingCount
        change(message.device) { device in
            let index = device.readings.firstIndex { $0.message.reading.hasSameKinds(as: message.reading) }
            if let index { device.readings.remove(at: index) }
            if device.readings.count >= Self.maximumReadings { device.readings.removeFirst() }
            device.readings.append(Reading(message: message, time: now, number: number))
        }
    }

    mutating func add(_ message: PresenceMessage, at now: Duration) {
        change(message.device) { $0.loss = message.isPresent ? nil : (message, now) }
    }

    mutating func add(
        _ content: GATTEvent.Content, _ publication: Publication, of device: MessageDevice, at now: Duration
    ) {
        let key: String
        switch content {
        case .state: key = ""
        case .value(let value): key = "\(value.service?.description ?? "") \(value.characteristic)"
        case .failure, .result: return
        }
        change(device) { device in
            if let index = device.connection.firstIndex(where: { $0.key == key }) {
                device.connection[index] = (key, publication, now)
            } else if device.connection.count < Self.maximumValues {
                device.connection.append((key, publication, now))
            }
        }
    }

    /// Returns a message, without values that have expired for Home Assistant; nil if a newer one was published.
    ///
    /// - Parameter presence: The present message about the presence; nil if the device is not in range.
    func message(
        _ entry: Entry, presence: PresenceMessage?, _ topics: GatewayTopics, at now: Duration
    ) -> Publication? {
        guard let device = configured.peek(entry.address) ?? others.peek(entry.address) else { return nil }
        switch entry.content {
        case .reading(let number):
            guard var message = device.readings.first(where: { $0.number == number })?.message else { return nil }
            if now - entry.time >= expireAfter { message.reading.measurements = [] }
            guard !message.reading.measurements.isEmpty || !message.reading.states.isEmpty else { return nil }
            return message.publication(topics).repeated
        case .presence: return (presence ?? device.loss?.message)?.publication(topics).repeated
        case .connection(let key):
            return device.connection.first { $0.key == key && $0.time == entry.time }?.publication.repeated
        }
    }

    private mutating func change(_ device: MessageDevice, _ change: (inout Device) -> Void) {
        if device.isConfigured {
            _ = configured.use(device.address, default: Device()) { device, _ in change(&device) }
        } else {
            _ = others.use(device.address, default: Device()) { device, _ in change(&device) }
        }
    }
}

extension Publication {
    /// The message with the mark that it repeats an earlier one.
    fileprivate var repeated: Publication {
        guard payload.first == UInt8(ascii: "{") else { return self }
        var result = self
        result.payload = Array(#"{"repeated":true,"#.utf8) + payload.dropFirst()
        return result
    }
}
