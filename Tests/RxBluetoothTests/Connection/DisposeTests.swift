import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Disposing of connections and operations, and the teardown that this causes.
struct DisposeTests {
    @Test(.proves(.S30)) func `Disposing while connecting sends one Disconnect`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect())
        stage.advance(50)
        link.dispose()
        stage.advance(10_000)
        #expect(link.times.isEmpty)
        #expect(stage.methods == ["Connect", "Disconnect"])
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test func `delivered completes before Disconnect is answered, and settled afterwards`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        link.dispose()
        let delivered = stage.record(stage.manager.delivered())
        let settled = stage.record(stage.manager.settled())
        stage.advance(100)
        #expect(delivered.isCompleted)
        #expect(!settled.isCompleted)
        #expect(stage.methods == ["Connect", "Disconnect"])
        stage.advance(10_000)
        #expect(settled.isCompleted)
        #expect(!stage.isLinked())
    }

    @Test(.proves(.S30)) func `Disposing while connected sends one Disconnect`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        link.dispose()
        link.dispose()
        stage.advance(10_000)
        #expect(link.times.count == 1)
        #expect(stage.methods == ["Connect", "Disconnect"])
        #expect(!stage.isLinked())
        stage.expectSettled()
    }

    @Test(.proves(.S30)) func `Disposing after a failed attempt sends nothing`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        let link = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(!link.isLive)
        link.dispose()
        stage.advance(5_000)
        #expect(stage.methods == ["Connect"])
        stage.expectSettled()
    }

    @Test(.proves(.S30)) func `Disposing after the link was lost sends nothing`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1)
        #expect(link.kind == .linkLost(.remote))
        stage.simulation.bluez.forgetCalls()
        link.dispose()
        stage.advance(5_000)
        #expect(stage.methods.isEmpty)
        stage.expectSettled()
    }

    @Test(.proves(.S30)) func `The Disconnect of a disposed attempt closes a link that comes up late`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        stage.advance(10)
        link.dispose()
        stage.advance(0)
        // The link comes up: bluetoothd sends its reply to Connect before it receives Disconnect.
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        daemon.take("Disconnect").reply()
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false)])
        stage.advance(0)
        #expect(link.times.isEmpty)
        #expect(daemon.methods == ["Connect", "Disconnect"])
        stage.expectSettled()
        stage.expectNoTimers()
    }

    @Test(.proves(.S57, .S91)) func `Disposing immediately after subscribing sends nothing`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.record(peripheral.connect()).dispose()
        stage.advance(5_000)
        #expect(stage.methods.isEmpty)
        stage.expectSettled()
    }

    @Test(.proves(.S44)) func `settled completes when the link is down`() {
        let (stage, peripheral) = Stage.withSensor()
        stage.connect(peripheral).dispose()
        let settled = stage.record(stage.manager.settled())
        stage.advance(1_999)
        #expect(settled.isLive)
        #expect(stage.isLinked())
        stage.advance(1)
        #expect(settled.isCompleted)
        #expect(!stage.isLinked())
    }

    @Test(.proves(.S44, .Q84)) func `Closing ends when Disconnect is answered and the link is down, in any order`() {
        for isShownFirst in [true, false] {
            let (stage, daemon, peripheral) = Stage.scripted()
            stage.connect(peripheral, daemon).dispose()
            let settled = stage.record(stage.manager.settled())
            stage.advance(100)
            if isShownFirst {
                daemon.deviceChanges(["Connected": .bool(false)])
            } else {
                daemon.take("Disconnect").reply()
            }
            stage.advance(100)
            #expect(settled.isLive)
            if isShownFirst {
                daemon.take("Disconnect").reply()
            } else {
                daemon.deviceChanges(["Connected": .bool(false)])
            }
            stage.advance(0)
            #expect(settled.isCompleted)
            #expect(daemon.methods == ["Connect", "Disconnect"])
            stage.expectNoTimers()
        }
    }

    @Test(.proves(.S44, .Q84)) func `A Disconnect without an answer or an effect ends at its deadline`() {
        for isAnswered in [true, false] {
            let (stage, daemon, peripheral) = Stage.scripted()
            stage.connect(peripheral, daemon).dispose()
            let settled = stage.record(stage.manager.settled())
            stage.advance(0)
            if isAnswered { daemon.take("Disconnect").reply() }
            stage.advance(4_999)
            #expect(settled.isLive)
            stage.advance(5_001)
            #expect(settled.isCompleted)
            stage.expectNoTimers()
        }
    }

    @Test(.proves(.S44)) func `A link that could not be closed after disposal is an event`() {
        for isAnswered in [true, false] {
            let (stage, daemon, peripheral) = Stage.scripted()
            let events = stage.record(stage.manager.events.map(\.kind))
            stage.connect(peripheral, daemon).dispose()
            stage.advance(0)
            if isAnswered { daemon.take("Disconnect").fail("org.bluez.Error.Failed", "Busy with itself") }
            stage.advance(20_000)
            let failures = events.elements.compactMap { kind -> BluetoothError.Kind? in
                guard case .linkNotClosed(peripheral, let error) = kind else { return nil }
                return error.kind
            }
            #expect(failures == [isAnswered ? .bluez : .timedOut])
        }
    }

    @Test(.proves(.S45)) func `A hundred connections disposed at any phase leave no link`() {
        let (stage, peripheral) = Stage.withSensor()
        for cycle in 0..<100 {
            let link = stage.record(peripheral.connect())
            // The cycles dispose at different times: before Connect is sent, during the attempt, and when the link is
            // up.
            stage.advance([0, 1, 50, 149, 150, 151, 260][cycle % 7])
            link.dispose()
        }
        stage.advance(10_000)
        stage.expectSettled()
        #expect(!stage.isLinked())
        #expect(stage.count("Disconnect") <= stage.count("Connect"))
        let last = stage.connect(peripheral)
        #expect(last.isLive)
        #expect(stage.isLinked())
    }

    @Test(.proves(.S45)) func `A hundred complete sessions revert each of their calls`() {
        let (stage, peripheral) = Stage.withSensor()
        for _ in 0..<100 {
            let link = stage.connect(peripheral)
            let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
            stage.advance(100)
            stage.simulation.bluez.notify([9], from: Sensor.text, "fff2")
            stage.advance(0)
            #expect(values.elements == [[9]])
            link.dispose()
            values.dispose()
            stage.advance(2_500)
            #expect(!stage.isLinked())
        }
        for method in ["Connect", "Disconnect", "StartNotify", "StopNotify"] { #expect(stage.count(method) == 100) }
        stage.expectSettled()
    }

    @Test(.proves(.S91)) func `No stream emits after dispose, even with operations in progress`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        let read = stage.record(stage.characteristic(Sensor.value, of: peripheral).readValue())
        stage.advance(5)
        stage.simulation.bluez.notify([1], from: Sensor.text, "fff2")
        for recording in [values, read] { recording.dispose() }
        link.dispose()
        let count = (link.times.count, values.times.count, read.times.count)
        stage.advance(10_000)
        #expect((link.times.count, values.times.count, read.times.count) == count)
        #expect(stage.methods == ["Connect", "StartNotify", "ReadValue", "StopNotify", "Disconnect"])
        stage.expectSettled()
    }

    @Test(.proves(.S91)) func `Disposing in onNext ends the stream at that element`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let characteristic = stage.characteristic(Sensor.notifying, of: peripheral)
        let values = stage.scheduler.createObserver([UInt8].self)
        let subscription = SerialDisposable()
        subscription.disposable = characteristic.observeValueUpdates().subscribe { event in
            values.on(event)
            subscription.dispose()
        }
        stage.advance(100)
        for value in 1...5 { stage.simulation.bluez.notify([UInt8(value)], from: Sensor.text, "fff2") }
        stage.advance(100)
        #expect(values.elements == [[1]])
        #expect(stage.methods == ["Connect", "StartNotify", "StopNotify"])
        // A connection works the same way: disposing of it inside its only element closes the link.
        link.dispose()
        stage.advance(3_000)
        stage.simulation.bluez.forgetCalls()
        let up = stage.scheduler.createObserver(Peripheral.self)
        subscription.dispose()
        let connection = SerialDisposable()
        connection.disposable = peripheral.connect().subscribe { event in
            up.on(event)
            connection.dispose()
        }
        stage.advance(5_000)
        #expect(up.events.count == 1)
        #expect(stage.methods == ["Connect", "Disconnect"])
        stage.expectSettled()
    }
}
