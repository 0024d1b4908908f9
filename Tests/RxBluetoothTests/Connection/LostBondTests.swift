import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Links that end without a reason, possibly because the peripheral has lost the bond.
struct LostBondTests {
    /// The versions that give no reason for the end of a link.
    private static let versions = [SimulatedBlueZ.Version.v5_66, .v5_82]
    private static let text = ": the link was lost, possibly because the peripheral no longer has the bond."
    private static let advice = "Connect again; if each link ends, forget the peripheral, then pair it."

    /// Returns a stage with a lock, which this computer has paired if `isBonded` is true.
    private static func stage(
        _ version: SimulatedBlueZ.Version = .v5_82, isBonded: Bool = true
    ) -> (Stage, Peripheral) {
        var scenario = Scenario(peripherals: [Lock.make(SimulatedPairing())])
        scenario.bluez = version
        let stage = Stage(scenario, deadlines: Deadlines())
        let peripheral = stage.find(Lock.address)
        if isBonded {
            let pairing = stage.record(peripheral.pair())
            stage.advance(5_000)
            #expect(pairing.isCompleted)
        }
        return (stage, peripheral)
    }

    @Test(.proves(.Q87, .Q86), arguments: versions)
    func `A bonded link that ends without a reply names the lost bond`(version: SimulatedBlueZ.Version) {
        let (stage, peripheral) = Self.stage(version)
        let link = stage.connect(peripheral)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(2_000)
        #expect(link.kind == .disconnected(.unknown))
        #expect(link.error?.summary.hasSuffix(Self.text) == true, "\(String(describing: link.error))")
        #expect(link.error?.advice == Self.advice)
    }

    @Test(.proves(.Q87), arguments: versions)
    func `Operations that have no reply name the lost bond`(version: SimulatedBlueZ.Version) {
        let (stage, peripheral) = Self.stage(version)
        let link = stage.connect(peripheral)
        let secret = stage.characteristic(Lock.secret, of: peripheral)
        let notifying = stage.characteristic(Lock.notifying, of: peripheral)
        let read = stage.record(secret.readValue())
        let write = stage.record(secret.writeValue([1]))
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(1)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(2_000)
        for error in [read.error, write.error, values.error] {
            #expect(error?.summary.hasSuffix(Self.text) == true, "\(String(describing: error))")
            // Up to 5.66, an operation that needs a stronger bond ends the link in the same way.
            let isStrongerBondPossible = error?.advice?.contains("stronger bond") == true
            #expect(isStrongerBondPossible ? version == .v5_66 : error?.advice == Self.advice)
        }
        #expect(link.error?.advice == Self.advice)
    }

    @Test(.proves(.Q87)) func `A link that ends after a reply, or late, names no lost bond`() {
        for isLate in [false, true] {
            let (stage, peripheral) = Self.stage()
            let link = stage.connect(peripheral)
            if isLate {
                stage.advance(60_000)
            } else {
                let read = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
                stage.advance(500)
                #expect(read.elements == [[7]])
            }
            stage.simulation.bluez.dropLink(to: Lock.text)
            stage.advance(2_000)
            #expect(link.error?.summary.hasSuffix(": the link was lost.") == true, "\(String(describing: link.error))")
        }
    }

    @Test(.proves(.Q87)) func `A link without a bond, or with a reason, names no lost bond`() {
        for (version, isBonded) in [(SimulatedBlueZ.Version.v5_82, false), (.v5_87, true)] {
            let (stage, peripheral) = Self.stage(version, isBonded: isBonded)
            let link = stage.connect(peripheral)
            stage.simulation.bluez.dropLink(to: Lock.text)
            stage.advance(2_000)
            #expect(link.error?.description.contains("bond") == false, "\(String(describing: link.error))")
        }
    }

    @Test(.proves(.Q87), arguments: versions)
    func `Reconnection continues although the bond may be lost`(version: SimulatedBlueZ.Version) {
        let (stage, peripheral) = Self.stage(version)
        let causes = stage.record(
            peripheral.connectionState.compactMap { state -> BluetoothError? in
                if case .disconnected(let cause) = state { cause } else { nil }
            })
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(10_000)
        #expect(causes.elements.last?.summary.hasSuffix(Self.text) == true, "\(causes.elements)")
        #expect(causes.elements.last.map { Reconnection.isFinal($0) } == false)
        #expect(link.isLive)
        #expect(stage.isLinked(Lock.path))
    }

    @Test(.proves(.Q87, .Q74), arguments: versions)
    func `A shared link names the lost bond before another program`(version: SimulatedBlueZ.Version) {
        let (stage, peripheral) = Self.stage(version)
        stage.simulation.bluez.competingClient().connect(Lock.text)
        stage.advance(1_000)
        let link = stage.connect(peripheral)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(2_000)
        #expect(link.error?.isLinkShared == true)
        #expect(link.error?.summary.hasSuffix(Self.text) == true, "\(String(describing: link.error))")
        let advice = link.error?.advice ?? ""
        #expect(advice.hasPrefix("Connect again; if each link ends, forget the peripheral, then pair it;"))
        #expect(advice.hasSuffix("another program may also have closed it."))
    }

    @Test(.proves(.Q87, .Q74)) func `An old link of another program names no lost bond`() {
        let (stage, peripheral) = Self.stage()
        stage.simulation.bluez.competingClient().connect(Lock.text)
        stage.advance(60_000)
        let link = stage.connect(peripheral)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(2_000)
        #expect(link.error?.isLinkShared == true)
        #expect(link.error?.description.contains("bond") == false, "\(String(describing: link.error))")
    }

    @Test(.proves(.Q87, .Q78)) func `A bonded link that has ended before it is confirmed names the lost bond`() {
        let objects = ScriptedDaemon.Objects.oneDevice.setting(
            ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Paired": .bool(true), "Bonded": .bool(true)])
        let (stage, daemon, peripheral) = Stage.scripted(objects)
        let link = stage.record(peripheral.connect())
        stage.advance(0)
        daemon.take("Connect").reply()
        stage.advance(0)
        daemon.take("Get").reply { (body) throws(DBusError) in try body.value(.variant(.bool(false))) }
        stage.advance(0)
        #expect(link.kind == .disconnected(.unknown))
        #expect(link.error?.summary.hasSuffix(Self.text) == true, "\(String(describing: link.error))")
    }
}
