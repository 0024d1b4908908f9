import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Links that stay open when their connection ends.
struct KeptLinkTests {
    private let kept = ConnectOptions(keepsLinkOpen: true)

    @Test(.proves(.S131)) func `A kept link stays open after disposal, and the next connection shares it`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: kept))
        stage.advance(500)
        #expect(link.elements == [peripheral])
        link.dispose()
        stage.advance(10_000)
        #expect(stage.isLinked())
        #expect(stage.methods.filter { $0.hasSuffix("onnect") } == ["Connect"])
        stage.expectSettled()
        let states = stage.record(peripheral.connectionState)
        stage.advance(0)
        #expect(states.elements.last == .disconnected(BluetoothError(.disconnected(.requested), target: Sensor.text)))

        let next = stage.record(peripheral.connect())
        stage.advance(500)
        #expect(next.elements == [peripheral])
        next.dispose()
        stage.advance(5_000)
        #expect(stage.isLinked() && stage.count("Disconnect") == 0)
    }

    @Test(.proves(.S131)) func `Users of the kept link fail when their connection ends, and notifications stop`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect(options: kept))
        stage.advance(500)
        let notifying = stage.characteristic(Sensor.notifying, of: peripheral)
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(100)
        link.dispose()
        stage.advance(1_000)
        #expect(values.kind == .disconnected(.requested))
        #expect(stage.isLinked() && stage.count("StopNotify") == 1)
    }

    @Test(.proves(.S131)) func `Closing the manager leaves a kept link open, and closes another one`() {
        for options in [kept, ConnectOptions()] {
            let (stage, peripheral) = Stage.withSensor()
            let link = stage.record(peripheral.connect(options: options))
            stage.advance(500)
            let closed = stage.record(stage.manager.close())
            stage.advance(10_000)
            #expect(closed.isCompleted && !link.isLive)
            #expect(stage.isLinked() == options.keepsLinkOpen)
        }
    }

    @Test(.proves(.S131)) func `Disconnecting closes a kept link before and after its connection ends`() {
        for isDisposedFirst in [true, false] {
            let (stage, peripheral) = Stage.withSensor()
            let link = stage.record(peripheral.connect(options: kept))
            stage.advance(500)
            if isDisposedFirst { link.dispose() }
            let closed = stage.record(peripheral.disconnect())
            stage.advance(5_000)
            #expect(closed.isCompleted && !stage.isLinked())
            #expect(isDisposedFirst || link.kind == .disconnected(.requested))
        }
    }

    @Test(.proves(.S131)) func `Disposing during an attempt cancels the attempt, although the link is to be kept`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(delay: .seconds(1)))
        let link = stage.record(peripheral.connect(options: kept))
        stage.advance(500)
        link.dispose()
        stage.advance(5_000)
        #expect(link.elements.isEmpty && !stage.isLinked())
        #expect(stage.count("Disconnect") == 1)
    }

    @Test(.proves(.S131)) func `A reconnecting connection leaves its present link open`() {
        let (stage, peripheral) = Stage.withSensor()
        var options = ConnectOptions.reconnect()
        options.keepsLinkOpen = true
        let link = stage.record(peripheral.connect(options: options))
        stage.advance(3_000)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(10_000)
        #expect(link.elements == [peripheral] && stage.isLinked())
        link.dispose()
        stage.advance(5_000)
        #expect(stage.isLinked() && stage.count("Disconnect") == 0)
    }
}
