import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Writes of values that are too long for one request, which the library sends in several parts.
struct LongWriteTests {
    @Test func `The value of a long write returns when the last part is written`() throws {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(mtu: 23))
        let link = stage.connect(peripheral)
        let value = stage.characteristic(Sensor.value, of: peripheral)
        stage.simulation.bluez.forgetCalls()
        let result = try stage.run { try await value.writeLongValue([UInt8](repeating: 1, count: 45)).value }
        try result.get()
        #expect(stage.methods == ["WriteValue", "WriteValue", "WriteValue"])
        #expect(link.isLive)
    }

    let stage: Stage
    let daemon: ScriptedDaemon
    let link: Recording<Peripheral>
    let characteristic: Characteristic

    init() {
        let peripheral: Peripheral
        (stage, daemon, peripheral) = Stage.scripted()
        link = stage.connect(peripheral, daemon)
        characteristic = stage.characteristic(0x2A37, of: peripheral)
    }

    private static let value = (0..<50).map { UInt8($0) }

    /// Takes the pending WriteValue, and checks that it writes this part of the value.
    private func take(_ part: Range<Int>, _ location: SourceLocation = #_sourceLocation) -> ScriptedDaemon.Pending {
        stage.advance(0)
        let pending = daemon.take("WriteValue", sourceLocation: location)
        let bytes = try? pending.call?.message.read { (body) throws(DBusError) in try body.bytes() }
        #expect(bytes == Array(Self.value[part]), sourceLocation: location)
        return pending
    }

    @Test(.proves(.S66), .covers(.longWrite))
    func `A long write sends parts of one packet, each after the previous is confirmed`() {
        let write = stage.record(characteristic.writeLongValue(Self.value))
        for (number, part) in [0..<20, 20..<40, 40..<50].enumerated() {
            let pending = take(part)
            #expect(daemon.count("WriteValue") == number + 1)
            #expect(write.elements.count == number)
            pending.reply()
        }
        stage.advance(0)
        #expect(write.elements.map(\.written) == [20, 40, 50])
        #expect(write.elements.map(\.total) == [50, 50, 50])
        #expect(write.isCompleted)
    }

    @Test(.proves(.S66)) func `A failed part is repeated on request, also the shorter last part`() {
        let failures = Guarded<[String]>([])
        let write = stage.record(
            characteristic.writeLongValue(Self.value, partLength: 30) { failure in
                failures.withLock { $0.append("\(failure.offset)+\(failure.count) \(failure.attempt)") }
                return failure.attempt < 3 ? .empty() : .error(failure.error)
            })
        take(0..<30).fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e")
        take(0..<30).reply()
        take(30..<50).fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e")
        take(30..<50).fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e")
        #expect(write.elements.map(\.written) == [30])
        take(30..<50).fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x11")
        stage.advance(0)
        #expect(write.error?.attCode == 0x11)
        #expect(failures.withLock { $0 } == ["0+30 1", "30+20 1", "30+20 2", "30+20 3"])
    }

    @Test(.proves(.S66)) func `A long write without a retry handler stops at the first failure`() {
        let write = stage.record(characteristic.writeLongValue(Self.value))
        take(0..<20).fail("org.bluez.Error.NotPermitted", "Write not permitted")
        stage.advance(0)
        #expect(write.kind == .notPermitted)
        #expect(daemon.count("WriteValue") == 1)
    }

    @Test(.proves(.S66), arguments: [0, -1, 513]) func `Invalid part lengths are refused without a call`(length: Int) {
        let write = stage.record(characteristic.writeLongValue(Self.value, partLength: length))
        // Errors are delivered on the manager's scheduler.
        #expect(write.isLive)
        stage.advance(0)
        #expect(write.kind == .invalidArgument)
        #expect(daemon.count("WriteValue") == 0)
    }

    @Test(.proves(.S66)) func `Disposing stops a long write after the current part`() {
        let write = stage.record(characteristic.writeLongValue(Self.value))
        take(0..<20).reply()
        let second = take(20..<40)
        write.dispose()
        let read = stage.record(characteristic.readValue())
        stage.advance(0)
        #expect(daemon.count("ReadValue") == 0)
        second.reply()
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(read.elements == [[1]])
        #expect(daemon.count("WriteValue") == 2)
        #expect(write.elements.map(\.written) == [20])
    }

    @Test(.proves(.S66)) func `The end of the connection fails a long write without a retry`() {
        let retries = Guarded(0)
        let write = stage.record(
            characteristic.writeLongValue(Self.value) { _ in
                retries.withLock { $0 += 1 }
                return .empty()
            })
        take(0..<20).reply()
        _ = take(20..<40)
        daemon.crash()
        stage.advance(0)
        #expect(write.kind == .disconnected(.daemon))
        #expect(retries.withLock { $0 } == 0)
        #expect(link.kind == .disconnected(.daemon))
    }

    @Test(.proves(.S66)) func `An empty long write sends one write, and commands are sent part by part`() {
        let empty = stage.record(characteristic.writeLongValue([]))
        take(0..<0).reply()
        stage.advance(0)
        #expect(empty.elements.map(\.written) == [0])
        #expect(empty.isCompleted)
        daemon.always("WriteValue")
        let commands = stage.record(characteristic.writeLongValue(Self.value, type: .withoutResponse, partLength: 7))
        stage.advance(0)
        #expect(commands.elements.map(\.written) == [7, 14, 21, 28, 35, 42, 49, 50])
        #expect(commands.isCompleted)
    }

    @Test(.proves(.S67), arguments: ["reply", "fail", "malformed", "dispose", "deadline", "dispose without a reply"])
    func `The next operation runs however the previous one ends`(ending: String) {
        let first = stage.record(characteristic.readValue())
        let second = stage.record(characteristic.writeValue([1]))
        stage.advance(0)
        #expect(daemon.methods == ["Connect", "ReadValue"])
        switch ending {
        case "reply": daemon.take("ReadValue").reply { $0.bytes([1]) }
        case "fail": daemon.take("ReadValue").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80")
        case "malformed": daemon.take("ReadValue").reply()
        case "dispose":
            first.dispose()
            daemon.take("ReadValue").reply { $0.bytes([1]) }
        case "dispose without a reply":
            first.dispose()
            stage.advance(30_000)
        default: stage.advance(30_000)
        }
        stage.advance(0)
        daemon.take("WriteValue").reply()
        stage.advance(0)
        #expect(second.isCompleted)
        #expect(daemon.methods == ["Connect", "ReadValue", "WriteValue"])
        // Until bluetoothd replies, the library waits for a late reply (Q126).
        if daemon.isAsked("ReadValue") { daemon.take("ReadValue").reply { $0.bytes([1]) } }
        stage.advance(0)
        stage.expectNoTimers()
    }
}
