import BluetoothValues
import RxBluetoothSupport

/// One entity of a device in Home Assistant.
struct HomeAssistantComponent: Hashable, Sendable {
    /// The kinds of entities.
    enum Platform: String, Hashable, Sendable {
        case sensor, event
        case binarySensor = "binary_sensor"
    }

    /// The topic from which an entity gets its state.
    enum Source: Hashable, Sendable { case reading, presence, connection, room }

    /// The name of the property in messages, which is also part of the unique id.
    var key: String
    var platform: Platform
    /// The name; nil if Home Assistant names the entity after its device class.
    var name: String?
    var deviceClass: String?
    var stateClass: String?
    var unit: String?
    var template: String
    var source = Source.reading
    /// Whether the entity is about the device itself, such as its battery.
    var isDiagnostic = false
    var isEnabled = true
    /// Whether an old value becomes unavailable.
    var expires = false
    /// The types of events, sorted; empty for other platforms.
    var eventTypes: [String] = []

    init(_ platform: Platform, _ key: String, template: String) {
        self.platform = platform
        self.key = key
        self.template = template
    }
}

extension HomeAssistantComponent {
    /// Makes the sensor of a measured value.
    init(_ property: MeasuredProperty) {
        self.init(.sensor, property.key, template: "{{ value_json.\(property.key) | is_defined }}")
        let meaning = HomeAssistantMeaning(property.quantity, property.unit)
        deviceClass = meaning.deviceClass
        stateClass = meaning.stateClass
        unit = meaning.unit
        isDiagnostic = meaning.isDiagnostic
        expires = true
        let isNamedByClass = deviceClass == property.quantity.rawValue.snakeCase && property.index == 0
        if !isNamedByClass { name = property.quantity.rawValue.title(property.index) }
    }

    /// Makes the binary sensor of a state.
    init(_ property: StateProperty) {
        // For Home Assistant, a safety sensor is on if it is unsafe.
        let texts = property.kind == .safety ? ("OFF", "ON") : ("ON", "OFF")
        let value = "value_json.\(property.key)"
        self.init(
            .binarySensor, property.key,
            template: "{% if \(value) is defined %}{{ '\(texts.0)' if \(value) else '\(texts.1)' }}{% endif %}")
        deviceClass = HomeAssistantMeaning.deviceClass(property.kind)
        isDiagnostic = property.kind == .batteryLow || property.kind == .batteryCharging
        if deviceClass != property.kind.rawValue.snakeCase || property.index > 0 {
            name = property.kind.rawValue.title(property.index)
        }
    }

    /// Makes the event entity of an event.
    init(_ property: EventProperty) {
        let value = "value_json.\(property.key)"
        let number = property.number.map { ",\"\($0.key)\":{{ value_json.\($0.key) | default(0) }}" } ?? ""
        self.init(
            .event, property.key,
            template: "{% if \(value) is defined %}{\"event_type\":{{ \(value) | to_json }}\(number)}{% endif %}")
        switch property.kind {
        case .button:
            deviceClass = "button"
            eventTypes = SensorEvent.ButtonPress.allCases.map(\.rawValue.snakeCase).sorted()
        case .dimmer: eventTypes = ["rotate_left", "rotate_right"]
        case .other: eventTypes = [property.type]
        }
        name = property.key.title(0)
    }

    /// The entities about the presence of a device.
    ///
    /// - Parameter hasSeveralGateways: Whether a loss at one gateway does not mean that the device is out of range.
    static func presence(hasSeveralGateways: Bool) -> [HomeAssistantComponent] {
        let lost = hasSeveralGateways ? "" : "OFF"
        var range = HomeAssistantComponent(
            .binarySensor, "in_range", template: "{{ 'ON' if value_json.state == 'found' else '\(lost)' }}")
        range.name = "In range"
        range.deviceClass = "connectivity"
        range.source = .presence
        range.isDiagnostic = true
        var strength = HomeAssistantComponent(.sensor, "rssi", template: "{{ value_json.rssi | is_defined }}")
        strength.name = "Signal strength"
        strength.deviceClass = "signal_strength"
        strength.stateClass = "measurement"
        strength.unit = "dBm"
        strength.source = .presence
        strength.isDiagnostic = true
        strength.isEnabled = false
        strength.expires = true
        return [range, strength]
    }
}

extension HomeAssistantComponent {
    /// The sensor of the nearest gateway. Its topic is empty if no configuration contains the device any more.
    static let room: HomeAssistantComponent = {
        var room = HomeAssistantComponent(
            .sensor, "room", template: "{{ value or '\(DeviceSharing.notHome)' }}")
        room.name = "Nearest gateway"
        room.source = .room
        return room
    }()
}

// The message.
extension HomeAssistantComponent {
    /// Changes the template so that messages of other devices with the same topic change nothing.
    func restricted(to device: MessageDevice) -> HomeAssistantComponent {
        var component = self
        // An empty text has no effect, except that it becomes the state of a sensor without a unit.
        let other = platform == .sensor ? "{% else %}{{ ('' if false) | is_defined }}" : ""
        component.template = "{% if value_json.id == '\(device.address)' %}\(template)\(other){% endif %}"
        return component
    }

    /// The component in the message of a device.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the device.
    ///   - stateTopic: The topic of the state; nil for the one of the device.
    ///   - more: Further members.
    func json(of identifier: String, stateTopic: String?, _ more: [(key: String, value: JSON)] = []) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("platform", .string(platform.rawValue)), ("unique_id", .string("\(identifier)-\(key)")),
        ]
        func add(_ key: String, _ text: String?) {
            if let text { members.append((key, .string(text))) }
        }
        add("name", name)
        add("device_class", deviceClass)
        add("state_class", stateClass)
        add("unit_of_measurement", unit)
        add("state_topic", stateTopic)
        add("value_template", template)
        if !eventTypes.isEmpty { members.append(("event_types", .array(eventTypes.map { .string($0) }))) }
        if isDiagnostic { add("entity_category", "diagnostic") }
        if !isEnabled { members.append(("enabled_by_default", .bool(false))) }
        // Home Assistant 2024.11 to 2026.2 ignores the quality of service of the whole device.
        return .object(members + more + [("qos", .number(1))])
    }
}

extension String {
    /// A name of a quantity or state for people: `Battery level 2` for `batteryLevel` and index 1.
    fileprivate func title(_ index: Int) -> String {
        let words = snakeCase.split(separator: "_").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst() + (index == 0 ? "" : " \(index + 1)")
    }
}
