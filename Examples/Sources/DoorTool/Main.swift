import RxBluetooth
import ble_cli

/// A sensor of a door with the company identifier 0x1235, which counts how often the door was opened.
struct DoorSensor: AdvertisementFormat {
    static let format = SensorFormat.custom("door")

    var openings: UInt8

    static func matches(_ section: AdvertisedSection, name: String?) -> Bool {
        section.kind == .manufacturer && section.identifier == 0x1235
    }

    init(_ section: AdvertisedSection, from sender: Sender) throws(ValueDecodingError) {
        guard let count = section.bytes.first else {
            throw ValueDecodingError("door", .tooShort(needed: 1), bytes: section.bytes)
        }
        openings = count
    }

    func section(from sender: Sender) throws(ValueEncodingError) -> AdvertisedSection {
        .manufacturer(0x1235, [openings])
    }

    var reading: SensorReading {
        var reading = SensorReading(format: Self.format, model: "Door sensor")
        reading.measurements.append(SensorMeasurement(.count, Double(openings), .none))
        return reading
    }
}

/// The tool ble-cli with the format above.
@main
enum Main {
    static func main() { CommandLineTool.main(formats: [DoorSensor.self]) }
}
