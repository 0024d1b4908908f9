import Testing

@testable import BluetoothValues

/// Fields whose factor or unit the supplement states in two ways. docs/values.md has the decisions.
struct FactorTests {
    private static let decided: [(UInt16, String, String, Double, MeasurementUnit)] = [
        (0x2A37, "08486400", "Energy Expended", 100, .kilojoule),
        (0x2A9C, "0002d200a00f", "Impedance", 400, .ohm),
        (0x2B4E, "10e80300", "Distance", 1000, .metre),
        (0x2AD2, "210014", "Resistance Level", 20, .none),
        (0x2AD1, "810014", "Resistance Level", 20, .none),
        (0x2ACE, "81000014", "Resistance Level", 20, .none),
        (0x2AD6, "0a1401", "Maximum Resistance Level", 20, .none),
        (0x2ACD, "010223", "Metabolic Equivalent", 3.5, .metabolicEquivalent),
        (0x2ACE, "01100023", "Metabolic Equivalent", 3.5, .metabolicEquivalent),
        (0x2AD1, "010423", "Metabolic Equivalent", 3.5, .metabolicEquivalent),
        (0x2AD2, "010423", "Metabolic Equivalent", 3.5, .metabolicEquivalent),
        (0x2B1C, "ffff", "Chromaticity Coordinate", 1, .none),
        (0x2AE4, "ffff0000", "Chromaticity x-coordinate", 1, .none),
        (0x2BE0, "400000", "High Voltage", 1, .volt),
        (0x2C27, "1800010000c80080", "Temperature Gradient", -12.8, .kelvinPerSecond),
    ]

    @Test(arguments: decided) func `Contradictions of the supplement are decided by its sentences`(
        uuid: UInt16, text: String, field: String, number: Double, unit: MeasurementUnit
    ) throws {
        let structure = try #require(CharacteristicStructure.structure(of: uuid))
        let record = try structure.decode(HexText.bytes(text) ?? [])
        let entry = try #require(record.entries.first { $0.name == field })
        #expect(entry.value.number == number)
        #expect(entry.unit == unit)
    }
}
