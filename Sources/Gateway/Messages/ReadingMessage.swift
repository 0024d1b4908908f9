public import BluetoothValues
public import FoundationEssentials
import RxBluetooth
import RxBluetoothSupport

/// A reading of a device as JSON, in the layout of Theengs Gateway and OpenMQTTGateway.
///
/// For example `{"id":"C0:FF:EE:00:00:01","name":"Kitchen","rssi":-61,"model":"RuuviTag","format":"ruuvi",
/// "tempc":21.5,"tempf":70.7,"hum":40,"time":"2026-03-14T15:09:26.535Z"}`. Temperatures are also in degrees Fahrenheit.
/// The second value of a quantity has the name `tempc2`. States are true or false. A key is missing if the device did
/// not send the value.
public struct ReadingMessage: Hashable, Sendable {
    /// The device.
    public var device: MessageDevice
    /// The signal strength in dBm; nil if it is not known.
    public var rssi: Int?
    /// What the device sent.
    public var reading: SensorReading
    /// The wall time at which the reading was received.
    public var time: Date

    /// Creates a message.
    public init(device: MessageDevice, rssi: Int?, reading: SensorReading, time: Date) {
        self.device = device
        self.rssi = rssi
        self.reading = reading
        self.time = time
    }

    /// The JSON object in UTF-8, without control characters.
    public var payload: [UInt8] { json.bytes }

    /// The message for the broker, with confirmation and not retained.
    public func publication(_ topics: GatewayTopics) -> Publication {
        var publication = Publication(topic: topics.reading(of: device), payload: payload)
        publication.priority = device.priority
        return publication
    }

    var json: JSON {
        var members = MessageMembers(device)
        members.add("rssi", rssi.map { .number(Int($0)) })
        members.add("model", .string(reading.model ?? reading.format.rawValue))
        members.add("format", .string(reading.format.rawValue))
        for measurement in reading.measurements {
            guard let property = MeasuredProperty(measurement) else { continue }
            members.add(property.key, .double(property.value))
            if let fahrenheit = property.fahrenheit { members.add(fahrenheit.key, .double(fahrenheit.value)) }
        }
        for state in StateProperty.all(reading.states) { members.add(state.key, .bool(state.isOn)) }
        for event in reading.events.map({ EventProperty($0) }) {
            members.add(event.key, .string(event.type))
            if let number = event.number { members.add(number.key, .number(number.value)) }
        }
        for identifier in reading.identifiers { members.add(identifier.kind.rawValue, .string(identifier.text)) }
        if !reading.texts.isEmpty { members.add("text", .string(reading.texts.joined(separator: " "))) }
        members.add("packet", reading.packetCounter.map { .number(Int($0)) })
        members.add("time", .string(MessageTime.text(time)))
        return members.json
    }
}

/// The members of a JSON object. Each key occurs once; the first value counts.
struct MessageMembers {
    private var members: [(key: String, value: JSON)] = []

    /// Creates the members that all messages about a device have.
    init(_ device: MessageDevice) {
        add("id", .string(device.address.description))
        add("name", device.name.map { .string($0) })
    }

    /// Adds a member if there is a value.
    mutating func add(_ key: String, _ value: JSON?) {
        guard let value, !members.contains(where: { $0.key == key }) else { return }
        members.append((key, value))
    }

    var json: JSON { .object(members) }
}
