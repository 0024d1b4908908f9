/// The types of objects of BTHome version 2. Source: bthome.io, format, object ids.
enum BTHomeObjects {
    /// A type of object.
    struct Kind: Sendable {
        let length: Length
        let content: Content
    }

    /// How many bytes an object has.
    enum Length: Hashable, Sendable {
        case fixed(Int)
        /// A byte with the number precedes.
        case counted
        /// A byte precedes; its low five bits are the number of arguments after the code of the command.
        case command
    }

    /// What an object means.
    enum Content: Sendable {
        case number(RecordField)
        case state(SensorState.Kind)
        case packet, button, dimmer, command, text, raw, timestamp, deviceType, firmware
    }

    private typealias Row = (UInt8, Cell, Scale, Quantity, MeasurementUnit)

    // Table: numbers.
    private static let numbers: [Row] = [
        (0x01, .u8(0), .one, .batteryLevel, .percent),
        (0x02, .s16(0), .hundredth, .temperature, .celsius),
        (0x03, .u16(0), .hundredth, .humidity, .percent),
        (0x04, .u24(0), .hundredth, .pressure, .hectopascal),
        (0x05, .u24(0), .hundredth, .illuminance, .lux),
        (0x06, .u16(0), .hundredth, .mass, .kilogram),
        (0x07, .u16(0), .hundredth, .mass, .pound),
        (0x08, .s16(0), .hundredth, .dewPoint, .celsius),
        (0x09, .u8(0), .one, .count, .none),
        (0x0A, .u24(0), .thousandth, .energy, .kilowattHour),
        (0x0B, .u24(0), .hundredth, .power, .watt),
        (0x0C, .u16(0), .thousandth, .voltage, .volt),
        (0x0D, .u16(0), .one, .particles2_5, .microgramPerCubicMetre),
        (0x0E, .u16(0), .one, .particles10, .microgramPerCubicMetre),
        (0x12, .u16(0), .one, .carbonDioxide, .partsPerMillion),
        (0x13, .u16(0), .one, .volatileOrganicCompounds, .microgramPerCubicMetre),
        (0x14, .u16(0), .hundredth, .moisture, .percent),
        (0x2E, .u8(0), .one, .humidity, .percent),
        (0x2F, .u8(0), .one, .moisture, .percent),
        (0x3D, .u16(0), .one, .count, .none),
        (0x3E, .u32(0), .one, .count, .none),
        (0x3F, .s16(0), .tenth, .rotation, .degree),
        (0x40, .u16(0), .one, .distance, .millimetre),
        (0x41, .u16(0), .tenth, .distance, .metre),
        (0x42, .u24(0), .thousandth, .duration, .second),
        (0x43, .u16(0), .thousandth, .current, .ampere),
        (0x44, .u16(0), .hundredth, .speed, .metrePerSecond),
        (0x45, .s16(0), .tenth, .temperature, .celsius),
        (0x46, .u8(0), .tenth, .uvIndex, .none),
        (0x47, .u16(0), .tenth, .volume, .litre),
        (0x48, .u16(0), .one, .volume, .millilitre),
        (0x49, .u16(0), .thousandth, .volumeFlow, .cubicMetrePerHour),
        (0x4A, .u16(0), .tenth, .voltage, .volt),
        (0x4B, .u24(0), .thousandth, .gas, .cubicMetre),
        (0x4C, .u32(0), .thousandth, .gas, .cubicMetre),
        (0x4D, .u32(0), .thousandth, .energy, .kilowattHour),
        (0x4E, .u32(0), .thousandth, .volume, .litre),
        (0x4F, .u32(0), .thousandth, .water, .litre),
        (0x51, .u16(0), .thousandth, .acceleration, .metrePerSecondSquared),
        (0x52, .u16(0), .thousandth, .angularVelocity, .degreePerSecond),
        (0x55, .u32(0), .thousandth, .storedVolume, .litre),
        (0x56, .u16(0), .one, .conductivity, .microsiemensPerCentimetre),
        (0x57, .s8(0), .one, .temperature, .celsius),
        (0x58, .s8(0), .times(35, over: 100), .temperature, .celsius),
        (0x59, .s8(0), .one, .count, .none),
        (0x5A, .s16(0), .one, .count, .none),
        (0x5B, .s32(0), .one, .count, .none),
        (0x5C, .s32(0), .hundredth, .power, .watt),
        (0x5D, .s16(0), .thousandth, .current, .ampere),
        (0x5E, .u16(0), .hundredth, .direction, .degree),
        (0x5F, .u16(0), .tenth, .precipitation, .millimetre),
        (0x60, .u8(0), .one, .channel, .none),
        (0x61, .u16(0), .one, .rotationalSpeed, .perMinute),
        (0x62, .s32(0), .over(1_000_000), .speed, .metrePerSecond),
        (0x63, .s32(0), .over(1_000_000), .acceleration, .metrePerSecondSquared),
        (0x64, .u8(0), .one, .lightLevel, .none),
        (0x65, .u8(0), .one, .settingsRevision, .none),
    ]

    /// The quantities of the numbers.
    static let quantities = numbers.map { $0.3 }.unique

    /// The kinds of states.
    static var stateKinds: [SensorState.Kind] { states.map { $0.1 } }

    // Table: states.
    private static let states: [(UInt8, SensorState.Kind)] = [
        (0x0F, .generic), (0x10, .power), (0x11, .opening), (0x15, .batteryLow), (0x16, .batteryCharging),
        (0x17, .carbonMonoxide), (0x18, .cold), (0x19, .connectivity), (0x1A, .door), (0x1B, .garageDoor),
        (0x1C, .gas), (0x1D, .heat), (0x1E, .light), (0x1F, .unlocked), (0x20, .moisture), (0x21, .motion),
        (0x22, .moving), (0x23, .occupancy), (0x24, .plug), (0x25, .presence), (0x26, .problem), (0x27, .running),
        (0x28, .safety), (0x29, .smoke), (0x2A, .sound), (0x2B, .tamper), (0x2C, .vibration), (0x2D, .window),
    ]

    // Table: other objects.
    private static let others: [(UInt8, Length, Content)] = [
        (0x00, .fixed(1), .packet), (0x3A, .fixed(1), .button), (0x3B, .command, .command),
        (0x3C, .fixed(2), .dimmer), (0x50, .fixed(4), .timestamp), (0x53, .counted, .text), (0x54, .counted, .raw),
        (0xF0, .fixed(2), .deviceType), (0xF1, .fixed(4), .firmware), (0xF2, .fixed(3), .firmware),
    ]

    /// The codes of button events.
    static let presses: [UInt8: SensorEvent.ButtonPress] = [
        0x01: .press, 0x02: .doublePress, 0x03: .triplePress, 0x04: .longPress, 0x05: .longDoublePress,
        0x06: .longTriplePress, 0x80: .hold, 0x81: .release,
    ]

    /// The code of a held button in Shelly's firmware before 1.0.20. Source: Shelly's documentation of its BLU devices.
    static let earlierHold: UInt8 = 0xFE

    /// Returns what the code of a button event means; nil for a button that was not pressed.
    static func event(_ code: UInt8, ofButton index: Int) -> SensorEvent? {
        if code == 0 { return nil }
        guard let press = code == earlierHold ? .hold : presses[code] else {
            return .other("button \(index)", code: Int(code))
        }
        return .button(index: index, press)
    }

    private static let kinds: [Kind?] = {
        var kinds = [Kind?](repeating: nil, count: 256)
        for (identifier, cell, scale, quantity, unit) in numbers {
            let field = RecordField(quantity, cell, scale, unit)
            kinds[Int(identifier)] = Kind(length: .fixed(cell.byteCount), content: .number(field))
        }
        for (identifier, state) in states {
            kinds[Int(identifier)] = Kind(length: .fixed(1), content: .state(state))
        }
        for (identifier, length, content) in others {
            kinds[Int(identifier)] = Kind(length: length, content: content)
        }
        return kinds
    }()

    /// Returns the type with a number; nil if there is none.
    static func kind(_ identifier: UInt8) -> Kind? { kinds[Int(identifier)] }

    // A table of its own, because a type is large to copy.
    private static let lengths: [Length?] = kinds.map { $0?.length }

    /// Returns the length of the type with a number; nil if there is none.
    static func length(_ identifier: UInt8) -> Length? { lengths[Int(identifier)] }

    /// Returns the number of the type for a state; nil if there is none.
    static func identifier(of state: SensorState.Kind) -> UInt8? { states.first { $0.1 == state }?.0 }

    /// Returns the numbers of the types for a measurement, in the order of the table.
    static func identifiers(of measurement: SensorMeasurement) -> [UInt8] {
        numbers
            .filter { $0.3 == measurement.quantity && ($0.4 == measurement.unit || measurement.unit == .none) }
            .map { $0.0 }
    }

    /// The numbers of all types.
    static let identifiers: [UInt8] = (0...255).filter { kinds[$0] != nil }.map { UInt8($0) }
}
