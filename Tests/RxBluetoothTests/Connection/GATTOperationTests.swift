import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Reads and writes of characteristics: their queue, deadlines and errors.
struct GATTOperationTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>

    init() {
        (stage, peripheral) = Stage.withSensor()
        link = stage.connect(peripheral)
        stage.simulation.bluez.forgetCalls()
    }

    func characteristic(_ uuid: BluetoothUUID) -> Characteristic { stage.characteristic(uuid, of: peripheral) }

    @Test(.proves(.S55, .S56)) func `Operations start at once on an empty queue, and otherwise in order`() {
        let value = characteristic(Sensor.value)
        let write = stage.record(value.writeValue([2]))
        let read = stage.record(value.readValue())
        let second = stage.record(value.writeValue([3], type: .withoutResponse))
        let last = stage.record(value.readValue())
        stage.advance(0)
        #expect(stage.methods == ["WriteValue"])
        stage.advance(14)
        #expect(stage.methods == ["WriteValue"])
        stage.advance(1)
        #expect(stage.methods == ["WriteValue", "ReadValue"])
        stage.advance(100)
        #expect(write.isCompleted && second.isCompleted)
        #expect(read.elements == [[2]])
        #expect(last.elements == [[3]])
        #expect(stage.methods == ["WriteValue", "ReadValue", "WriteValue", "ReadValue"])
    }

    @Test(.proves(.S57)) func `A disposed queued operation never runs, and a running one keeps its place`() {
        let slow = stage.record(characteristic(Sensor.slow).readValue())
        let queued = stage.record(characteristic(Sensor.value).writeValue([9]))
        let last = stage.record(characteristic(Sensor.value).readValue())
        stage.advance(1_000)
        slow.dispose()
        queued.dispose()
        stage.advance(3_999)
        #expect(stage.methods == ["ReadValue"])
        stage.advance(100)
        #expect(stage.methods == ["ReadValue", "ReadValue"])
        #expect(last.elements == [[1]])
        #expect(slow.times.isEmpty && queued.times.isEmpty)
    }

    @Test(.proves(.S60)) func `An unanswered operation fails at its deadline, and the next one is sent`() {
        var deadlines = Deadlines()
        deadlines.operation = .seconds(2)
        let (stage, peripheral) = Stage.withSensor(deadlines: deadlines)
        let link = stage.connect(peripheral)
        let slow = stage.record(stage.characteristic(Sensor.slow, of: peripheral).readValue())
        let next = stage.record(stage.characteristic(Sensor.value, of: peripheral).readValue())
        stage.advance(1_999)
        #expect(slow.isLive)
        stage.advance(1)
        #expect(slow.kind == .timedOut)
        #expect(slow.error?.operation == .read)
        #expect(slow.error?.target?.contains("FFF5") == true)
        #expect(slow.error?.outcomeUnknown == true)
        stage.advance(5_000)
        // ATT allows one request at a time, so bluetoothd cannot answer the second read before the late first one. The
        // second read therefore times out too.
        #expect(next.kind == .timedOut)
        #expect(stage.methods == ["Connect", "ReadValue", "ReadValue"])
        #expect(link.isLive)
    }

    @Test(.proves(.S60, .S61)) func `A late reply is dropped, and the next operation gets its own reply`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let value = stage.characteristic(0x2A37, of: peripheral)
        let first = stage.record(value.readValue())
        let second = stage.record(value.readValue())
        stage.advance(30_000)
        #expect(first.kind == .timedOut)
        #expect(daemon.count("ReadValue") == 2)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(second.isLive)
        #expect(first.times.count == 1)
        daemon.take("ReadValue").reply { $0.bytes([2]) }
        stage.advance(0)
        #expect(second.elements == [[2]])
        stage.expectNoTimers()
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S58, .S62), .covers(.errors))
    func `A refusal names operation, attribute and code, and the next operation runs`() {
        let read = stage.record(characteristic(Sensor.refusing).readValue())
        let write = stage.record(characteristic(Sensor.refusing).writeValue([1]))
        let next = stage.record(characteristic(Sensor.value).readValue())
        stage.advance(100)
        #expect(read.kind == .attError)
        #expect(read.error?.attCode == 0x81)
        #expect(read.error?.operation == .read)
        #expect(read.error?.target == "FFF4 of \(Sensor.text)")
        #expect(write.error?.attCode == 0x0E)
        #expect(write.error?.operation == .write)
        #expect(next.elements == [[1]])
        #expect(next.isCompleted)
        #expect(next.times.count == 2)
        #expect(stage.methods == ["ReadValue", "WriteValue", "ReadValue"])
    }

    @Test(.proves(.S63, .Q98), .covers(.writing))
    func `A write completes when confirmed, and one without response when accepted`() {
        let write = stage.record(characteristic(Sensor.value).writeValue([2]))
        stage.advance(14)
        #expect(write.isLive)
        stage.advance(1)
        #expect(write.isCompleted)
        let command = stage.record(characteristic(Sensor.value).writeValue([3], type: .withoutResponse))
        stage.advance(0)
        #expect(command.isCompleted)
        let types = stage.simulation.calls.map(\.arguments.last)
        #expect(types == [.properties(["type": .string("request")]), .properties(["type": .string("command")])])
    }

    @Test(.proves(.S63)) func `A queued write fails when the link is lost`() {
        let stuck = stage.record(characteristic(Sensor.silent).readValue())
        let write = stage.record(characteristic(Sensor.value).writeValue([1], type: .withoutResponse))
        stage.advance(29_999)
        #expect(write.isLive)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(0)
        #expect(write.kind == .linkLost(.remote))
        #expect(stuck.kind == .linkLost(.remote))
        #expect(stage.count("WriteValue") == 0)
    }

    @Test(.proves(.S65)) func `Unsupported operations and values over 512 bytes are refused without a call`() {
        let kinds = [
            stage.record(characteristic(Sensor.silent).writeValue([1])).outcome(stage),
            stage.record(characteristic(Sensor.silent).writeValue([1], type: .withoutResponse)).outcome(stage),
            stage.record(characteristic(Sensor.value).observeValueUpdates()).outcome(stage),
        ]
        for kind in kinds { #expect(kind == .notPermitted) }
        let long = stage.record(characteristic(Sensor.value).writeValue([UInt8](repeating: 0, count: 513)))
        stage.advance(1)
        #expect(long.kind == .invalidArgument)
        #expect(stage.methods.isEmpty)
        let fits = stage.record(characteristic(Sensor.value).writeValue([UInt8](repeating: 0, count: 512)))
        stage.advance(100)
        #expect(fits.isCompleted)
    }

    @Test(.proves(.S68)) func `Operations of two peripherals do not delay each other`() {
        let other = stage.find("C0:FF:EE:00:00:22")
        let otherLink = stage.connect(other)
        let stuck = stage.record(characteristic(Sensor.silent).readValue())
        let behind = stage.record(characteristic(Sensor.value).readValue())
        let free = stage.record(stage.characteristic(Sensor.value, of: other).readValue())
        stage.advance(100)
        #expect(free.elements == [[1]])
        #expect(stuck.isLive && behind.isLive)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1)
        #expect(behind.kind == .linkLost(.remote))
        #expect(otherLink.isLive)
    }

    @Test func `A malformed read reply is a protocol violation, and the next read works`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let value = stage.characteristic(0x2A37, of: peripheral)
        let replies: [[Value]] = [[], [.string("no")], [.array(of: "s", [])], [.uint32(7)]]
        for reply in replies {
            let read = stage.record(value.readValue())
            stage.advance(0)
            daemon.take("ReadValue").reply { (body) throws(DBusError) in for part in reply { try body.value(part) } }
            stage.advance(0)
            #expect(read.kind == .protocolViolation)
            #expect(read.error?.operation == .read)
        }
        let read = stage.record(value.readValue())
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([]) }
        stage.advance(0)
        #expect(read.elements == [[]])
        stage.expectNoTimers()
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.Q94, .Q108, .Q112)) func `Errors of ReadValue map to kinds and keep their D-Bus names`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let value = stage.characteristic(0x2A37, of: peripheral)
        let table: [(String, String, BluetoothError.Kind)] = [
            ("org.bluez.Error.InProgress", "In Progress", .busy),
            ("org.bluez.Error.NotPermitted", "Read not permitted", .notPermitted),
            ("org.bluez.Error.NotPermitted", "Not paired", .needsPairing),
            ("org.bluez.Error.NotSupported", "Operation is not supported", .unsupported),
            ("org.bluez.Error.NotAuthorized", "Operation Not Authorized", .refused),
            ("org.bluez.Error.Failed", "Not connected", .notConnected),
            ("org.freedesktop.DBus.Error.UnknownObject", "", .attributeNotFound),
            ("com.example.Surprise", "Boo", .bluez),
        ]
        for (name, text, kind) in table {
            let read = stage.record(value.readValue())
            stage.advance(0)
            daemon.take("ReadValue").fail(name, text)
            stage.advance(0)
            #expect(read.kind == kind)
            #expect(read.error?.dbusName == name)
        }
        #expect(link.isLive)
    }
}
