import BluetoothValues
import Testing

/// Commands of control points.
struct ControlPointTests {
    @Test func `Named commands have the bytes of their specifications`() throws {
        #expect(try HeartRateControlPoint.resetEnergyExpended.encoded() == [0x01])
        #expect(try FitnessMachineControlPoint.requestControl.encoded() == [0x00])
        #expect(try FitnessMachineControlPoint.setTargetPower(180).encoded() == [0x05, 0xB4, 0x00])
        #expect(try FitnessMachineControlPoint.setTargetInclination(-1.5).encoded() == [0x03, 0xF1, 0xFF])
        #expect(try FitnessMachineControlPoint.setTargetSpeed(12.5).encoded() == [0x02, 0xE2, 0x04])
        #expect(try FitnessMachineControlPoint.stop.encoded() == [0x08, 0x01])
        #expect(try FitnessMachineControlPoint.pause.encoded() == [0x08, 0x02])
        #expect(try RecordAccessControlPoint.reportNumberOfRecords.encoded() == [0x04, 0x01])
        #expect(try RecordAccessControlPoint.abort.encoded() == [0x03, 0x00])
        #expect(try CyclingPowerControlPoint.setCrankLength(172.5).encoded() == [0x04, 0x59, 0x01])
        #expect(try CyclingPowerControlPoint.setWheelRevolutions(70_000).encoded() == [0x01, 0x70, 0x11, 0x01, 0x00])
        #expect(try CyclingPowerControlPoint.startOffsetCompensation.encoded() == [0x0C])
        #expect(try SpeedCadenceControlPoint.setSensorLocation(4).encoded() == [0x03, 0x04])
        #expect(try SpeedCadenceControlPoint.setCumulativeValue(-1).encoded() == [0x01, 0, 0, 0, 0])
    }

    @Test func `A reply of a control point is decoded, and an empty one is an error`() throws {
        let reply = try FitnessMachineControlPoint(decoding: [0x80, 0x05, 0x01])
        #expect(reply.opCode == 0x80 && reply.parameters == [0x05, 0x01])
        #expect(throws: ValueDecodingError.self) { try FitnessMachineControlPoint(decoding: []) }
        #expect(throws: ValueDecodingError.self) { try RecordAccessControlPoint(decoding: []) }
    }

    @Test func `Parameters out of range are limited`() throws {
        #expect(try FitnessMachineControlPoint.setTargetPower(1e9).encoded() == [0x05, 0xFF, 0x7F])
        #expect(try FitnessMachineControlPoint.setTargetSpeed(-1).encoded() == [0x02, 0x00, 0x00])
        #expect(try FitnessMachineControlPoint.setTargetPower(.nan).encoded() == [0x05, 0x00, 0x00])
    }
}
