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
    }

    private struct Device: Sendable {
        var readings: [Reading] = []
        /// The message that the device was lost; nil while it is in range.
        var loss: PresenceMessage?
        /// The state of the connection and the values of jobs, by what they are about.
        var connection: [(key: String, publication: Publication)] = []
    }

    private static let maximumReadings = 16
    private static let maximumValues = 64

    private let expireAfter: Duration
    private var configured: RecencyTable<BluetoothAddress, Device>
    private var others: RecencyTable<BluetoothAddress, Device>

    init(_ configuration: GatewayConfiguration, _ settings: HomeAssistantSettings) {
        expireAfter = settings.expireAfter
        configured = RecencyTable(capacity: configuration.devices.count)
        others = RecencyTable(capacity: settings.discoveryLimit)
    }

    /// The devices, those of the configuration first.
    var addresses: [BluetoothAddress] { configured.keys + others.keys }

    mutating func add(_ message: ReadingMessage, at now: Duration) {
        var message = message
        // An event happens once.
        message.reading.events = []
        guard !message.reading.measurements.isEmpty || !message.reading.states.isEmpty else { return }
        change(message.device) { device in
            let index = device.readings.firstIndex { $0.message.reading.hasSameKinds(as: message.reading) }
            if let index { device.readings.remove(at: index) }
            if device.readings.count >= Self.maximumReadings { device.readings.removeFirst() }
            device.readings.append(Reading(message: message, time: now))
        }
    }

    mutating func add(_ message: PresenceMessage) {
        change(message.device) { $0.loss = message.isPresent ? nil : message }
    }

    mutating func add(_ content: GATTEvent.Content, _ publication: Publication, of device: MessageDevice) {
        let key: String
        switch content {
        case .state: key = ""
        case .value(let value): key = "\(value.service?.description ?? "") \(value.characteristic)"
        case .failure, .result: return
        }
        change(device) { device in
            if let index = device.connection.firstIndex(where: { $0.key == key }) {
                device.connection[index].publication = publication
            } else if device.connection.count < Self.maximumValues {
                device.connection.append((key, publication))
            }
        }
    }

    /// Returns the messages of a device, without values that have expired for Home Assistant.
    ///
    /// - Parameter presence: The present message about the presence; nil if the device is not in range.
    func messages(
        of address: BluetoothAddress, presence: PresenceMessage?, _ topics: GatewayTopics, at now: Duration
    ) -> [Publication] {
        guard let device = configured.peek(address) ?? others.peek(address) else { return [] }
        let readings = device.readings.compactMap { entry -> Publication? in
            var message = entry.message
            if now - entry.time >= expireAfter { message.reading.measurements = [] }
            guard !message.reading.measurements.isEmpty || !message.reading.states.isEmpty else { return nil }
            return message.publication(topics)
        }
        let others = [(presence ?? device.loss)?.publication(topics)].compactMap { $0 }
        return (readings + others + device.connection.map(\.publication)).map(\.repeated)
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
