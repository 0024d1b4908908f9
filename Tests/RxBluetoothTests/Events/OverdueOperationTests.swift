import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The event and the finding for an operation that takes much longer than usual.
struct OverdueOperationTests {
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

    private func read(_ duration: Int) {
        let read = stage.record(characteristic.readValue())
        stage.advance(duration)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(read.isCompleted)
    }

    private func overdue(_ events: Recording<BluetoothEvent>) -> [String] {
        events.elements.compactMap { event in
            guard case .operationOverdue(let operation, let time, let usual) = event.kind else { return nil }
            return "\(operation.operation) \(time) \(usual.map { "\($0)" } ?? "unknown")"
        }
    }

    @Test(.proves(.S107)) func `An operation is reported once it takes eight times as long as usual`() {
        let events = stage.record(stage.manager.events)
        for _ in 0..<5 { read(200) }
        #expect(overdue(events) == [])
        let slow = stage.record(characteristic.readValue())
        stage.advance(1_599)
        #expect(overdue(events) == [])
        stage.advance(1)
        #expect(overdue(events) == ["read \(Duration.milliseconds(1_600)) \(Duration.milliseconds(200))"])
        stage.advance(10_000)
        #expect(overdue(events).count == 1 && slow.isLive)
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(slow.isCompleted && link.isLive)
        stage.expectNoTimers()
    }

    @Test(.proves(.S107)) func `A fast operation is reported after a second, an unknown one after ten`() {
        let events = stage.record(stage.manager.events)
        for _ in 0..<3 { read(10) }
        let slow = stage.record(characteristic.readValue())
        stage.advance(999)
        #expect(overdue(events) == [])
        stage.advance(1)
        #expect(overdue(events) == ["read \(Duration.seconds(1)) \(Duration.milliseconds(10))"])
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        let write = stage.record(characteristic.writeValue([1]))
        stage.advance(9_999)
        #expect(overdue(events).count == 1)
        stage.advance(1)
        #expect(overdue(events).last == "write \(Duration.seconds(10)) unknown")
        #expect(slow.isCompleted && write.isLive)
    }

    @Test(.proves(.S107)) func `An operation whose deadline is earlier is not reported`() {
        let events = stage.record(stage.manager.events)
        let read = stage.record(characteristic.readValue(options: OperationOptions(deadline: .seconds(9))))
        stage.advance(10_000)
        #expect(read.kind == .timedOut && overdue(events) == [])
        // Until bluetoothd replies, the library waits for a late reply (Q126).
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        stage.expectNoTimers()
    }

    @Test(.proves(.S107)) func `Without a subscriber of the events, no timer watches an operation`() {
        let read = stage.record(characteristic.readValue(options: OperationOptions(deadline: .seconds(20))))
        stage.advance(0)
        let before = stage.scheduler.clock
        daemon.take("ReadValue").reply { $0.bytes([1]) }
        stage.advance(0)
        #expect(read.isCompleted && stage.scheduler.clock == before)
        stage.expectNoTimers()
    }

    @Test(.proves(.S107)) func `A diagnosis has a finding for an operation that is overdue`() {
        for _ in 0..<3 { read(10) }
        let slow = stage.record(characteristic.readValue())
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        stage.advance(500)
        let early = stage.record(stage.manager.diagnose())
        stage.advance(1_000)
        let late = stage.record(stage.manager.diagnose())
        stage.advance(100)
        #expect(early.elements.first?.cause == .working && late.elements.first?.cause == .operationRuns)
        #expect(late.elements.first?.connections.first?.overdueAfter == .seconds(1))
        #expect(slow.isLive)
    }

    @Test(.proves(.S107)) func `A long exclusive access is a finding of its own`() {
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let access = stage.record(characteristic.peripheral.exclusively { _ in Observable<Int>.never() })
        let other = stage.record(characteristic.readValue())
        stage.advance(6_000)
        let diagnosis = stage.record(stage.manager.diagnose())
        stage.advance(100)
        let finding = diagnosis.elements.first?.findings.first
        #expect(finding?.cause == .operationRuns)
        #expect(
            finding?.text == "An exclusive access to C0:FF:EE:00:00:01 has been in progress for 6 s, and 1 more "
                + "operation waits behind it.")
        #expect(access.isLive && other.isLive)
    }
}
