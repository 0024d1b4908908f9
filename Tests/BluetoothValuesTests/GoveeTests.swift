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

    @Test func `Values that no sensor measures are a problem, and are kept beside the values`() throws {
        let packed = try #require(reading(0x0001, "0101ffffffff", name: "GVH5100_7738"))
        #expect(packed.measurements == [])
        // The bit of the fault says that there is no temperature.
        #expect(packed.impossible == [SensorMeasurement(.batteryLevel, 127, .percent)])
        #expect(packed.states == [SensorState(.problem, true)])
        let separate = try #require(reading(0xEC88, "003377554466" + "02"))
        #expect(separate.measurements == [])
        #expect(separate.impossible.map(\.value) == [305.15, 174.93, 102])
        #expect(separate.states == [SensorState(.problem, true)])
        let moist = try #require(reading(0xEC88, "00e609ffff64" + "02"))
        #expect(moist.measurements.map(\.quantity) == [.temperature, .batteryLevel])
        #expect(moist.impossible == [SensorMeasurement(.humidity, 655.35, .percent)])
        #expect(moist.states == [])
    }

    @Test func `The digits beside those of an impossible temperature are no values either`() throws {
        let hot = try #require(reading(0xEC88, "004a00283b00"))
        #expect(hot.measurements == [SensorMeasurement(.batteryLevel, 59, .percent)])
        #expect(Set(hot.impossible.map(\.description)) == ["temperature 484.9 °C", "humidity 70.4 %"])
        #expect(hot.states == [SensorState(.problem, true)])
        // The largest number of an H5106.
        let dusty = try #require(reading(0x0001, "01017fffffff", name: "GVH5106_4E05"))
        #expect(dusty.measurements == [])
        #expect(Set(dusty.impossible.map(\.quantity)) == [.temperature, .humidity, .particles2_5])
        // Carbon dioxide is another number.
        let stuffy = try #require(reading(0x0001, "01014a0028023e00", name: "GV5140303A"))
        #expect(stuffy.measurements == [SensorMeasurement(.carbonDioxide, 574, .partsPerMillion)])
        let probe = try #require(reading(0x0001, "01014a0028640082", name: "GV5112AC3D"))
        #expect(probe.impossible == [SensorMeasurement(.probeTemperature, 484.9, .celsius, index: 1)])
    }

    @Test func `An impossible value is encoded, and one that the payload cannot hold is refused`() throws {
        let value = Govee(.h5074, temperature: 305.15, humidity: 174.93, battery: 102)
        #expect(try Govee(value.section()) == value)
        func failure(_ value: Govee) -> String? {
            do {
                _ = try value.section()
                return nil
            } catch {
                return error.field
            }
        }
        #expect(failure(Govee(temperature: 1000, humidity: 50, battery: 50)) == "temperature")
        #expect(failure(Govee(temperature: 20, humidity: 50, battery: 128)) == "battery")
        #expect(failure(Govee(temperature: 20, humidity: 50, battery: nil)) == "battery")
        #expect(failure(Govee(.h5074, temperature: .nan, humidity: 50, battery: 50)) == "temperature")
        var dust = Govee(.h5106, temperature: 300, humidity: 50, battery: nil)
        dust.particles = 1
        #expect(failure(dust) == "temperature")
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
