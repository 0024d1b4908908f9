import BluetoothValues
import RxBluetoothMocks
import YAMLDocuments

/// Reads sensors: the value of each quantity, as `ruuvi: { temperature: 21.5 }`.
extension ScenarioNode {
    /// The formats that a file may name: those that can be encoded.
    static let sensorFormats = SensorFormat.allCases.filter { !$0.isRecognisedOnly }

    /// Reads the sensor of an advertisement; nil if it has none.
    func sensor(in parts: [String: ScenarioNode]) throws(ScenarioFileError) -> SimulatedSensor? {
        let given = Self.sensorFormats.filter { parts[$0.rawValue] != nil }
        guard let format = given.first, let part = parts[format.rawValue] else { return nil }
        guard given.count == 1 else {
            throw parts[given[1].rawValue]?.error("\(name) has several formats", "one format")
                ?? error("\(name) has several formats", "one format")
        }
        switch format {
        case .iBeacon: return try part.iBeacon()
        case .altBeacon: return try part.altBeacon()
        case .eddystone:
            if let identifier = try part.eddystone() { return identifier }
            return try part.measurements(format, other: ["url", "namespace", "instance", "ephemeral"])
        case .bthome: return try part.measurements(format, other: ["button"])
        case .tilt: return try part.measurements(format, other: ["color"])
        default: return try part.measurements(format, other: [])
        }
    }

    private func measurements(_ format: SensorFormat, other: [String]) throws(ScenarioFileError) -> SimulatedSensor {
        let quantities = Dictionary(uniqueKeysWithValues: format.quantities.map { ($0.rawValue.kebabCase, $0) })
        let states = Dictionary(
            uniqueKeysWithValues: (format == .bthome ? SensorState.Kind.bthome : []).map { ($0.rawValue.kebabCase, $0) }
        )
        let names = quantities.keys.sorted() + states.keys.sorted().filter { quantities[$0] == nil } + other
        let keys = (names + ["every", "key"]).joined(separator: ", ")
        let parts = try parts(
            Set(names + ["every", "key"]), expected: ("the keys \(keys)", "one of \(keys)"))
        var values: [(quantity: Quantity, value: SimulatedValue)] = []
        var isOn: [SensorState] = []
        for key in names {
            guard let part = parts[key] else { continue }
            if let kind = states[key], quantities[key] == nil || part.isTruth {
                isOn.append(SensorState(kind, try part.truth()))
            } else if let quantity = quantities[key] {
                values.append((quantity, try part.changingValue()))
            }
        }
        let buttons = try parts["button"].or([]) { e throws(ScenarioFileError) in try e.buttons() }
        let color = try parts["color"].or(nil) { e throws(ScenarioFileError) in try e.color() }
        guard !values.isEmpty || !isOn.isEmpty || !buttons.isEmpty else {
            throw error("\(name) has no values", "one of \(keys)")
        }
        let interval = try parts["every"].or(.seconds(1)) { e throws(ScenarioFileError) in try e.interval() }
        let key = try parts["key"].or(nil) { e throws(ScenarioFileError) in try e.key() }
        let given = isOn
        func make(_ values: [(quantity: Quantity, value: SimulatedValue)]) throws(ValueEncodingError) -> SimulatedSensor
        {
            try SimulatedSensor(
                format, measuring: values, states: given, buttons: buttons, color: color, every: interval, key: key)
        }
        do throws(ValueEncodingError) {
            return try make(values)
        } catch {
            let field = error.field.kebabCase
            guard error.reason == .outOfRange, let part = parts[field],
                let index = values.firstIndex(where: { $0.quantity.rawValue == error.field })
            else { throw self.error(for: error, field, parts) }
            // The error is at the line of the first number that does not fit. The others have one number each, because
            // each attempt encodes all of them.
            var single = values.map { entry -> (quantity: Quantity, value: SimulatedValue) in
                (entry.quantity, .constant(entry.value.value(0, at: .zero)))
            }
            for number in part.numbers {
                guard let value = number.node.scalar.flatMap({ Double($0) }) else { continue }
                single[index].value = .constant(value)
                if (try? make(single)) == nil { throw number.wrong("a value in the range of \(name)") }
            }
            throw part.error("\(field) is out of range", "values in the range of \(name)")
        }
    }

    private func error(
        for failure: ValueEncodingError, _ field: String, _ parts: [String: ScenarioNode]
    ) -> ScenarioFileError {
        let part = parts[field] ?? self
        switch failure.reason {
        case .missing: return error("\(name) has no key \(field)", "the key \(field)")
        case .unsuitableKey: return part.error("\(field) has the wrong length", "a key of another length")
        case .tooLong: return part.error("\(field) is too long", "fewer bytes")
        case .outOfRange: return part.error("\(field) is out of range", "a value in the range of \(name)")
        case .contradiction:
            return part.error("\(field) cannot be combined with the other keys of \(name)", "values of one packet")
        }
    }

    /// Reads a way to press a button, `none`, or a list of them.
    private func buttons() throws(ScenarioFileError) -> [SensorEvent.ButtonPress?] {
        if node.sequence != nil {
            let names = try numbers.each { e throws(ScenarioFileError) in try e.buttons() }.flatMap { $0 }
            guard !names.isEmpty else { throw error("\(name) has no values", "a list of presses") }
            return names
        }
        if node.scalar == "none" { return [nil] }
        let presses = SensorEvent.ButtonPress.allCases
        guard let press = presses.first(where: { $0.rawValue.kebabCase == node.scalar }) else {
            throw wrong("one of none, " + presses.map(\.rawValue.kebabCase).joined(separator: ", "))
        }
        return [press]
    }

    /// Reads the colour of a Tilt.
    private func color() throws(ScenarioFileError) -> Tilt.Color? {
        let colors = Tilt.Color.allCases
        guard let color = colors.first(where: { "\($0)" == node.scalar }) else {
            throw wrong("one of " + colors.map { "\($0)" }.joined(separator: ", "))
        }
        return color
    }

    /// Whether the node is true or false.
    private var isTruth: Bool { (try? truth()) != nil }

    /// The nodes of the numbers in a value.
    private var numbers: [ScenarioNode] {
        if let elements = node.sequence { return elements.map { ScenarioNode($0, name, in: file) } }
        guard let pairs = node.mapping else { return [self] }
        return pairs.filter { $0.key.scalar != "period" }.map {
            ScenarioNode($0.value, $0.key.scalar ?? name, in: file)
        }
    }

    /// The most numbers in a list. Each of them is encoded when the file is read.
    private static let mostNumbers = 10_000

    /// Reads a number, a list of numbers, or `{ from: 20, to: 25, period: 60 s }`.
    private func changingValue() throws(ScenarioFileError) -> SimulatedValue {
        if let count = node.sequence?.count {
            guard count <= Self.mostNumbers else {
                throw error("\(name) has \(count) numbers", "at most \(Self.mostNumbers)")
            }
            let numbers = try numbers.each { e throws(ScenarioFileError) in try e.decimal() }
            guard !numbers.isEmpty else { throw error("\(name) has no values", "a list of numbers") }
            return .steps(numbers)
        }
        guard node.mapping != nil else { return .constant(try decimal()) }
        let parts = try parts("from", "to", "period")
        return .sweep(
            from: try required("from", in: parts).decimal(), to: try required("to", in: parts).decimal(),
            period: try required("period", in: parts).interval())
    }

    private func decimal() throws(ScenarioFileError) -> Double {
        guard let text = node.scalar, let number = Double(text), number.isFinite else {
            throw wrong("a number, such as 21.5")
        }
        return number
    }

    /// Reads a key. Errors do not contain it.
    private func key() throws(ScenarioFileError) -> DeviceKey {
        guard let text = node.scalar, let key = DeviceKey(text) else {
            throw error("\(name) is not a key", "32 hexadecimal digits, or 24 for a legacy key of MiBeacon")
        }
        return key
    }
}

// MARK: - Beacons

extension ScenarioNode {
    private func iBeacon() throws(ScenarioFileError) -> SimulatedSensor {
        let parts = try parts("uuid", "major", "minor", "power")
        let text = try required("uuid", in: parts).uuid()
        guard text.utf8.count == 36, let uuid = AttributeUUID(text) else {
            throw (parts["uuid"] ?? self).wrong("a UUID of 128 bits")
        }
        return try sensor(
            IBeacon(
                uuid: uuid, major: UInt16(try number("major", in: parts, 0...0xFFFF)),
                minor: UInt16(try number("minor", in: parts, 0...0xFFFF)), calibratedPower: try power(parts)))
    }

    private func altBeacon() throws(ScenarioFileError) -> SimulatedSensor {
        let parts = try parts("company", "identifier", "power")
        return try sensor(
            AltBeacon(
                company: UInt16(try required("company", in: parts).number(0...0xFFFF)),
                identifier: try required("identifier", in: parts).bytes(exactly: 20),
                calibratedPower: try power(parts)))
    }

    /// Reads an identifier, a URL or an ephemeral identifier; nil for telemetry.
    private func eddystone() throws(ScenarioFileError) -> SimulatedSensor? {
        let keys = Set((node.mapping ?? []).compactMap(\.key.scalar))
        if keys.contains("url") {
            let parts = try parts("url", "power")
            let part = try required("url", in: parts)
            let url = try part.text()
            guard let sensor = try? SimulatedSensor([Eddystone.url(power: try power(parts), url)]) else {
                throw part.wrong("a URL that begins with http:// or https:// and has at most 17 bytes after that")
            }
            return sensor
        }
        if keys.contains("ephemeral") {
            let parts = try parts("ephemeral", "power")
            let bytes = try required("ephemeral", in: parts).bytes(exactly: 8)
            return try sensor(Eddystone.ephemeral(power: try power(parts), bytes))
        }
        guard keys.contains("namespace") || keys.contains("instance") else { return nil }
        let parts = try parts("namespace", "instance", "power")
        return try sensor(
            Eddystone.uid(
                power: try power(parts), namespace: try required("namespace", in: parts).bytes(exactly: 10),
                instance: try required("instance", in: parts).bytes(exactly: 6)))
    }

    private func sensor(_ value: any AdvertisementFormat) throws(ScenarioFileError) -> SimulatedSensor {
        do throws(ValueEncodingError) {
            return try SimulatedSensor([value])
        } catch {
            throw self.error("\(error.field) is out of range", "a value in the range of \(name)")
        }
    }

    private func power(_ parts: [String: ScenarioNode]) throws(ScenarioFileError) -> Int8 {
        Int8(try parts["power"].or(-59) { e throws(ScenarioFileError) in try e.number(-128...127) })
    }

    private func number(
        _ key: String, in parts: [String: ScenarioNode], _ range: ClosedRange<Int>
    ) throws(ScenarioFileError) -> Int {
        try parts[key].or(0) { e throws(ScenarioFileError) in try e.number(range) }
    }

    private func bytes(exactly count: Int) throws(ScenarioFileError) -> [UInt8] {
        let bytes = try bytes(atMost: count)
        guard bytes.count == count else { throw error("\(name) has \(bytes.count) bytes", "\(count) bytes") }
        return bytes
    }
}

extension SensorState.Kind {
    /// The states that BTHome has.
    fileprivate static let bthome = allCases.filter { BTHome.Object.state($0, true) != nil }
}

extension String {
    /// The name of a quantity or state as a key: `battery-level` for `batteryLevel`.
    fileprivate var kebabCase: String {
        var text = ""
        for character in self {
            if character.isUppercase {
                text += "-" + character.lowercased()
            } else {
                text.append(character == "_" ? "-" : character)
            }
        }
        return text
    }
}
