import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Pairing by `pair()` with the simulated bluetoothd.
struct PairingTests {
    // MARK: Success

    @Test(.proves(.Q90)) func `pair registers an agent before pairing, and not as the default agent`() {
        let (stage, peripheral) = Stage.withLock()
        let link = stage.connect(peripheral)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(paired.isCompleted)
        #expect(link.isLive)
        #expect(
            stage.calls("RegisterAgent", "RequestDefaultAgent", "Pair") == [
                "RegisterAgent(/rxbluetooth/agent, \"NoInputNoOutput\")", "Pair()",
            ])
        #expect(stage.methods == ["Connect", "Pair"])
        stage.expectSettled()
    }

    @Test func `Without a connection, pair makes a link and closes it afterwards`() {
        let (stage, peripheral) = Stage.withLock()
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(paired.isCompleted)
        #expect(stage.methods == ["Connect", "Pair", "Disconnect"])
        stage.advance(2_000)
        #expect(!stage.isLinked(Lock.path))
        stage.expectSettled()
    }

    @Test(.proves(.Q88)) func `Pair is called after service discovery or its deadline`() {
        for isResolving in [true, false] {
            let (stage, peripheral) = Stage.withLock()
            stage.simulation.bluez.setConnection(
                SimulatedConnection(discovery: .seconds(isResolving ? 5 : 80)), of: Lock.text)
            let paired = stage.record(peripheral.pair())
            stage.advance(isResolving ? 5_000 : 30_000)
            #expect(stage.count("Pair") == 0)
            stage.advance(1_000)
            #expect(stage.count("Pair") == 1)
            stage.advance(50_000)
            #expect(paired.isCompleted)
        }
    }

    @Test(.proves(.S31)) func `connect waits for a pairing that made its own link`() {
        let (stage, peripheral) = Stage.withLock()
        let paired = stage.record(peripheral.pair())
        stage.advance(100)
        let link = stage.record(peripheral.connect())
        stage.advance(5_000)
        #expect(paired.isCompleted)
        #expect(link.elements == [peripheral])
        #expect(link.isLive)
        #expect(stage.methods == ["Connect", "Pair", "Disconnect", "Connect"])
        #expect(stage.isLinked(Lock.path))
    }

    @Test func `pair uses a connection in progress and leaves it open`() {
        let (stage, peripheral) = Stage.withLock()
        let link = stage.record(peripheral.connect())
        stage.advance(1)
        let paired = stage.record(peripheral.pair())
        stage.advance(2_000)
        #expect(paired.isCompleted)
        #expect(link.isLive)
        #expect(stage.methods == ["Connect", "Pair"])
    }

    @Test(.proves(.Q74)) func `pair uses the link of another program and leaves it open`() {
        let (stage, peripheral) = Stage.withLock()
        let other = stage.otherProgram("Connect", Lock.path)
        stage.advance(1_000)
        let paired = stage.record(peripheral.pair())
        stage.advance(3_000)
        #expect(paired.isCompleted)
        #expect(stage.isLinked(Lock.path))
        #expect(stage.count("Disconnect") == 0)
        other.close()
    }

    @Test(.covers(.pairing)) func `A fixed passkey pairs and gives access to a protected value`() {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(.passkeyShown(123_456), requiresAuthentication: true), needing: .authentication,
            policy: PairingPolicy(.passkey(123_456)))
        let link = stage.connect(peripheral)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(paired.isCompleted)
        #expect(stage.calls("RegisterAgent") == ["RegisterAgent(/rxbluetooth/agent, \"KeyboardOnly\")"])
        let value = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(100)
        #expect(value.elements == [[7]])
        #expect(link.isLive)
    }

    // MARK: Failure

    @Test func `A wrong passkey fails with advice and closes the link`() {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(.passkeyShown(1)), policy: PairingPolicy(.passkey(2)))
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(paired.kind == .pairingFailed("AuthenticationFailed"))
        #expect(paired.error?.operation == .pair)
        #expect(paired.error?.target == Lock.text)
        #expect(paired.error?.advice?.hasSuffix("try again.") == true)
        #expect(stage.methods == ["Connect", "Pair", "Disconnect"])
    }

    @Test(arguments: [
        (SimulatedPairing.Failure.failed, "AuthenticationFailed"), (.canceled, "AuthenticationCanceled"),
        (.rejected, "AuthenticationRejected"), (.timeout, "AuthenticationTimeout"),
    ])
    func `Each pairing failure keeps BlueZ's error name and has advice`(
        _ failure: SimulatedPairing.Failure, _ name: String
    ) {
        let (stage, peripheral) = Stage.withLock(SimulatedPairing(failure: failure))
        let link = stage.connect(peripheral)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(paired.kind == .pairingFailed(name))
        #expect(paired.error?.dbusName == "org.bluez.Error." + name)
        #expect(paired.error?.advice != nil)
        // The link has ended too, because the kernel closes it when the peripheral refuses the pairing.
        #expect(link.kind == .linkLost(.authentication))
        // After a failed pairing, pair() makes a new attempt.
        let again = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(again.kind == .pairingFailed(name))
        stage.expectSettled()
    }

    @Test(.proves(.S68, .S91), arguments: [true, false])
    func `A pairing that waits for its turn does not begin when all pairings end`(isClosed: Bool) {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(.numericComparison(42)), policy: PairingPolicy(.ask))
        let other = stage.find(Lock.other)
        let person = Person(stage)
        let first = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(person.questions.count == 1)
        let second = stage.record(other.pair())
        stage.advance(100)
        #expect(second.isLive)
        let changes = stage.record(stage.manager.connectionChanges.filter { $0.peripheral === other })
        stage.simulation.bluez.forgetCalls()
        if isClosed { _ = stage.record(stage.manager.close()) } else { stage.simulation.bluez.crash() }
        stage.advance(5_000)
        #expect(!first.isLive && !second.isLive)
        #expect(changes.elements.isEmpty)
        #expect(stage.count("Connect") == 0)
    }

    @Test func `A device that the policy does not allow is refused without a call`() {
        let (stage, peripheral) = Stage.withLock(policy: PairingPolicy(.justWorks, allowed: [Lock.other]))
        let paired = stage.record(peripheral.pair())
        #expect(paired.outcome(stage) == .refused)
        #expect(paired.error?.advice?.contains("PairingPolicy") == true && paired.error?.detail != nil)
        #expect(stage.simulation.calls.isEmpty)
        let other = stage.find(Lock.other)
        let otherPaired = stage.record(other.pair())
        stage.advance(1_000)
        #expect(otherPaired.isCompleted)
    }

    @Test(.proves(.S59)) func `A pairing fails with the link loss, not with bluetoothd's cancellation`() {
        let (stage, peripheral) = Stage.withLock()
        let link = stage.connect(peripheral)
        let paired = stage.record(peripheral.pair())
        stage.advance(50)
        stage.simulation.bluez.dropLink(to: Lock.text)
        stage.advance(300)
        #expect(paired.kind == .linkLost(.remote))
        #expect(link.kind == .linkLost(.remote))
        stage.expectSettled()
    }

    @Test func `Pairing an unreachable device times out`() {
        let (stage, peripheral) = Stage.withLock()
        stage.simulation.bluez.setInRange(false, Lock.text)
        let paired = stage.record(peripheral.pair())
        stage.advance(60_000)
        #expect(paired.kind == .timedOut)
        stage.expectSettled()
    }

    @Test(.proves(.Q7)) func `pair cancels the pairing at its own deadline`() {
        var deadlines = Deadlines()
        deadlines.pair = .seconds(10)
        let (stage, peripheral) = Stage.withLock(SimulatedPairing(delay: .seconds(20)), deadlines: deadlines)
        let link = stage.connect(peripheral)
        let paired = stage.record(peripheral.pair())
        stage.advance(9_999)
        #expect(paired.isLive)
        stage.advance(1)
        #expect(paired.kind == .timedOut)
        stage.advance(10)
        #expect(stage.methods == ["Connect", "Pair", "CancelPairing"])
        #expect(link.isLive)
        stage.expectSettled()
    }

    // MARK: Cancellation

    @Test(.proves(.Q91)) func `A pairing keeps its manager and bus, and fails when the bus is lost`() {
        for losesBus in [false, true] {
            let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
            let scenario = Scenario(peripherals: [Lock.make(SimulatedPairing(delay: .seconds(5)))])
            let simulation = Ground.simulation(scenario, scheduler: scheduler)
            var manager: BluetoothManager? = BluetoothManager(
                configuration: .init(scheduler: scheduler), bus: simulation.connect())
            let paired = manager.map { Recording($0.peripheral(Lock.address).flatMap { $0.pair() }, scheduler) }
            scheduler.advanceBy(2_000)
            manager = nil
            #expect(simulation.recorder.count("Device1.Pair") == 1)
            if losesBus { simulation.bus.shutDown() }
            scheduler.advanceBy(10_000)
            #expect(paired?.isCompleted == !losesBus)
            #expect(paired?.error?.kind == (losesBus ? .disconnected(.bus) : nil))
            #expect(simulation.recorder.count("Device1.CancelPairing") == 0)
            #expect(manager == nil)
            if Ground.isPrivateBus, !losesBus { simulation.bus.shutDown() }
        }
    }

    @Test(.proves(.Q92)) func `Disposal cancels the pairing and closes the link that it made`() {
        let (stage, peripheral) = Stage.withLock(SimulatedPairing(delay: .seconds(5)))
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        paired.dispose()
        stage.advance(10)
        #expect(stage.methods == ["Connect", "Pair", "CancelPairing", "Disconnect"])
        stage.advance(3_000)
        #expect(!stage.isLinked(Lock.path))
        #expect(paired.times.isEmpty)
        stage.expectSettled()
    }

    @Test(.proves(.S57)) func `A pairing disposed of before its turn sends nothing`() {
        let (stage, peripheral) = Stage.withLock()
        stage.record(peripheral.pair()).dispose()
        stage.advance(5_000)
        #expect(stage.simulation.calls.isEmpty)
        stage.expectSettled()
    }

    @Test(.proves(.S41)) func `Two subscribers share one pairing, which the last disposal cancels`() {
        let (stage, peripheral) = Stage.withLock(SimulatedPairing(delay: .seconds(5)))
        let link = stage.connect(peripheral)
        let (first, second) = (stage.record(peripheral.pair()), stage.record(peripheral.pair()))
        stage.advance(1_000)
        first.dispose()
        stage.advance(1_000)
        #expect(stage.methods == ["Connect", "Pair"])
        second.dispose()
        // The third subscription waits until the cancelled pairing has ended, and then starts a new pairing.
        let third = stage.record(peripheral.pair())
        stage.advance(10_000)
        #expect(stage.methods == ["Connect", "Pair", "CancelPairing", "Pair"])
        #expect(third.isCompleted)
        #expect(link.isLive)
    }

    @Test func `Closing the manager cancels a pairing`() {
        let (stage, peripheral) = Stage.withLock(SimulatedPairing(delay: .seconds(5)))
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        let closed = stage.record(stage.manager.close())
        stage.advance(5_000)
        #expect(paired.kind == .closed)
        #expect(closed.isCompleted)
        #expect(stage.methods == ["Connect", "Pair", "CancelPairing", "Disconnect"])
    }

    // MARK: Concurrent pairings

    @Test(.proves(.S68)) func `Two Just Works pairings run at the same time`() {
        let (stage, peripheral) = Stage.withLock(SimulatedPairing(delay: .seconds(2)))
        let other = stage.find(Lock.other)
        let both = [stage.record(peripheral.pair()), stage.record(other.pair())]
        stage.advance(2_500)
        #expect(both.map(\.isCompleted) == [true, true])
        #expect(stage.count("RegisterAgent") == 1)
    }

    @Test func `Pairings that need the user run one at a time`() throws {
        let (stage, peripheral) = Stage.withLock(
            SimulatedPairing(.numericComparison(42)), policy: PairingPolicy(.ask))
        let other = stage.find(Lock.other)
        let person = Person(stage)
        let both = [stage.record(peripheral.pair()), stage.record(other.pair())]
        stage.advance(5_000)
        #expect(person.questions == [.confirmation(42)])
        #expect(person.last?.peripheral === peripheral)
        try person.last?.answer(.accept)
        stage.advance(5_000)
        #expect(both[0].isCompleted)
        #expect(person.questions.count == 2)
        #expect(person.last?.peripheral === other)
        try person.last?.answer(.accept)
        stage.advance(1_000)
        #expect(both[1].isCompleted)
    }
}
