import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Links that end while `pair()` is in progress.
struct EndDuringPairingTests {
    /// Returns a stage on which the manager knows a lock, with the default delay of a link loss.
    private static func stage(
        _ version: SimulatedBlueZ.Version, _ connection: SimulatedConnection = SimulatedConnection()
    ) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [Lock.make(SimulatedPairing(delay: .seconds(5)))])
        scenario.bluez = version
        let stage = Stage(scenario, deadlines: Deadlines())
        let peripheral = stage.find(Lock.address)
        stage.simulation.bluez.setConnection(connection, of: Lock.text)
        return (stage, peripheral)
    }

    private static let rows: [(SimulatedBlueZ.Version, SimulatedDisconnectReason, String)] = [
        (.v5_66, .remote, "the link was lost during pairing, possibly because the peripheral refused it."),
        (.v5_82, .remote, "the link was lost during pairing, possibly because the peripheral refused it."),
        (.v5_87, .remote, "the peripheral closed the link during pairing, so pairing was refused or failed."),
        (.v5_87, .local, "this computer closed the link during pairing, possibly because the peripheral refused it."),
        (.v5_87, .authentication, "the link was lost during pairing, because pairing failed."),
    ]

    @Test(.proves(.Q121), arguments: rows)
    func `The error names the pairing and its remedy`(
        version: SimulatedBlueZ.Version, reason: SimulatedDisconnectReason, text: String
    ) {
        let (stage, peripheral) = Self.stage(version)
        let link = stage.connect(peripheral)
        let paired = stage.record(peripheral.pair())
        stage.advance(2_000)
        #expect(stage.count("Pair") == 1 && paired.isLive)
        stage.simulation.bluez.dropLink(to: Lock.text, reason: reason)
        stage.advance(2_000)
        #expect(paired.error?.operation == .pair && link.kind == paired.kind)
        for error in [paired.error, link.error] {
            #expect(error?.isPairingSuspected == true)
            #expect(error?.summary.hasSuffix(": " + text) == true, "\(String(describing: error))")
            #expect(error?.advice?.contains("pairing mode") == true)
        }
    }

    @Test(.proves(.Q121)) func `A link out of range during pairing has its own reason`() {
        let (stage, peripheral) = Self.stage(.v5_87)
        let paired = stage.record(peripheral.pair())
        stage.advance(2_000)
        stage.simulation.bluez.dropLink(to: Lock.text, reason: .timeout)
        stage.advance(2_000)
        #expect(paired.kind == .disconnected(.timeout) && paired.error?.isPairingSuspected == false)
    }

    @Test func `A link that ends before the pairing begins does not name it`() {
        let (stage, peripheral) = Self.stage(.v5_82, SimulatedConnection(discovery: .seconds(10)))
        let paired = stage.record(peripheral.pair())
        stage.advance(2_000)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(2_000)
        #expect(stage.count("Pair") == 0)
        #expect(paired.kind == .disconnected(.unknown) && paired.error?.isPairingSuspected == false)
    }
}
