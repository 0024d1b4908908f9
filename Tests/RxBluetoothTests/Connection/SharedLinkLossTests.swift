import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The loss of a link that another program made.
struct SharedLinkLossTests {
    @Test(.proves(.Q74)) func `The error of a shared link that another program closes says so`() {
        let (stage, peripheral) = Stage.withSensor()
        let rival = stage.simulation.bluez.competingClient()
        rival.connect(Sensor.text)
        stage.advance(1_000)
        let link = stage.connect(peripheral)
        let values = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).observeValueUpdates())
        stage.advance(500)
        rival.disconnect(Sensor.text)
        stage.advance(4_000)
        for error in [link.error, values.error] {
            #expect(error?.isLinkShared == true, "\(String(describing: error))")
            let advice = "Connect again: this program had not made the link, so another program may have closed it."
            #expect(error?.advice == advice)
        }
    }

    @Test func `The error of a link of this manager names no other program`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1_000)
        #expect(link.error?.isLinkShared == false)
        #expect(link.error?.advice?.contains("another program") == false)
    }

    @Test(.proves(.Q121)) func `A refused pairing on a shared link is reported as a refused pairing`() {
        let (stage, peripheral) = Stage.withLock(needing: .encryption, policy: PairingPolicy(.ask))
        stage.simulation.bluez.competingClient().connect(Lock.text)
        stage.advance(1_000)
        let link = stage.connect(peripheral)
        let person = Person(stage)
        let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(300)
        #expect(person.questions == [.authorization])
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(1_000)
        #expect(read.kind == .disconnected(.authentication) && link.kind == .disconnected(.authentication))
        #expect(read.error?.advice?.hasPrefix("Pair with the peripheral") == true)
    }
}
