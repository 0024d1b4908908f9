import BluetoothValues
import RxBluetooth

/// What the messages about a value of a device have in common, so that its entities are made once.
struct HomeAssistantValueShape: Hashable, Sendable {
    let characteristic: BluetoothUUID
    let service: BluetoothUUID?
    let fields: [String]

    init(_ value: GATTValue) {
        characteristic = value.characteristic
        service = value.service
        fields = value.fields?.map(\.name) ?? []
    }
}

extension HomeAssistantComponent {
    /// Makes the sensors of the numbers in a value of a job. Numbers without a unit count if they are the only field.
    ///
    /// The values have no expiry, because a job may read seldom.
    static func all(_ value: GATTValue) -> [HomeAssistantComponent] {
        guard let fields = value.fields, let number = value.characteristic.shortNumber,
            let structure = CharacteristicStructure.structure(of: number)
        else { return [] }
        return fields.compactMap { field in
            guard field.value.isFiniteNumber, let unit = structure.fields.first(where: { $0.name == field.name })?.unit,
                unit != .none || fields.count == 1
            else { return nil }
            return HomeAssistantComponent(
                Attribute(value), field.name, unit, isOnly: structure.fields.count == 1)
        }
    }

    /// Makes the sensors of the numbers that the values of a job can have, before there is a value.
    ///
    /// So all gateways with the same configuration publish the same sensors, also those that do not run the job.
    static func all(_ job: GATTJob) -> [HomeAssistantComponent] {
        guard let number = job.characteristic.shortNumber,
            let structure = CharacteristicStructure.structure(of: number)
        else { return [] }
        let isOnly = structure.fields.count == 1
        // Alternatives of a field have one name, of which the first gives the unit.
        var names: Set<String> = []
        return structure.fields.filter { names.insert($0.name).inserted && $0.isNumber }
            .filter { $0.unit != .none || isOnly }
            .map { HomeAssistantComponent(Attribute(job), $0.name, $0.unit, isOnly: isOnly) }
    }

    /// What a value and its job have in common.
    private struct Attribute {
        let characteristic: BluetoothUUID
        let service: BluetoothUUID?
        let name: String

        init(_ value: GATTValue) { (characteristic, service, name) = (value.characteristic, value.service, value.name) }

        init(_ job: GATTJob) { (characteristic, service, name) = (job.characteristic, job.service, job.displayName) }
    }

    private init(_ value: Attribute, _ field: String, _ unit: MeasurementUnit, isOnly: Bool) {
        let characteristic = value.characteristic.description
        var key = "gatt_" + characteristic.keyText
        if let service = value.service { key = "gatt_\(service.description.keyText)_\(characteristic.keyText)" }
        if !isOnly { key += "_" + field.keyText }
        var condition = "value_json.characteristic == '\(characteristic)'"
        if let service = value.service { condition += " and value_json.service == '\(service)'" }
        let name = "'\(field.templateText)'"
        // A message about a state, an error or another value changes nothing.
        self.init(
            .sensor, key,
            template: "{% set f = value_json.fields | default({}) %}"
                + "{% if \(condition) and \(name) in f %}{{ f[\(name)] }}{% endif %}")
        source = .connection
        self.name = isOnly ? value.name : "\(value.name) \(field)"
        self.unit = HomeAssistantMeaning.text(unit)
        deviceClass = Self.classesByCharacteristic[characteristic] ?? Self.classesByUnit[unit]
        stateClass = "measurement"
        isDiagnostic = deviceClass == "battery"
    }

    /// The classes of characteristics with units that have several meanings.
    private static let classesByCharacteristic = ["2A19": "battery", "2A6F": "humidity", "2B8C": "carbon_dioxide"]

    /// The classes for which Home Assistant allows the unit and single measurements.
    private static let classesByUnit: [MeasurementUnit: String] = [
        .celsius: "temperature", .fahrenheit: "temperature", .kelvin: "temperature", .pascal: "pressure",
        .hectopascal: "pressure", .kilopascal: "pressure", .volt: "voltage", .ampere: "current", .watt: "power",
        .lux: "illuminance", .hertz: "frequency", .decibelMilliwatt: "signal_strength", .metrePerSecond: "speed",
        .kilometrePerHour: "speed", .kilogram: "weight", .gram: "weight", .second: "duration", .minute: "duration",
        .hour: "duration", .day: "duration", .millimetre: "distance", .metre: "distance", .kilometre: "distance",
    ]
}

extension FieldValue {
    /// Whether the value is a number that Home Assistant can show.
    fileprivate var isFiniteNumber: Bool {
        switch self {
        case .number(let number): number.isFinite
        case .integer: true
        case .medical(let number): number.value.isFinite
        case .special, .text, .bytes, .numbers, .unknown: false
        }
    }
}

extension String {
    /// The lowercase letters and digits of the text, with `_` for all others.
    fileprivate var keyText: String {
        var text = ""
        for scalar in lowercased().unicodeScalars {
            let isWord = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            text.unicodeScalars.append(isWord ? scalar : "_")
        }
        return text
    }

    /// The text with escapes for a literal of a template.
    fileprivate var templateText: String {
        reduce(into: "") { text, character in
            if character == "'" || character == "\\" { text.append("\\") }
            text.append(character)
        }
    }
}
