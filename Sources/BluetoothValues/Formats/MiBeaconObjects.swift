import Glibc

/// The types of objects of MiBeacon. Source: published decoders and known payloads, not the vendor's document.
enum MiBeaconObjects {
    // Table: objects with measurements.
    static let records: [UInt16: Record] = [
        0x000A: Record(2, [RecordField(.bodyTemperature, .s16(0), .hundredth, .celsius)]),
        0x000F: Record(3, [RecordField(.illuminance, .u24(0), .one, .lux)]),
        0x1004: Record(2, [RecordField(.temperature, .s16(0), .tenth, .celsius)]),
        0x1005: Record(2, [RecordField(.mode, .u8(0)), RecordField(.temperature, .u8(1), .one, .celsius)]),
        0x1006: Record(2, [RecordField(.humidity, .u16(0), .tenth, .percent)]),
        0x1007: Record(3, [RecordField(.illuminance, .u24(0), .one, .lux)]),
        0x1008: Record(1, [RecordField(.moisture, .u8(0), .one, .percent)]),
        0x1009: Record(2, [RecordField(.conductivity, .u16(0), .one, .microsiemensPerCentimetre)]),
        0x100A: Record(1, [RecordField(.batteryLevel, .u8(0), .one, .percent)]),
        0x100D: Record(
            4,
            [
                RecordField(.temperature, .s16(0), .tenth, .celsius),
                RecordField(.humidity, .u16(2), .tenth, .percent),
            ]),
        0x1010: Record(2, [RecordField(.formaldehyde, .u16(0), .times(10), .microgramPerCubicMetre)]),
        0x1013: Record(1, [RecordField(.level, .u8(0), .one, .percent)]),
        0x1017: Record(4, [RecordField(.duration, .u32(0), .one, .second)]),
        0x2000: Record(
            5,
            [
                RecordField(.probeTemperature, .s16(0), .hundredth, .celsius),
                RecordField(.probeTemperature, .s16(2), .hundredth, .celsius),
                RecordField(.batteryLevel, .u8(4), .one, .percent),
            ]),
        0x4801: Record(4, [RecordField(.temperature, .u32(0), .one, .celsius, curve: .float32)]),
        0x4802: Record(1, [RecordField(.humidity, .u8(0), .one, .percent)]),
        0x4803: Record(1, [RecordField(.batteryLevel, .u8(0), .one, .percent)]),
        0x4805: Record(4, [RecordField(.illuminance, .u32(0), .one, .lux, curve: .float32)]),
        0x4808: Record(4, [RecordField(.humidity, .u32(0), .one, .percent, curve: .float32)]),
        0x4818: Record(2, [RecordField(.duration, .u16(0), .one, .second)]),
        0x483D: Record(4, [RecordField(.duration, .u32(0), .one, .second)]),
        0x483E: Record(4, [RecordField(.duration, .u32(0), .one, .second)]),
        0x4851: Record(1, [RecordField(.duration, .u8(0), .one, .minute)]),
        0x4852: Record(1, [RecordField(.duration, .u8(0), .one, .minute)]),
        0x4A08: Record(4, [RecordField(.illuminance, .u32(0), .one, .lux, curve: .float32)]),
        0x4C01: Record(4, [RecordField(.temperature, .u32(0), .one, .celsius, curve: .float32)]),
        0x4C02: Record(1, [RecordField(.humidity, .u8(0), .one, .percent)]),
        0x4C03: Record(1, [RecordField(.batteryLevel, .u8(0), .one, .percent)]),
        0x4C08: Record(4, [RecordField(.humidity, .u32(0), .one, .percent, curve: .float32)]),
        0x4C14: Record(1, [RecordField(.mode, .u8(0))]),
        0x4E16: Record(9, [RecordField(.mass, .u32(1), .hundredth, .kilogram, absent: 0)]),
        0x5003: Record(1, [RecordField(.batteryLevel, .u8(0), .one, .percent)]),
        0x5414: Record(1, [RecordField(.mode, .u8(0))]),
    ]

    // Table: objects of one byte with a state, and the values that mean on. Other values mean off.
    static let states: [UInt16: (kind: SensorState.Kind, on: ClosedRange<UInt8>)] = [
        0x0008: (.armed, 0...0),
        0x100F: (.door, 1...1),
        0x1012: (.power, 1...255),
        0x1014: (.moisture, 1...255),
        0x1015: (.smoke, 1...255),
        0x1018: (.light, 1...255),
        0x4806: (.moisture, 1...255),
        0x483C: (.inUse, 1...255),
        0x484E: (.occupancy, 1...255),
        0x487B: (.moisture, 1...255),
        0x4A01: (.batteryLow, 1...255),
        0x4E01: (.batteryLow, 1...255),
        0x5413: (.occupancy, 1...255),
        0x5422: (.batteryCharging, 0...0),
    ]

    // Table: objects of one byte, the number of a button from 1 on, with the way that it was pressed.
    static let buttons: [UInt16: SensorEvent.ButtonPress] = [
        0x4A0C: .press, 0x4A0D: .doublePress, 0x4A0E: .longPress, 0x4A13: .press, 0x4E0C: .press,
        0x4E0D: .doublePress, 0x4E0E: .longPress, 0x560C: .press, 0x560D: .doublePress, 0x560E: .longPress,
    ]

    /// Adds the measurements, states and events of an object to a reading.
    static func add(_ object: MiBeacon.Object, product: UInt16, to reading: inout SensorReading) {
        if isLightState(object, product) {
            let number = Cell.u24(0).read(object.bytes) ?? 0
            reading.states.append(SensorState(.light, object.identifier == 0x1007 ? number == 100 : number >= 100))
        } else {
            for measurement in object.measurements {
                reading.add(measurement.quantity, measurement.value, measurement.unit)
            }
        }
        addStates(object, product: product, to: &reading)
        addEvents(object, product: product, to: &reading)
    }

    /// Whether the object has an illuminance by number, which is only light or dark for some products.
    private static func isLightState(_ object: MiBeacon.Object, _ product: UInt16) -> Bool {
        guard object.bytes.count == 3 else { return false }
        switch object.identifier {
        case 0x000F: return product == Product.nightlight || product == Product.motionSensor
        case 0x1007: return product == Product.nightlight || product == Product.doorSensor
        default: return false
        }
    }

    /// Products with objects that mean something else than for other products.
    private enum Product {
        static let nightlight: UInt16 = 0x07F6
        static let motionSensor: UInt16 = 0x0A8D
        static let doorSensor: UInt16 = 0x098B
        static let occupancySensor: UInt16 = 0x4683
        static let dimmer: UInt16 = 0x03B6
        static let cube: UInt16 = 0x04E1
        static let switchOfOne: UInt16 = 0x1568
        static let switchOfTwo: UInt16 = 0x1569
        static let switchOfThree: UInt16 = 0x0DFD
        static let batterySwitch: UInt16 = 0x1C10
        static let doubleButton: UInt16 = 0x1949
        static let doubleSwitch: UInt16 = 0x5968
    }

    private static func addStates(_ object: MiBeacon.Object, product: UInt16, to reading: inout SensorReading) {
        let bytes = object.bytes
        guard let first = bytes.first else { return }
        if bytes.count == 1, let state = states[object.identifier] {
            let isClear = object.identifier == 0x484E && product == Product.occupancySensor && first != 1
            reading.states.append(SensorState(state.kind, state.on.contains(first) && !isClear))
        }
        func add(_ kind: SensorState.Kind, _ isOn: Bool) { reading.states.append(SensorState(kind, isOn)) }
        switch (object.identifier, bytes.count) {
        case (0x1005, 2): add(.power, first != 0)
        case (0x1019, 1) where first <= 2:
            add(.opening, first != 1)
            if first == 2 { add(.problem, true) }
        case (0x4804, 1) where first == 1 || first == 2, (0x4A12, 1) where first == 1 || first == 2:
            add(.opening, first == 1)
        case (0x480C, 1) where first <= 1: add(.opening, first == 0)
        case (0x4A1A, 1) where first == 1:
            add(.opening, true)
            add(.problem, true)
        case (0x4A0F, 1) where first == 1: add(.opening, true)
        case (0x0007, 1...) where first <= 5:
            add(.door, first == 0 || first == 2 || first == 4)
            if first == 2 || first >= 4 { add(.problem, true) }
        case (0x000B, 9):
            // The low half is the action: 0 and 4 unlock; 1, 5 and 8 lock.
            switch first & 0xF {
            case 0, 4: add(.unlocked, true)
            case 1, 5, 8: add(.unlocked, false)
            default: break
            }
        case (0x0010, 1...):
            add(.running, first == 0)
            if bytes.count > 1 { reading.add(first == 0 ? .count : .score, Double(bytes[1]), .none) }
        case (0x3003, 5...):
            if first <= 1 { add(.running, first == 0) }
            reading.timestamp = Cell.u32(1).read(bytes)
            if bytes.count == 6 { reading.add(.score, Double(bytes[5]), .none) }
        case (0x1017, 4), (0x4818, 2): add(.motion, isRecent(object))
        case (0x101B, _): add(.motion, false)
        case (0x000F, 3), (0x4A08, 4): add(.motion, true)
        case (0x2000, 5): reading.add(.bodyTemperature, bodyTemperature(object), .celsius)
        case (0x4E16, 9): add(.stable, true)
        case (0x6E16, 9): addBodyScale(bytes, to: &reading)
        default: break
        }
    }

    /// The temperature that Xiaomi shows for the two probes of a thermometer for babies, by a published approximation.
    private static func bodyTemperature(_ object: MiBeacon.Object) -> Double? {
        let probes = object.measurements.filter { $0.quantity == .probeTemperature }.map(\.value)
        guard probes.count == 2 else { return nil }
        return 3.71934e-11 * Glibc.exp(0.69314 * probes[0]) - 1.02801e-8 * Glibc.exp(0.53871 * probes[1]) + 36.413
    }

    // Body composition scale S400: 11 bits of mass, 7 of heart rate, 14 of impedance, after a byte with the profile.
    private static func addBodyScale(_ bytes: [UInt8], to reading: inout SensorReading) {
        let data = Int(Cell.u32(1).read(bytes) ?? 0)
        let (mass, rate, impedance) = (data & 0x7FF, data >> 11 & 0x7F, data >> 18)
        let hasMass = mass != 0 && mass != 0x7FF
        if hasMass { reading.add(.mass, Double(mass) / 10, .kilogram) }
        if rate != 0, rate != 0x7F { reading.add(.heartRate, Double(rate + 50), .beatsPerMinute) }
        if impedance != 0 { reading.add(.impedance, Double(impedance) / 10, .ohm) }
        // The last packet has only an impedance, or only a mass if the feet are covered.
        let isLast = impedance != 0 ? !hasMass && rate == 0 : hasMass
        reading.states.append(SensorState(.stable, isLast))
    }

    /// Whether a motion sensor saw motion in the last 30 s, which Xiaomi counts as motion.
    private static func isRecent(_ object: MiBeacon.Object) -> Bool { (object.measurements.first?.value ?? 0) <= 30 }

    private static func addEvents(_ object: MiBeacon.Object, product: UInt16, to reading: inout SensorReading) {
        let bytes = object.bytes
        guard let first = bytes.first else { return }
        if bytes.count == 1, let press = buttons[object.identifier] {
            reading.events += pressed(object.identifier, press, Int(first), product)
        }
        switch (object.identifier, bytes.count) {
        case (0x0003, _): reading.events.append(.motion)
        case (0x0006, 5): reading.events.append(.other("fingerprint", code: Int(bytes[4])))
        case (0x000B, 9): reading.events.append(.other("lock", code: Int(first)))
        case (0x1001, 3): reading.events += remote(Int(first), value: Int(bytes[1]), kind: Int(bytes[2]), product)
        case (0x4A0F, 1): reading.events.append(.other("forced open", code: Int(first)))
        case (0x4A68, 1): reading.events.append(.other("water", code: Int(first)))
        case (0x4E1C, _): reading.events.append(.other("reset", code: Int(first)))
        default: break
        }
    }

    /// The events of an object for one way of pressing. Its number is that of a button from 1 on, for most products.
    private static func pressed(
        _ identifier: UInt16, _ press: SensorEvent.ButtonPress, _ number: Int, _ product: UInt16
    ) -> [SensorEvent] {
        switch product {
        case Product.batterySwitch where identifier == 0x4E0C:
            // One object reports all ways of pressing its only button.
            let presses: [Int: SensorEvent.ButtonPress] = [1: .press, 8: .longPress, 15: .doublePress]
            return [presses[number].map { .button(index: 1, $0) } ?? .other("button 1", code: number)]
        case Product.doubleButton where number == 3: return [.button(index: 1, press), .button(index: 2, press)]
        case Product.doubleSwitch: return [.button(index: number + 1, press)]
        default: return [.button(index: max(1, number), press)]
        }
    }

    // Table: buttons of the switch with three buttons, by the number in object 1001.
    private static let threeButtons = [[1], [2], [3], [1, 2], [2, 3], [1, 3], [1, 2, 3]]

    /// The events of object 1001: the number of the button, a value, and how it was pressed.
    private static func remote(_ button: Int, value: Int, kind: Int, _ product: UInt16) -> [SensorEvent] {
        switch product {
        case Product.switchOfOne, Product.switchOfTwo, Product.switchOfThree:
            let presses: [SensorEvent.ButtonPress] = [.press, .longPress, .doublePress]
            guard kind < presses.count, button < threeButtons.count else { break }
            let buttons = product == Product.switchOfTwo && button == 2 ? [1, 2] : threeButtons[button]
            return buttons.map { .button(index: $0, presses[kind]) }
        case Product.dimmer: return dimmer(button, value: value, kind: kind)
        case Product.cube: return [.other("rotation", code: button == 1 ? -1 : 1)]
        default: break
        }
        switch (kind, button) {
        case (0...2, _): return [.button(index: button + 1, [.press, .doublePress, .longPress][kind])]
        case (3, 0), (5, _): return [.button(index: button + 1, .press)]
        case (3, 1), (6, _): return [.button(index: button + 1, .longPress)]
        default: return [.other("button", code: kind)]
        }
    }

    private static func dimmer(_ button: Int, value: Int, kind: Int) -> [SensorEvent] {
        func steps(_ number: Int) -> Int { number <= 127 ? number : number - 256 }
        switch (kind, button) {
        case (3, 0):
            // The value is the number of presses.
            let presses: [SensorEvent.ButtonPress] = [.press, .press, .doublePress, .triplePress]
            return [.button(index: 1, value < presses.count ? presses[value] : .press)]
        case (3, 1): return [.button(index: 1, .longPress)]
        case (4, 0): return [.dimmer(index: 1, steps: steps(value))]
        case (4, _): return [.other("pressed rotation", code: steps(button))]
        default: return [.other("button", code: kind)]
        }
    }

    // Table: names of products.
    static let models: [UInt16: String] = [
        0x0083: "YM-K1501", 0x0098: "HHCCJCY01", 0x00DB: "MMC-T201-1", 0x0113: "YM-K1501EU", 0x0153: "YLYK01YL",
        0x015D: "HHCCPOT002", 0x01AA: "LYWSDCGQ", 0x02DF: "JQJCY01YM", 0x0347: "CGG1", 0x0380: "DSL-C08",
        0x0387: "MHO-C401", 0x0391: "MMC-W505", 0x03B6: "YLKG07YL", 0x03BC: "GCLS002", 0x03BF: "YLYB01YL-BHFRC",
        0x03D6: "CGH1", 0x03DD: "MUE4094RT", 0x040A: "WX08ZM", 0x045B: "LYWSD02", 0x045C: "V-SK152", 0x0489: "M1S-T500",
        0x04E1: "XMMF01JQD", 0x04E6: "YLYK01YL-VENFAN", 0x04E9: "MJZNMSQ01YD", 0x055B: "LYWSD03MMC", 0x0576: "CGD1",
        0x0599: "MJZNMS03LM", 0x066F: "CGDK2", 0x068E: "YLYK01YL-FANCL", 0x069E: "ZNMS16LM", 0x069F: "ZNMS17LM",
        0x06D3: "MHO-C303", 0x0784: "XMZNMS04LM", 0x07BF: "YLAI003", 0x07F6: "MJYD02YL", 0x0806: "T700",
        0x0863: "SJWS01LM", 0x098B: "MCCGQ02HL", 0x098C: "XMZNMST02YD", 0x0997: "JTYJGD03MI", 0x09B0: "loock.safe.v1",
        0x0A83: "CGPR1", 0x0A8D: "RTCGQ02LM", 0x0B48: "CGG1", 0x0C3C: "CGC1", 0x0DE7: "SU001-T", 0x0DFD: "K9B-3BTN",
        0x0E39: "XMZNMS08LM", 0x11C2: "Lockin-SV40", 0x1203: "XMWSDJ04MMC", 0x1568: "K9B-1BTN", 0x1569: "K9B-2BTN",
        0x16E4: "LYWSD02MMC", 0x1790: "T700", 0x1889: "MS1BB(MI)", 0x1949: "XMWXKG01YL", 0x1C10: "K9BB-1BTN",
        0x2387: "XMWXKG01LM", 0x2542: "LYWSD02MMC", 0x2832: "MJWSD05MMC", 0x2AEB: "HS1BB(MI)", 0x30D9: "MJTZC01YM",
        0x3531: "XMPIRO2SXS", 0x38BB: "PTX_YK1_QMIMB", 0x3A61: "KS1", 0x3BD5: "MJTZC01YM", 0x3E17: "KS1BP",
        0x3F0F: "RS1BB(MI)", 0x3F4C: "PS1BB", 0x45C9: "MJTZC02YM", 0x4683: "XMOSB01XS", 0x48CF: "MJTZC01YM",
        0x4B05: "MJTZC03YM", 0x4C04: "MJTZC02YM", 0x4C47: "MJWSD05MMC", 0x4C60: "XMPIRO2GSXS", 0x4DCB: "MJTZC02YM",
        0x4F59: "CGDK3", 0x4FC2: "MJTZC01YM", 0x50FB: "ES3", 0x520B: "KS2BB", 0x55B5: "MJWSD06MMC", 0x5968: "XMWS01XS",
        0x5BEA: "MJWSD06MMC", 0x5DB1: "MBS17", 0x6375: "SJWS02LM", 0x6A0F: "ES5BB", 0x7712: "zhiee.flood.sj01",
        0x78A3: "AFWXKG220000", 0x78DB: "ESM787",
    ]
}
