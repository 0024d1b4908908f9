import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

extension ConnectionState {
    static func lost(_ kind: BluetoothError.Kind) -> ConnectionState {
        .disconnected(BluetoothError(kind, target: Sensor.text))
    }
}

struct ConnectionStateTests {
    @Test(.proves(.S37), .covers(.connectionState))
    func `Connection state emits the current value, then each change, without end`() {
        let (stage, peripheral) = Stage.withSensor()
        let states = stage.record(peripheral.connectionState)
        stage.advance(0)
        #expect(states.elements == [.disconnected(nil)])
        let link = stage.connect(peripheral)
        let late = stage.record(peripheral.connectionState)
        stage.advance(0)
        #expect(late.elements == [.connected])
        link.dispose()
        stage.advance(5_000)
        let all: [ConnectionState] = [
            .disconnected(nil), .connecting, .connected, .disconnecting, .lost(.disconnected(.requested)),
        ]
        #expect(states.elements == all)
        #expect(states.isLive && late.isLive)
    }

    @Test(.proves(.S37)) func `Connection states are ordered by their progress`() {
        let states: [ConnectionState] = [.disconnected(nil), .disconnecting, .connecting, .connected]
        for (index, state) in states.enumerated() {
            for (otherIndex, other) in states.enumerated() { #expect((state < other) == (index < otherIndex)) }
        }
        let failed = ConnectionState.disconnected(BluetoothError(.closed))
        #expect(!(failed < .disconnected(nil)) && !(.disconnected(nil) < failed))
        #expect(failed < .disconnecting)
    }

    @Test func `The description of a connection state is a text for logs, without the address`() {
        let states: [ConnectionState] = [
            .disconnected(nil), .disconnecting, .connecting, .connected, .lost(.disconnected(.timeout)),
            .lost(.connectFailed("le-connection-refused")),
        ]
        #expect(
            states.map(\.description) == [
                "disconnected", "disconnecting", "connecting", "connected",
                "disconnected: the link was lost, because the peripheral did not respond in time",
                "disconnected: the connection attempt failed (le-connection-refused)",
            ])
    }

    @Test(.proves(.S36, .S37)) func `A lost link and a failed attempt each emit one state with the reason`() {
        let (stage, peripheral) = Stage.withSensor()
        let states = stage.record(peripheral.connectionState)
        let first = stage.connect(peripheral)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(10)
        stage.simulation.bluez.add(
            Fault("Device1.Connect", .error("org.bluez.Error.Failed", "le-connection-refused")))
        let second = stage.record(peripheral.connect())
        stage.advance(1_000)
        #expect(
            states.elements == [
                .disconnected(nil), .connecting, .connected, .lost(.linkLost(.remote)), .connecting,
                .lost(.connectFailed("le-connection-refused")),
            ])
        #expect(!first.isLive && !second.isLive)
    }

    @Test(.proves(.S6)) func `Connection state reports an adapter that is off and does not fail`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let states = stage.record(peripheral.connectionState)
        stage.simulation.bluez.setPower(false)
        stage.advance(10)
        #expect(states.elements == [.connected, .lost(.disconnected(.adapter))])
        let late = stage.record(peripheral.connectionState)
        stage.advance(0)
        #expect(late.elements == [.lost(.disconnected(.adapter))])
        #expect(late.isLive && states.isLive)
        #expect(!link.isLive)
    }

    @Test(.proves(.S43)) func `connectionChanges emits the changes of all peripherals`() {
        let (stage, peripheral) = Stage.withSensor()
        let other = stage.find("C0:FF:EE:00:00:22")
        let changes = stage.record(stage.manager.connectionChanges)
        let links = [stage.connect(peripheral), stage.connect(other)]
        stage.simulation.bluez.setPower(false)
        stage.advance(10)
        let lost = changes.elements.filter { change in
            if case .disconnected = change.state { true } else { false }
        }
        #expect(Set(lost.map(\.peripheral)) == [peripheral, other])
        #expect(changes.elements.count == 6)
        #expect(links.allSatisfy { !$0.isLive })
    }

    @Test func `Observing connection states sends nothing`() {
        let (stage, peripheral) = Stage.withSensor()
        let states = stage.record(peripheral.connectionState)
        let changes = stage.record(stage.manager.connectionChanges)
        stage.advance(10_000)
        #expect(stage.methods.isEmpty)
        #expect(states.elements.count == 1 && changes.elements.isEmpty)
    }
}
