import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Notifications with the transport `.automatic`: over a socket if possible, and otherwise by signals.
struct AutomaticTransportTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let notifying: Characteristic

    init() {
        (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
    }

    private func notify(_ values: ClosedRange<UInt8>) {
        for value in values { stage.simulation.bluez.notify([value], from: Sensor.text, "fff2") }
    }

    /// Subscribes with a transport, and waits until notifications are on.
    private func subscribe(_ transport: NotificationTransport) -> Recording<[UInt8]> {
        let values = stage.record(notifying.observeValueUpdates(using: transport))
        stage.advance(50)
        return values
    }

    /// The calls of the simulation that turn notifications on or off, in order.
    private var calls: [String] { stage.notifyCalls }

    private func expectReceived(
        _ values: [Recording<[UInt8]>], _ expected: ClosedRange<UInt8>, _ location: SourceLocation = #_sourceLocation
    ) {
        for recording in values { #expect(recording.elements == expected.map { [$0] }, sourceLocation: location) }
    }

    @Test(.proves(.S69, .Q105)) func `The automatic transport opens a socket, and shares it`() {
        let first = subscribe(.automatic)
        let second = subscribe(.automatic)
        let third = subscribe(.socket)
        notify(1...100)
        stage.advance(5)
        expectReceived([first, second, third], 1...100)
        #expect(calls == ["AcquireNotify"])
        for values in [first, second, third] { values.dispose() }
        stage.advance(5)
        #expect(calls == ["AcquireNotify", "StopNotify"])
        stage.expectSettled()
    }

    @Test(.proves(.S69, .Q105)) func `The automatic transport joins the signals of another subscriber`() {
        let first = subscribe(.signals)
        let second = subscribe(.automatic)
        notify(1...3)
        stage.advance(5)
        expectReceived([first, second], 1...3)
        #expect(calls == ["StartNotify"])
    }

    @Test(.proves(.Q105)) func `Another program that subscribes with signals causes signals`() {
        let other = OtherProgram(on: stage, calls: "StartNotify", of: notifying)
        stage.advance(50)
        let values = subscribe(.automatic)
        notify(1...3)
        stage.advance(5)
        // bluetoothd sends a signal for each of the two programs, and the library cannot distinguish them.
        #expect(values.elements.first == [1])
        #expect(values.isLive)
        #expect(calls == ["StartNotify", "AcquireNotify", "StartNotify"])
        #expect(stage.record(notifying.observeValueUpdates(using: .socket)).outcome(stage) == .exclusiveUse)
        other.leave()
    }

    @Test(.proves(.Q105)) func `Another program with the socket makes the stream fail until it is closed`() {
        let other = OtherProgram(on: stage, calls: "AcquireNotify", of: notifying, options: [:])
        stage.advance(50)
        #expect(other.hasSucceeded)
        let refused = subscribe(.automatic)
        #expect(refused.kind == .exclusiveUse)
        // With a trial, its StartNotify is refused already.
        #expect(calls == ["AcquireNotify"] + (Stage.hasTrials ? [] : ["AcquireNotify"]) + ["StartNotify"])
        other.leave()
        let closing = OtherProgram(on: stage, calls: "StopNotify", of: notifying)
        stage.advance(50)
        let values = subscribe(.automatic)
        notify(1...3)
        stage.advance(5)
        expectReceived([values], 1...3)
        #expect(link.isLive)
        closing.leave()
    }

    @Test(.proves(.Q105, .Q107)) func `A socket that bluetoothd closes is followed by signals, in order`() {
        let values = subscribe(.automatic)
        let strict = subscribe(.socket)
        let shared = subscribe(.signals)
        notify(1...10)
        stage.advance(0)
        let other = OtherProgram(on: stage, calls: "StopNotify", of: notifying)
        stage.advance(100)
        #expect(other.hasSucceeded)
        #expect(strict.kind == .exclusiveUse)
        notify(11...20)
        stage.advance(5)
        expectReceived([values, shared], 1...20)
        expectReceived([strict], 1...10)
        #expect(calls == ["AcquireNotify", "StopNotify", "StartNotify"])
        values.dispose()
        shared.dispose()
        stage.advance(5)
        #expect(calls == ["AcquireNotify", "StopNotify", "StartNotify", "StopNotify"])
        // The next first subscriber tries a socket again.
        let again = subscribe(.automatic)
        notify(1...1)
        stage.advance(5)
        expectReceived([again], 1...1)
        #expect(calls.last == "AcquireNotify")
        stage.expectSettled()
    }

    @Test(.proves(.S76, .Q105)) func `A subscriber that requests signals changes an open socket to signals`() {
        let values = subscribe(.automatic)
        notify(1...10)
        let signals = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        expectReceived([values], 1...10)
        notify(11...20)
        stage.advance(5)
        expectReceived([values], 1...20)
        #expect(signals.elements.suffix(10) == (11...20).map { [$0] })
        #expect(calls == ["AcquireNotify", "StopNotify", "StartNotify"])
        #expect(stage.record(notifying.observeValueUpdates(using: .socket)).outcome(stage) == .exclusiveUse)
        signals.dispose()
        notify(21...22)
        stage.advance(5)
        expectReceived([values], 1...22)
        values.dispose()
        stage.advance(5)
        #expect(calls == ["AcquireNotify", "StopNotify", "StartNotify", "StopNotify"])
        stage.expectSettled()
    }

    @Test(.proves(.S76, .Q105)) func `The socket delivers while the change to signals waits for other operations`() {
        let values = subscribe(.automatic)
        let slow = stage.record(stage.characteristic(Sensor.slow, of: peripheral).readValue())
        let signals = stage.record(notifying.observeValueUpdates())
        stage.advance(1_000)
        notify(1...10)
        stage.advance(5)
        expectReceived([values, signals], 1...10)
        #expect(calls == ["AcquireNotify"])
        stage.advance(5_000)
        #expect(slow.isCompleted)
        notify(11...20)
        stage.advance(5)
        expectReceived([values, signals], 1...20)
        #expect(calls == ["AcquireNotify", "StopNotify", "StartNotify"])
    }

    @Test(.proves(.S69)) func `A change to signals is given up if its subscribers leave before it is sent`() {
        let values = subscribe(.automatic)
        let slow = stage.record(stage.characteristic(Sensor.slow, of: peripheral).readValue())
        let signals = stage.record(notifying.observeValueUpdates())
        stage.advance(1_000)
        values.dispose()
        signals.dispose()
        stage.advance(5_000)
        #expect(slow.isCompleted)
        #expect(calls == ["AcquireNotify", "StopNotify"])
        stage.expectSettled()
    }

    @Test(.proves(.S59, .Q107)) func `A lost link ends the stream with its reason, without a change to signals`() {
        for isChanging in [false, true] {
            let (stage, _, link, notifying) = Stage.withNotifyingSensor()
            let values = stage.record(notifying.observeValueUpdates(using: .automatic))
            stage.advance(50)
            for number in 0..<10 as Range<UInt8> { stage.simulation.bluez.notify([number], from: Sensor.text, "fff2") }
            let signals = isChanging ? stage.record(notifying.observeValueUpdates()) : nil
            if isChanging { stage.advance(1) }
            stage.simulation.bluez.dropLink(to: Sensor.text)
            stage.advance(100)
            #expect(values.elements == (0..<10).map { [$0] })
            #expect(values.kind == .linkLost(.remote))
            #expect(link.kind == .linkLost(.remote))
            #expect(signals?.kind == (isChanging ? .linkLost(.remote) : nil))
            #expect(stage.notifyCount("StartNotify") == (isChanging ? 1 : 0))
            stage.expectSettled()
        }
    }

    @Test(.proves(.S78, .Q103)) func `After a reconnection, another program's session causes signals`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(500)
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        let values = stage.record(notifying.observeValueUpdates(using: .automatic))
        stage.advance(50)
        stage.simulation.bluez.notify([1], from: Sensor.text, "fff2")
        stage.advance(5)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1)
        let other = OtherProgram(on: stage, calls: "StartNotify", of: notifying)
        stage.advance(10_000)
        #expect(other.hasSucceeded)
        #expect(stage.notifyCount("AcquireNotify") == 2)
        #expect(stage.notifyCount("StartNotify") == 2)
        other.leave()
        stage.advance(5)
        stage.simulation.bluez.notify([2], from: Sensor.text, "fff2")
        stage.advance(5)
        #expect(values.elements == [[1], [2]])
        #expect(values.isLive && link.isLive)
    }

    @Test(.proves(.S65)) func `Indications arrive by signals with the automatic transport`() {
        let indicating = stage.characteristic(0x2A19, of: peripheral)
        let values = stage.record(indicating.observeValueUpdates(using: .automatic))
        stage.advance(50)
        stage.simulation.bluez.notify([51], from: Sensor.text, "2a19")
        stage.advance(5)
        #expect(values.elements == [[51]])
        #expect(calls == ["StartNotify"])
    }

    @Test func `The default transport is signals`() {
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(50)
        #expect(calls == ["StartNotify"])
        #expect(values.isLive)
    }
}
