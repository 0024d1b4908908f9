/// Home Assistant's rules for discovery messages of devices, which exist since 2024.11.
///
/// Source: the schemas and tables of Home Assistant 2024.11.3, 2026.2.3 and 2026.11.0, in the integrations mqtt,
/// sensor, binary_sensor and event. Rules that differ are the stricter ones, so that the messages suit all versions.
enum HomeAssistantSchema {
    /// The allowed units of each device class of sensors: those that 2024.11 and 2026.11 have in common.
    static let units: [String: Set<String>] = [
        "battery": ["%"], "carbon_dioxide": ["ppm"], "carbon_monoxide": ["ppm"],
        "conductivity": ["S/cm", "mS/cm", "µS/cm"], "current": ["A", "mA"],
        "distance": ["cm", "ft", "in", "km", "m", "mi", "mm", "nmi", "yd"], "duration": ["d", "h", "min", "ms", "s"],
        "energy": ["GJ", "Gcal", "J", "MJ", "MWh", "Mcal", "Wh", "cal", "kJ", "kWh", "kcal"],
        "gas": ["CCF", "ft³", "m³"], "humidity": ["%"], "illuminance": ["lx"], "moisture": ["%"], "pm1": ["µg/m³"],
        "pm10": ["µg/m³"], "pm25": ["µg/m³"], "power": ["W", "kW"], "precipitation": ["cm", "in", "mm"],
        "pressure": ["Pa", "bar", "cbar", "hPa", "inHg", "kPa", "mbar", "mmHg", "psi"],
        "signal_strength": ["dB", "dBm"], "sound_pressure": ["dB", "dBA"],
        "speed": ["Beaufort", "ft/s", "in/d", "in/h", "in/s", "km/h", "kn", "m/s", "mm/d", "mm/h", "mm/s", "mph"],
        "temperature": ["K", "°C", "°F"], "volatile_organic_compounds": ["µg/m³"],
        "volatile_organic_compounds_parts": ["ppb", "ppm"], "voltage": ["V", "mV"],
        "volume": ["CCF", "L", "fl. oz.", "ft³", "gal", "mL", "m³"],
        "volume_flow_rate": ["L/min", "ft³/min", "gal/min", "m³/h"],
        "volume_storage": ["CCF", "L", "fl. oz.", "ft³", "gal", "mL", "m³"],
        "water": ["CCF", "L", "ft³", "gal", "m³"], "weight": ["g", "kg", "lb", "mg", "oz", "st", "µg"],
    ]
    /// The device classes that measure totals only.
    static let totals: Set<String> = ["energy", "gas", "volume", "water"]
    /// The device classes with all state classes. The remaining ones have `measurement`.
    static let mixed: Set<String> = ["distance", "duration", "precipitation", "weight"]
    /// The device classes of binary sensors.
    static let binaryClasses: Set<String> = [
        "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door", "garage_door", "gas", "heat",
        "light", "lock", "moisture", "motion", "moving", "occupancy", "opening", "plug", "power", "presence", "problem",
        "running", "safety", "smoke", "sound", "tamper", "update", "vibration", "window",
    ]
    private static let common: Set<String> = [
        "platform", "unique_id", "name", "device_class", "state_topic", "value_template", "entity_category",
        "enabled_by_default", "qos", "availability_topic",
    ]
    private static let keys: [String: Set<String>] = [
        "sensor": common.union(["state_class", "unit_of_measurement", "expire_after"]),
        "binary_sensor": common.union(["off_delay", "expire_after"]), "event": common.union(["event_types"]),
    ]

    /// Returns what is wrong with a discovery message.
    static func violations(_ json: ParsedJSON) -> [String] {
        guard let root = json.object else { return ["not an object"] }
        var found: [String] = []
        // 2024.11 to 2026.2 does not pass `qos` of the device to its entities.
        let known: Set = ["device", "origin", "components", "state_topic", "availability", "availability_mode"]
        found += Set(root.keys).subtracting(known).map { "unknown key \($0)" }
        if json["origin"]?["name"]?.string?.isEmpty != false { found.append("origin without a name") }
        let identifiers = json["device"]?["identifiers"]?.array ?? []
        if identifiers.isEmpty || identifiers.contains(where: { $0.string == nil }) {
            found.append("device without identifiers")
        }
        for connection in json["device"]?["connections"]?.array ?? [] where connection.array?.count != 2 {
            found.append("a connection is not a pair")
        }
        let deviceKeys: Set = ["identifiers", "connections", "name", "model", "manufacturer", "sw_version"]
        found += Set((json["device"]?.object ?? [:]).keys).subtracting(deviceKeys).map { "unknown key of device \($0)" }
        if json["state_topic"]?.string.map(isFilter) == false { found.append("invalid state_topic") }
        for entry in json["availability"]?.array ?? [] where entry["topic"]?.string.map(isFilter) != true {
            found.append("invalid availability")
        }
        if let mode = json["availability_mode"]?.string, !["all", "any", "latest"].contains(mode) {
            found.append("invalid availability_mode")
        }
        let components = root["components"]?.object ?? [:]
        if components.isEmpty { found.append("no components") }
        let ids = components.values.compactMap { $0["unique_id"]?.string }
        if Set(ids).count != components.count { found.append("unique ids are not unique") }
        for (name, component) in components { found += violations(of: component).map { "\(name): \($0)" } }
        return found.sorted()
    }

    private static func violations(of component: ParsedJSON) -> [String] {
        guard let platform = component["platform"]?.string, let allowed = keys[platform] else { return ["no platform"] }
        var found = Set((component.object ?? [:]).keys).subtracting(allowed).map { "unknown key \($0)" }
        let (deviceClass, unit) = (component["device_class"]?.string, component["unit_of_measurement"]?.string)
        let stateClass = component["state_class"]?.string
        switch platform {
        case "sensor":
            if let deviceClass {
                guard let units = units[deviceClass] else { return found + ["unknown device class \(deviceClass)"] }
                if !units.contains(unit ?? "") { found.append("unit \(unit ?? "none") of \(deviceClass)") }
                if totals.contains(deviceClass), stateClass == "measurement" { found.append("a total is measured") }
                if !totals.union(mixed).contains(deviceClass), stateClass != "measurement" {
                    found.append("\(stateClass ?? "no state class") of \(deviceClass)")
                }
            }
            if let stateClass, !["measurement", "total", "total_increasing"].contains(stateClass) {
                found.append("unknown state class")
            }
        case "binary_sensor":
            if let deviceClass, !binaryClasses.contains(deviceClass) { found.append("unknown class \(deviceClass)") }
        default:
            if let deviceClass, !["button", "doorbell", "motion"].contains(deviceClass) {
                found.append("unknown class \(deviceClass)")
            }
            if component["event_types"]?.array?.isEmpty != false { found.append("no event types") }
        }
        if component["name"] == nil, deviceClass == nil { found.append("neither a name nor a device class") }
        if let category = component["entity_category"]?.string, !["config", "diagnostic"].contains(category) {
            found.append("unknown category")
        }
        if case .number(let seconds) = component["expire_after"] ?? .number(1), seconds < 1 {
            found.append("expire_after")
        }
        return found
    }

    /// Whether a text is a valid filter of MQTT.
    private static func isFilter(_ text: String) -> Bool {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        return !text.isEmpty && levels.allSatisfy { $0 == "+" || !$0.contains("+") && !$0.contains("#") }
    }
}
