// Without @testable, so that the example compiles for users as well.
import BluetoothValues
import Testing

struct ReadingSensorsExample {
    @Test func `The example of the article prints the values of a tag`() throws {
        var lines: [String] = []
        func print(_ text: String) { lines.append(text) }
        // Begin of the example.
        var decoder = SensorDecoder()
        decoder.keys["54:48:E6:8F:80:A5"] = DeviceKey("231d39c1d7cc1ab1aee224cd096db932")

        let section = AdvertisedSection.service(
            0xFCD2,
            [
                0x41, 0xA4, 0x72, 0x66, 0xC9, 0x5F, 0x73, 0x00, 0x11, 0x22, 0x33, 0x78, 0x23, 0x72, 0x14,
            ])
        switch decoder.decode(section, from: "54:48:E6:8F:80:A5") {
        case .reading(let reading):
            for measurement in reading.measurements { print("\(measurement)") }
        case .failure(let error): print("\(error)")
        case .unknown: print("no known format")
        }
        // End of the example.
        #expect(lines == ["temperature 25.06 °C", "humidity 50.55 %"])
    }
}
