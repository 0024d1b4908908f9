import Testing

@testable import BluetoothValues

struct GoveeTests {
    private func result(_ company: UInt16, _ hexadecimal: String, name: String? = nil) -> SensorResult {
        var decoder = SensorDecoder()
        return decoder.decode(.manufacturer(company, HexText.bytes(hexadecimal) ?? []), name: name)
    }

    private func reading(_ company: UInt16, _ hexadecimal: String, name: String? = nil) -> SensorReading? {
        guard case .reading(let reading) = result(company, hexadecimal, name: name) else { return nil }
        return reading
    }

    @Test func `Data that only resembles that of a thermometer is unknown`() {
        // govee-ble, GVH5106_INVALID_SERVICE_INFO: a device of another vendor.
        #expect(result(0x0001, "01010b005864", name: "RZSS") == .unknown)
        // Six bytes of an H5106, which only the name distinguishes from an H5100.
        #expect(result(0x0001, "01010ed13298") == .unknown)
        #expect(result(0x0001, "ffffffffffff") == .unknown)
        #expect(result(0x0001, "ffffffffffff", name: "GVH5100_7738") == .unknown)
        #expect(result(0x8801, "112233445566778899") == .unknown)
        // Eight bytes of an H5140 and of an H5112 without their names.
        #expect(result(0x0001, "0101033dee023e00") == .unknown)
        #expect(result(0x0001, "0101033d70640041") == .unknown)
        #expect(reading(0x0001, "010103c730640000")?.model == "H5108")
    }

    @Test func `Values that no sensor measures are a problem, not values`() throws {
        let packed = try #require(reading(0x0001, "0101ffffffff", name: "GVH5100_7738"))
        #expect(packed.measurements == [])
        #expect(packed.states == [SensorState(.problem, true)])
        let separate = try #require(reading(0xEC88, "003377554466" + "02"))
        #expect(separate.measurements == [])
        #expect(separate.states == [SensorState(.problem, true)])
        let moist = try #require(reading(0xEC88, "00e609ffff64" + "02"))
        #expect(moist.measurements.map(\.quantity) == [.batteryLevel])
    }

    @Test func `The probes of an H5112 have a number, and other numbers are refused`() {
        let name = "GV5112AC3D"
        let device = { (number: UInt64) in [SensorIdentifier(.device, .number(number))] }
        #expect(reading(0x0001, "0101033d70640041", name: name)?.identifiers == device(1))
        #expect(reading(0x0001, "0101034928640082", name: name)?.identifiers == device(2))
        let bytes = HexText.bytes("0101034928640099") ?? []
        #expect(
            result(0x0001, "0101034928640099", name: name)
                == .failure(ValueDecodingError("govee", .invalidValue(field: "probe"), bytes: bytes)))
        let fault = reading(0x0001, "0101034928e40082", name: name)
        #expect(fault?.states == [SensorState(.problem, true)])
    }
}
