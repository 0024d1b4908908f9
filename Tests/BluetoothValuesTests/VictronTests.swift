import Testing

@testable import BluetoothValues

struct VictronTests {
    /// Decodes a record of a battery monitor (0x02) or DC energy meter (0x0D) whose auxiliary input has a mode.
    private func measurements(_ record: UInt8, auxiliary: Int64, mode: Int64, current: Int64) -> [SensorMeasurement] {
        guard let layout = Victron.records[record] else { return [] }
        var bytes = [UInt8](repeating: 0, count: layout.length)
        _ = Cell.run(48, 16).write(auxiliary, to: &bytes)
        _ = Cell.run(64, 2).write(mode, to: &bytes)
        _ = Cell.run(66, 22).write(current, to: &bytes)
        return layout.decode(bytes) ?? []
    }

    @Test(arguments: [UInt8(0x02), 0x0D]) func `An integer that means absence is not a measurement`(record: UInt8) {
        func quantities(_ auxiliary: Int64, _ mode: Int64, _ current: Int64 = 0) -> Set<Quantity> {
            Set(measurements(record, auxiliary: auxiliary, mode: mode, current: current).map(\.quantity))
        }
        #expect(!quantities(0, 3, 0x3F_FFFF).contains(.current))
        #expect(!quantities(0, 3, 0x1F_FFFF).contains(.current))
        #expect(quantities(0, 3, 0x1F_FFFE).contains(.current))
        #expect(!quantities(0x7FFF, 0).contains(.auxiliaryVoltage))
        #expect(quantities(0x7FFE, 0).contains(.auxiliaryVoltage))
        #expect(!quantities(0xFFFF, 1).contains(.midpointVoltage))
        #expect(!quantities(0xFFFF, 2).contains(.temperature))
        #expect(quantities(0xFFFE, 2).contains(.temperature))
    }
}
