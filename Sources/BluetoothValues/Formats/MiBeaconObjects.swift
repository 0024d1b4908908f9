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
        0x4804: (.opening, 1...1),
        0x4806: (.moisture, 1...255),
        0x480C: (.opening, 0...0),
        0x483C: (.inUse, 1...255),
        0x484E: (.occupancy, 1...1),
        0x487B: (.moisture, 1...255),
        0x4A01: (.batteryLow, 1...255),
        0x4A12: (.opening, 1...1),
        0x4A1A: (.problem, 1...1),
        0x4E01: (.batteryLow, 1...255),
        0x5413: (.occupancy, 1...255),
        0x5422: (.batteryCharging, 0...0),
    ]

    // Table: objects of one byte, the number of a button from 1 on, with the way that it was pressed.
    static let buttons: [UInt16: SensorEvent.ButtonPress] = [
        0x4A0C: .press, 0x4A0D: .doublePress, 0x4A0E: .longPress, 0x4A13: .press, 0x4E0C: .press,
        0x4E0D: .doublePress, 0x4E0E: .longPress, 0x560C: .press, 0x560D: .doublePress, 0x560E: .longPress,
    ]

    // Table: the ways that object 1001 reports.
    static let presses: [SensorEvent.ButtonPress] = [.press, .doublePress, .longPress, .triplePress]

    /// Adds the states of an object to a reading.
    static func addStates(_ object: MiBeacon.Object, to reading: inout SensorReading) {
        guard let first = object.bytes.first else { return }
        if object.bytes.count == 1, let state = states[object.identifier] {
            reading.states.append(SensorState(state.kind, state.on.contains(first)))
        }
        switch (object.identifier, object.bytes.count) {
        case (0x1005, 2): reading.states.append(SensorState(.power, first != 0))
        case (0x1019, 1) where first <= 2: reading.states.append(SensorState(.opening, first != 1))
        case (0x0007, 1...):
            reading.states.append(SensorState(.door, first == 0 || first == 2 || first == 4))
            if first >= 2 { reading.states.append(SensorState(.problem, true)) }
        case (0x0010, 1...): reading.states.append(SensorState(.running, first == 0))
        case (0x1017, 4), (0x4818, 2): reading.states.append(SensorState(.motion, isRecent(object)))
        case (0x101B, _): reading.states.append(SensorState(.motion, false))
        case (0x000F, 3), (0x4A08, 4): reading.states.append(SensorState(.motion, true))
        default: break
        }
    }

    /// Whether a motion sensor saw motion in the last 30 s, which Xiaomi counts as motion.
    private static func isRecent(_ object: MiBeacon.Object) -> Bool { (object.measurements.first?.value ?? 0) <= 30 }

    /// Adds the events of an object to a reading.
    static func addEvents(_ object: MiBeacon.Object, to reading: inout SensorReading) {
        let bytes = object.bytes
        guard let first = bytes.first else { return }
        if bytes.count == 1, let press = buttons[object.identifier] {
            reading.events.append(.button(index: max(0, Int(first) - 1), press))
        }
        switch (object.identifier, bytes.count) {
        case (0x0003, _): reading.events.append(.motion)
        case (0x0006, 5): reading.events.append(.other("fingerprint", code: Int(bytes[4])))
        case (0x000B, 9): reading.events.append(.other("lock", code: Int(first)))
        case (0x1001, 3):
            if Int(bytes[2]) < presses.count {
                reading.events.append(.button(index: Int(first), presses[Int(bytes[2])]))
            } else {
                reading.events.append(.other("button", code: Int(bytes[2])))
            }
        case (0x4A0F, 1): reading.events.append(.other("forced open", code: Int(first)))
        case (0x4A68, 1): reading.events.append(.other("water", code: Int(first)))
        case (0x4E1C, _): reading.events.append(.other("reset", code: Int(first)))
        default: break
        }
    }

    // Table: names of products.
    static let models: [UInt16: String] = [
        0x0083: "YM-K1501", 0x0098: "HHCCJCY01", 0x00DB: "MMC-T201-1", 0x0113: "YM-K1501EU", 0x0153: "YLYK01YL",
        0x015D: "HHCCPOT002", 0x01AA: "LYWSDCGQ", 0x02DF: "JQJCY01YM", 0x0347: "CGG1", 0x0380: "DSL-C08",
        0x0387: "MHO-C401", 0x0391: "MMC-W505", 0x03B6: "YLKG07YL", 0x03BC: "GCLS002", 0x03BF: "YLYB01YL-BHFRC",
        0x03D6: "CGH1", 0x03DD: "MUE4094RT", 0x040A: "WX08ZM", 0x045B: "LYWSD02", 0x045C: "V-SK152",
        0x0489: "M1S-T500", 0x04E1: "XMMF01JQD", 0x04E6: "YLYK01YL-VENFAN", 0x04E9: "MJZNMSQ01YD", 0x055B: "LYWSD03MMC",
        0x0576: "CGD1", 0x066F: "CGDK2", 0x068E: "YLYK01YL-FANCL", 0x069E: "ZNMS16LM", 0x069F: "ZNMS17LM",
        0x06D3: "MHO-C303", 0x07BF: "YLAI003", 0x07F6: "MJYD02YL", 0x0806: "T700", 0x0863: "SJWS01LM",
        0x098B: "MCCGQ02HL", 0x098C: "XMZNMST02YD", 0x0997: "JTYJGD03MI", 0x0A83: "CGPR1", 0x0A8D: "RTCGQ02LM",
        0x0B48: "CGG1", 0x0C3C: "CGC1", 0x0DFD: "K9B-3BTN", 0x0E39: "XMZNMS08LM", 0x1203: "XMWSDJ04MMC",
        0x1568: "K9B-1BTN", 0x1569: "K9B-2BTN", 0x16E4: "LYWSD02MMC", 0x1889: "MS1BB(MI)", 0x1949: "XMWXKG01YL",
        0x2387: "XMWXKG01LM", 0x2542: "LYWSD02MMC", 0x2832: "MJWSD05MMC", 0x2AEB: "HS1BB(MI)", 0x3531: "XMPIRO2SXS",
        0x38BB: "PTX_YK1_QMIMB", 0x3E17: "KS1BP", 0x3F0F: "RS1BB(MI)", 0x3F4C: "PS1BB", 0x4683: "XMOSB01XS",
        0x4C60: "XMPIRO2GSXS", 0x4F59: "CGDK3", 0x50FB: "ES3", 0x55B5: "MJWSD06MMC", 0x6375: "SJWS02LM",
    ]
}
