import RxBluetooth
import RxBluetoothSupport

/// The reading of a sensor as text and as JSON.
extension SensorReading {
    /// Each thing that the device sends as text, which is not sanitised.
    var parts: [String] {
        var parts = measurements.map(\.rounded.description)
        parts += states.map { "\($0.kind.rawValue) \($0.isOn ? "on" : "off")" }
        parts += events.map(\.display)
        parts += identifiers.map { "\($0.kind.rawValue) \($0.text)" }
        parts += texts
        parts += impossible.map { "impossible \($0.quantity.rawValue) (\(NumberText.of($0.value)) \($0.unit.symbol))" }
        if let restartedAfter { parts.append("counts again after packet \(restartedAfter)") }
        if !surplus.isEmpty { parts.append("surplus bytes \(HexBytes.text(surplus))") }
        return parts
    }

    /// The format, followed by what the device sends, in one sanitised line.
    var display: String {
        let parts = parts
        let name = format.rawValue + (model.map { " (\($0))" } ?? "")
        return Sanitiser.clean(parts.isEmpty ? name : name + ": " + parts.joined(separator: ", "))
    }

    /// What the device sends, followed by the format in parentheses: a narrow column then shows the values.
    var displayInTable: String {
        let parts = parts
        let name = model ?? format.rawValue
        return Sanitiser.clean(parts.isEmpty ? name : parts.joined(separator: ", ") + " (\(name))")
    }

    /// The reading as a JSON object, which always has the same keys.
    var json: JSON {
        .object([
            ("format", .string(format.rawValue)), ("model", .string(orNull: model)),
            ("measurements", .array(measurements.map(\.json))),
            ("impossible", .array(impossible.map(\.json))),
            (
                "states",
                .array(states.map { .object([("kind", .string($0.kind.rawValue)), ("on", .bool($0.isOn))]) })
            ),
            ("events", .array(events.map(\.json))),
            (
                "identifiers",
                .array(
                    identifiers.map { .object([("kind", .string($0.kind.rawValue)), ("value", .string($0.text))]) })
            ),
            ("texts", .array(texts.map { .string($0) })), ("timestamp", .number(orNull: timestamp)),
            ("packetCounter", .number(orNull: packetCounter)), ("encrypted", .bool(isEncrypted)),
            ("repeated", .bool(isRepeated)), ("restartedAfter", .number(orNull: restartedAfter)),
            ("surplus", surplus.isEmpty ? .null : .string(HexBytes.text(surplus))),
        ])
    }
}

extension SensorMeasurement {
    fileprivate var json: JSON {
        .object([
            ("quantity", .string(quantity.rawValue)), ("value", .double(value)), ("unit", .string(unit.rawValue)),
            ("symbol", .string(unit.symbol)), ("index", .number(index)),
        ])
    }

    /// The measurement with at most five decimals, for people. JSON has the value as decoded.
    fileprivate var rounded: SensorMeasurement {
        guard (0.01..<1e9).contains(abs(value)) else { return self }
        return SensorMeasurement(quantity, (value * 1e5).rounded() / 1e5, unit, index: index)
    }
}

extension SensorEvent {
    fileprivate var display: String {
        switch self {
        case .button(let index, let press): "button \(index) \(press.rawValue)"
        case .dimmer(let index, let steps): "dimmer \(index) \(steps) steps"
        case .motion: "motion"
        case .other(let name, let code): "\(name) \(code)"
        }
    }

    fileprivate var json: JSON {
        let (kind, index, press, number): (String, Int?, String?, Int?) =
            switch self {
            case .button(let index, let press): ("button", index, press.rawValue, nil)
            case .dimmer(let index, let steps): ("dimmer", index, nil, steps)
            case .motion: ("motion", nil, nil, nil)
            case .other(let name, let code): (name, nil, nil, code)
            }
        return .object([
            ("kind", .string(kind)), ("index", .number(orNull: index)), ("press", .string(orNull: press)),
            ("number", .number(orNull: number)),
        ])
    }
}
