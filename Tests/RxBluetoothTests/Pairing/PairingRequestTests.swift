import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Pairing requests that the user, or a test in this role, answers.
struct PairingRequestTests {
    private func stage(
        _ method: SimulatedPairing.Method, timeout: Duration = .seconds(30)
    ) -> (Stage, Peripheral) {
        Stage.withLock(SimulatedPairing(method), policy: PairingPolicy(.ask, timeout: timeout))
    }

    @Test(.covers(.pairingRequests)) func `The answer to a passkey request completes the pairing`() throws {
        let (stage, peripheral) = stage(.passkeyShown(4_711))
        let person = Person(stage)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        let request = try #require(person.last)
        #expect(request.question == .passkey)
        #expect(request.peripheral === peripheral)
        #expect(try request.answer(.passkey(4_711)))
        let ending = stage.record(request.outcome)
        stage.advance(1_000)
        #expect(paired.isCompleted)
        #expect(ending.elements == [.answered(.passkey(4_711))])
        #expect(stage.calls("RegisterAgent") == ["RegisterAgent(/rxbluetooth/agent, \"KeyboardDisplay\")"])
    }

    @Test func `A passkey to type on the device is displayed and needs no answer`() throws {
        let (stage, peripheral) = stage(.passkeyEntered(7))
        let person = Person(stage)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(person.questions == [.displayPasskey(7, entered: 0)])
        #expect(try person.last?.answer(.accept) == false)
        stage.advance(2_000)
        #expect(paired.isCompleted)
    }

    @Test func `An invalid answer throws, and the request stays open`() throws {
        let (stage, peripheral) = stage(.passkeyShown(5))
        let person = Person(stage)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        let request = try #require(person.last)
        for wrong in [PairingRequest.Answer.accept, .passkey(1_000_000), .pinCode("1234")] {
            let error = #expect(throws: BluetoothError.self) { try request.answer(wrong) }
            #expect(error?.kind == .invalidArgument)
            #expect(error?.target == Lock.text)
        }
        stage.advance(1_000)
        #expect(paired.isLive)
        #expect(try request.answer(.passkey(5)))
        stage.advance(1_000)
        #expect(paired.isCompleted)
    }

    @Test func `Only the first answer to a request counts`() throws {
        let (stage, peripheral) = stage(.numericComparison(9))
        let person = Person(stage)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        let request = try #require(person.last)
        #expect(try request.answer(.reject))
        #expect(try !request.answer(.accept))
        stage.advance(1_000)
        #expect(paired.kind == .pairingFailed("AuthenticationFailed"))
    }

    @Test func `An unanswered request is rejected at its deadline`() throws {
        let (stage, peripheral) = stage(.numericComparison(9), timeout: .seconds(10))
        let person = Person(stage)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        let ending = stage.record(try #require(person.last).outcome)
        stage.advance(8_000)
        #expect(paired.isLive)
        stage.advance(2_000)
        #expect(ending.elements == [.unanswered])
        #expect(paired.kind == .pairingFailed("AuthenticationFailed"))
        #expect(try person.last?.answer(.accept) == false)
    }

    @Test func `A request without subscribers is rejected`() throws {
        let (stage, peripheral) = stage(.numericComparison(9))
        let alone = stage.record(peripheral.pair())
        stage.advance(1_000)
        #expect(alone.kind == .pairingFailed("AuthenticationFailed"))
        // Waits 2 s, because the link of the failed pairing closes only then.
        stage.advance(2_000)
        let person = Person(stage)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        let request = try #require(person.last)
        #expect(paired.isLive)
        person.leaves()
        stage.advance(1_000)
        #expect(paired.kind == .pairingFailed("AuthenticationFailed"))
        let ending = stage.record(request.outcome)
        stage.advance(0)
        #expect(ending.elements == [.unanswered])
    }

    @Test(.proves(.Q92)) func `Disposing of a pairing cancels its request`() throws {
        let (stage, peripheral) = stage(.numericComparison(9))
        let person = Person(stage)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        let ending = stage.record(try #require(person.last).outcome)
        paired.dispose()
        stage.advance(10)
        #expect(ending.elements == [.cancelled])
        #expect(ending.isCompleted)
        #expect(person.isThere)
    }

    @Test(.proves(.Q2)) func `A crash of bluetoothd cancels requests, and a later pairing sends a new one`() throws {
        let (stage, peripheral) = stage(.numericComparison(9))
        let person = Person(stage)
        let paired = stage.record(peripheral.pair())
        stage.advance(1_000)
        let ending = stage.record(try #require(person.last).outcome)
        stage.simulation.bluez.crash()
        stage.advance(10)
        #expect(paired.kind == .disconnected(.daemon))
        #expect(ending.elements == [.cancelled])
        stage.simulation.bluez.forgetCalls()
        stage.simulation.bluez.start()
        stage.advance(1_000)
        #expect(stage.calls("RegisterAgent") == ["RegisterAgent(/rxbluetooth/agent, \"KeyboardDisplay\")"])
        #expect(person.isThere)
        let again = stage.find(Lock.address)
        let pairedAgain = stage.record(again.pair())
        stage.advance(1_000)
        #expect(person.questions.count == 2)
        try person.last?.answer(.accept)
        stage.advance(1_000)
        #expect(pairedAgain.isCompleted)
    }

    @Test func `Closing the manager ends the stream of requests`() {
        let (stage, _) = stage(.justWorks)
        let person = Person(stage)
        let closed = stage.record(stage.manager.close())
        stage.advance(5_000)
        #expect(closed.isCompleted)
        #expect(person.error?.kind == .closed)
        #expect(Person(stage).error?.kind == .closed)
    }

    @Test func `Loss of the bus ends the stream of requests`() {
        let (stage, _) = stage(.justWorks)
        let person = Person(stage)
        stage.simulation.bus.shutDown()
        stage.advance(10)
        #expect(person.error?.kind == .busUnavailable)
    }

    @Test func `Subscribing to requests registers the agent once`() {
        let (stage, _) = Stage.withLock(policy: PairingPolicy(.ask))
        let (one, other) = (Person(stage), Person(stage))
        stage.advance(10)
        #expect(stage.count("RegisterAgent") == 1)
        #expect(one.isThere && other.isThere)
    }
}
