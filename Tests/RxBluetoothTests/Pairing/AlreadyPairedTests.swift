import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Calls of `pair()` for a device that is already paired or bonded.
struct AlreadyPairedTests {
    private static let device = ScriptedDaemon.Objects.devicePath

    /// Makes a stage (a manager and a clock) with a device that has these bond properties.
    private func scripted(_ bond: [String: Value]) -> (Stage, ScriptedDaemon, Peripheral) {
        Stage.scripted(.oneKnownDevice.setting(Self.device, "org.bluez.Device1", bond))
    }

    /// Answers the Connect that `pair()` sends: the link comes up, and its services are resolved.
    private func connect(_ stage: Stage, _ daemon: ScriptedDaemon) {
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        stage.advance(0)
    }

    @Test(.proves(.Q118), arguments: [true, false])
    func `Pairing a bonded device succeeds at once and calls nothing`(isConnected: Bool) {
        let (stage, peripheral) = Stage.withLock()
        let first = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(first.isCompleted)
        let link = isConnected ? stage.connect(peripheral) : nil
        stage.simulation.bluez.forgetCalls()
        for _ in 1...2 {
            let again = stage.record(peripheral.pair())
            stage.advance(0)
            #expect(again.isCompleted)
        }
        #expect(stage.simulation.calls.isEmpty)
        #expect(link?.isLive != false)
        stage.expectSettled()
    }

    @Test(.proves(.Q118)) func `A bonded device counts as paired until forgotten, even if it lost the bond`() {
        let (stage, peripheral) = Stage.withLock(SimulatedPairing(losesBond: true))
        let first = stage.record(peripheral.pair())
        stage.advance(5_000)
        let second = stage.record(peripheral.pair())
        stage.advance(0)
        #expect(first.isCompleted && second.isCompleted)
        let forgotten = stage.record(peripheral.forget())
        stage.advance(5_000)
        #expect(forgotten.isCompleted)
        let again = stage.find(Lock.address)
        let third = stage.record(again.pair())
        stage.advance(5_000)
        #expect(third.isCompleted)
        #expect(stage.count("Pair") == 1)
    }

    @Test(.proves(.Q118)) func `A bond made while pair connects needs no Pair call`() {
        let (stage, daemon, peripheral) = scripted(["Paired": .bool(false), "Bonded": .bool(false)])
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        daemon.deviceChanges(["Paired": .bool(true), "Bonded": .bool(true)])
        connect(stage, daemon)
        #expect(paired.isCompleted)
        #expect(daemon.count("Pair") == 0)
        #expect(daemon.count("Disconnect") == 1)
    }

    @Test(.proves(.S68, .Q118)) func `A bond made while pair waits for its turn needs no Pair call`() {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(.numericComparison(42)), policy: PairingPolicy(.ask))
        let other = stage.find(Lock.other)
        let person = Person(stage)
        let both = [stage.record(peripheral.pair()), stage.record(other.pair())]
        stage.advance(1_000)
        #expect(person.questions.count == 1)
        let path = Lock.path.dropLast(2) + "32"
        stage.simulation.bluez.sendChanges(
            ["Paired": .bool(true), "Bonded": .bool(true)], of: "org.bluez.Device1", at: String(path))
        stage.advance(0)
        _ = try? person.last?.answer(.accept)
        stage.advance(5_000)
        #expect(both.map(\.isCompleted) == [true, true])
        #expect(stage.count("Pair") == 1)
    }

    @Test(.proves(.Q89)) func `A device without a bond is paired by Pair, and AlreadyExists is a success`() {
        let (stage, daemon, peripheral) = scripted(["Paired": .bool(true), "Bonded": .bool(false)])
        let paired = stage.record(peripheral.pair())
        connect(stage, daemon)
        #expect(paired.isLive)
        daemon.take("Pair").fail("org.bluez.Error.AlreadyExists", "Already Paired")
        stage.advance(0)
        #expect(paired.isCompleted)
    }

    @Test(.proves(.Q20, .Q118)) func `Before BlueZ 5.65, a paired device counts as bonded`() {
        let (stage, daemon, peripheral) = scripted(["Paired": .bool(true)])
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        #expect(paired.isCompleted)
        #expect(daemon.methods.isEmpty)
    }

    @Test(.proves(.Q89)) func `AlreadyExists from the simulated bluetoothd completes the pairing`() {
        var scenario = Scenario(peripherals: [Lock.make(SimulatedPairing())])
        scenario.quirks = [.Q89]
        let stage = Stage(scenario)
        let peripheral = stage.find(Lock.address)
        let paired = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(paired.isCompleted)
        #expect(stage.count("Pair") == 1)
    }
}
