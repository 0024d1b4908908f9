import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Pairings that bluetoothd 5.87 keeps after the end of their link, so that it refuses each later `Connect`.
struct KeptPairingTests {
    private func stage(_ version: SimulatedBlueZ.Version) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [Lock.make(SimulatedPairing(delay: .seconds(1)))])
        scenario.bluez = version
        let stage = Stage(scenario)
        return (stage, stage.find(Lock.address))
    }

    private func loseLink(_ stage: Stage) { stage.simulation.bluez.dropLink(to: Lock.text) }

    @Test(.proves(.Q136), arguments: SimulatedBlueZ.Version.allCases)
    func `After a link that was lost during a pairing, the peripheral can be paired`(
        version: SimulatedBlueZ.Version
    ) {
        let (stage, peripheral) = stage(version)
        let link = stage.connect(peripheral)
        let paired = stage.record(peripheral.pair())
        stage.advance(500)
        loseLink(stage)
        stage.advance(2_000)
        #expect(link.error != nil && paired.error != nil)
        // Only a pairing that bluetoothd keeps is canceled, because `CancelPairing` removes a bond.
        #expect(stage.count("CancelPairing") == (version == .v5_87 ? 1 : 0))
        let again = stage.connect(peripheral)
        #expect(again.elements == [peripheral])
        let pairedAgain = stage.record(peripheral.pair())
        stage.advance(3_000)
        #expect(pairedAgain.isCompleted, "\(String(describing: pairedAgain.error))")
    }

    @Test(.proves(.Q88, .Q136)) func `A bond that was made before the link was lost is kept`() {
        let (stage, peripheral) = stage(.v5_87)
        // bluetoothd answers `Pair` after the discovery of services, and has made the bond before.
        stage.simulation.bluez.setConnection(SimulatedConnection(discovery: .seconds(80)), of: Lock.text)
        let paired = stage.record(peripheral.pair())
        stage.advance(35_000)
        #expect(stage.count("Pair") == 1 && paired.isLive)
        loseLink(stage)
        stage.advance(2_000)
        #expect(paired.error != nil && stage.count("CancelPairing") == 0)
        let isBonded = stage.record(peripheral.isBonded)
        stage.advance(0)
        #expect(isBonded.elements == [true])
    }

    @Test(.proves(.Q91, .Q136)) func `A pairing over a link that this program closes is ended by Disconnect`() {
        let (stage, peripheral) = stage(.v5_87)
        let link = stage.connect(peripheral)
        let paired = stage.record(peripheral.pair())
        stage.advance(500)
        link.dispose()
        stage.advance(3_000)
        #expect(paired.error != nil && stage.count("CancelPairing") == 0)
        #expect(stage.connect(peripheral).elements == [peripheral])
    }

    @Test(.proves(.Q136)) func `A pairing that an ended program left is canceled while connecting`() {
        let (stage, peripheral) = stage(.v5_87)
        let program = stage.simulation.bluez.competingClient()
        program.connect(Lock.text)
        stage.advance(1_000)
        program.call(Lock.path, "Device1.Pair")
        stage.advance(500)
        loseLink(stage)
        stage.advance(1_000)
        program.leave()
        let link = stage.record(peripheral.connect())
        stage.advance(5_000)
        #expect(link.elements.isEmpty && stage.count("CancelPairing") == 0)
        stage.advance(2_000)
        #expect(link.elements == [peripheral])
        #expect(stage.count("CancelPairing") == 1)
    }

    @Test(.proves(.Q136), arguments: [(SimulatedBlueZ.Version.v5_82, false), (.v5_87, true)])
    func `A long attempt of another program is left alone if there is a bond or no defect`(
        version: SimulatedBlueZ.Version, isBonded: Bool
    ) {
        let (stage, peripheral) = stage(version)
        if isBonded {
            let paired = stage.record(peripheral.pair())
            stage.advance(10_000)
            #expect(paired.isCompleted)
        }
        stage.simulation.bluez.setConnection(SimulatedConnection(delay: .seconds(12)), of: Lock.text)
        let program = stage.simulation.bluez.competingClient()
        program.connect(Lock.text)
        stage.advance(100)
        let link = stage.record(peripheral.connect())
        stage.advance(14_000)
        #expect(link.elements == [peripheral])
        #expect(stage.count("CancelPairing") == 0)
    }
}
