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

    @Test func `Targets of a fitness machine have the units of its service`() throws {
        typealias Command = FitnessMachineControlPoint
        #expect(try Command.setTargetResistance(10).encoded() == [0x04, 0x64])
        #expect(try Command.setTargetResistance(2.5).encoded() == [0x04, 0x19])
        #expect(try Command.setTargetHeartRate(140).encoded() == [0x06, 0x8C])
        let hill = Command.setBikeSimulation(
            windSpeed: -1.5, grade: 0.1, rollingResistance: 0.004, windResistance: 0.51)
        #expect(try hill.encoded() == [0x11, 0x24, 0xFA, 0x0A, 0x00, 0x28, 0x33])
        let extreme = Command.setBikeSimulation(
            windSpeed: 100, grade: -1000, rollingResistance: 1, windResistance: -1)
        #expect(try extreme.encoded() == [0x11, 0xFF, 0x7F, 0x00, 0x80, 0xFF, 0x00])
        #expect(try Command.setTargetResistance(100).encoded() == [0x04, 0xFF])
        #expect(try Command.setTargetResistance(.nan).encoded() == [0x04, 0x00])
        #expect(try Command.setTargetHeartRate(300).encoded() == [0x06, 0xFF])
    }

    @Test func `A command of a fitness machine has the fields of its structure`() throws {
        let structure = try #require(CharacteristicStructure.structure(of: 0x2AD9))
        let hill = FitnessMachineControlPoint.setBikeSimulation(
            windSpeed: 3.25, grade: -4.5, rollingResistance: 0.005, windResistance: 0.5)
        let record = try structure.decode(hill.encoded())
        #expect(record["Wind Speed"]?.number == 3.25)
        #expect(record["Grade"]?.number == -4.5)
        #expect(record["Rolling Resistance"]?.number == 0.005)
        #expect(record["Wind Resistance"]?.number == 0.5)
        let level = try structure.decode(FitnessMachineControlPoint.setTargetResistance(12.5).encoded())
        #expect(level["Target Resistance Level"]?.number == 12.5)
        let heart = try structure.decode(FitnessMachineControlPoint.setTargetHeartRate(140).encoded())
        #expect(heart["Target Heart Rate"]?.number == 140)
    }

    @Test func `Records are selected by number, by time, and by their place`() throws {
        typealias Command = RecordAccessControlPoint
        #expect(try Command.report(.all).encoded() == [0x01, 0x01])
        #expect(try Command.report(.first).encoded() == [0x01, 0x05])
        #expect(Command.report(.last) == Command.reportLastRecord)
        #expect(try Command.delete(.numbers(from: nil, through: 258)).encoded() == [0x02, 0x02, 0x01, 0x02, 0x01])
        #expect(try Command.report(.numbers(from: 3, through: nil)).encoded() == [0x01, 0x03, 0x01, 0x03, 0x00])
        #expect(
            try Command.reportNumber(of: .numbers(from: 1, through: 70_000)).encoded()
                == [0x04, 0x04, 0x01, 0x01, 0x00, 0xFF, 0xFF])
        let noon = ClockTime(year: 2026, month: 3, day: 14, hour: 12)
        #expect(
            try Command.report(.times(from: noon, through: nil)).encoded()
                == [0x01, 0x03, 0x02, 0xEA, 0x07, 0x03, 0x0E, 0x0C, 0x00, 0x00])
        #expect(try Command.report(.times(from: noon, through: noon)).encoded().count == 17)
        #expect(Command.report(.times(from: nil, through: nil)) == Command.reportAllRecords)
    }

    @Test func `Commands of navigation, users, monitors and phones have their bytes`() throws {
        typealias Navigation = LocationNavigationControlPoint
        #expect(try Navigation.setTotalDistance(1000).encoded() == [0x01, 0x10, 0x27, 0x00])
        #expect(try Navigation.setTotalDistance(1e9).encoded() == [0x01, 0xFF, 0xFF, 0xFF])
        #expect(try Navigation.setElevation(-1).encoded() == [0x08, 0x9C, 0xFF, 0xFF])
        #expect(try Navigation.setElevation(1e6).encoded() == [0x08, 0xFF, 0xFF, 0x7F])
        #expect(try Navigation.setElevation(-1e12).encoded() == [0x08, 0x00, 0x00, 0x80])
        #expect(try Navigation.navigate(.selectNearestWaypoint).encoded() == [0x03, 0x05])
        #expect(try Navigation.selectRoute(258).encoded() == [0x06, 0x02, 0x01])
        #expect(try Navigation.maskFields(0x41).encoded() == [0x02, 0x41, 0x00])
        #expect(try Navigation.setFixRate(5).encoded() == [0x07, 0x05])
        #expect(try UserControlPoint.registerUser(consentCode: 1234).encoded() == [0x01, 0xD2, 0x04])
        #expect(try UserControlPoint.consent(user: 2, consentCode: 1234).encoded() == [0x02, 0x02, 0xD2, 0x04])
        typealias Monitor = CGMSpecificOpsControlPoint
        #expect(try Monitor.startSession.encoded() == [0x1A])
        #expect(try Monitor.setCommunicationInterval(5).encoded() == [0x01, 0x05])
        // 1800 tenths.
        #expect(try Monitor.setLimit(180, of: .patientHigh).encoded() == [0x07, 0x08, 0xF7])
        #expect(try Monitor.setLimit(-2.5, of: .rateOfDecrease).encoded() == [0x13, 0xE7, 0xFF])
        #expect(try Monitor.requestLimit(of: .rateOfIncrease).encoded() == [0x17])
        #expect(try AlertNotificationControlPoint.enableNewAlerts().encoded() == [0x00, 0xFF])
        #expect(try AlertNotificationControlPoint.sendUnreadStatus(category: 1).encoded() == [0x05, 0x01])
        #expect(try RingerControlPoint.muteOnce.encoded() == [0x02])
    }

    @Test func `A control point has the name of its structure`() {
        let types: [any ControlPoint.Type] = [
            FitnessMachineControlPoint.self, RecordAccessControlPoint.self, CyclingPowerControlPoint.self,
            SpeedCadenceControlPoint.self, LocationNavigationControlPoint.self, UserControlPoint.self,
            CGMSpecificOpsControlPoint.self, AlertNotificationControlPoint.self, RingerControlPoint.self,
            TimeUpdateControlPoint.self, HIDControlPoint.self, BondManagementControlPoint.self, HTTPControlPoint.self,
            TransportDiscoveryControlPoint.self, ObjectActionControlPoint.self, ObjectListControlPoint.self,
            VolumeControlPoint.self, VolumeOffsetControlPoint.self, AudioInputControlPoint.self,
            MediaControlPoint.self, CallControlPoint.self, HearingAidPresetControlPoint.self,
        ]
        #expect(Set(types.map { $0.uuid }).count == types.count)
        for type in types {
            let structure = type.uuid.shortNumber.flatMap { CharacteristicStructure.structure(of: $0) }
            #expect(type.name == structure?.name)
        }
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
