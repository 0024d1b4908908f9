import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

/// Attributes that can be used only over an encrypted or authenticated link.
struct ProtectedAttributeTests {
    @Test func `A protected value fails with needsPairing and is readable after pairing`() {
        let (stage, peripheral) = Stage.withLock(needing: .encryption)
        let link = stage.connect(peripheral)
        let secret = stage.characteristic(Lock.secret, of: peripheral)
        let refused = stage.record(secret.readValue())
        stage.advance(1_000)
        #expect(refused.kind == .needsPairing)
        #expect(refused.error?.operation == .read)
        #expect(refused.error?.advice == "Pair it first.")
        // The library drops later operations on this link, because bluetoothd no longer answers any of them.
        #expect(link.isLive)
        let events = stage.record(stage.manager.events)
        #expect(stage.record(secret.readValue()).outcome(stage) == .needsPairing)
        let dropped = events.elements.compactMap { event -> BluetoothError.Kind? in
            if case .operationDropped(_, _, let error) = event.kind { error?.kind } else { nil }
        }
        #expect(dropped == [.needsPairing])
        events.dispose()
        let paired = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(paired.isCompleted)
        #expect(link.kind == .needsPairing)
        let again = stage.record(peripheral.connect())
        stage.advance(5_000)
        let value = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(1_000)
        #expect(value.elements == [[7]])
        stage.advance(60_000)
        #expect(again.isLive)
        #expect(
            stage.methods.filter { !$0.contains("Discovery") } == [
                "Connect", "ReadValue", "RemoveDevice", "Connect", "Pair", "Disconnect", "Connect", "ReadValue",
            ])
    }

    @Test func `Operations behind a protected value fail with the true reason`() {
        let (stage, peripheral) = Stage.withLock(needing: .encryption)
        let link = stage.connect(peripheral)
        let secret = stage.characteristic(Lock.secret, of: peripheral)
        let notifying = stage.characteristic(Lock.notifying, of: peripheral)
        let all = [stage.record(secret.readValue()), stage.record(notifying.readValue())]
        let values = stage.record(notifying.observeValueUpdates())
        stage.advance(1_000)
        #expect(all.map(\.kind) == [.needsPairing, .connectionStalled])
        #expect(values.kind == .connectionStalled)
        #expect(all[1].error?.target?.hasPrefix("FFF2") == true)
        #expect(all[1].error?.description.contains("Reading FFF1 of \(Lock.text)") == true)
        #expect(all[1].error?.advice == "Connect again.")
        #expect(all[1].error?.isTransient == false)
        #expect(stage.record(secret.readValue()).outcome(stage) == .needsPairing)
        #expect(stage.record(secret.writeValue([1])).outcome(stage) == .connectionStalled)
        #expect(stage.record(notifying.observeValueUpdates()).outcome(stage) == .connectionStalled)
        #expect(stage.count("ReadValue") == 1)
        // bluetoothd removes the temporary device, which also ends its link.
        stage.advance(40_000)
        #expect(link.kind == .disconnected(.removed))
        stage.expectSettled()
        #expect(stage.connect(stage.find(Lock.address)).isLive)
    }

    @Test func `Notifications of a protected value need pairing`() {
        let (stage, peripheral) = Stage.withLock(needing: .encryption)
        let link = stage.connect(peripheral)
        let notifying = stage.characteristic(Lock.notifying, of: peripheral)
        let refused = stage.record(notifying.observeValueUpdates())
        stage.advance(1_000)
        #expect(refused.kind == .needsPairing)
        #expect(link.isLive)
        let paired = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(paired.isCompleted)
        let again = stage.connect(peripheral)
        let values = stage.record(stage.characteristic(Lock.notifying, of: peripheral).observeValueUpdates())
        stage.advance(1_000)
        stage.simulation.bluez.notify([3], from: Lock.text, "fff2")
        stage.advance(100)
        #expect(values.elements == [[3]])
        #expect(again.isLive)
    }

    @Test(.proves(.S78)) func `A reconnecting connection is restored after a pairing`() {
        let (stage, peripheral) = Stage.withLock(needing: .encryption)
        let link = stage.record(peripheral.connect(options: .reconnect()))
        stage.advance(1_000)
        let secret = stage.characteristic(Lock.secret, of: peripheral)
        let refused = stage.record(secret.readValue())
        stage.advance(1_000)
        #expect(refused.kind == .needsPairing)
        let paired = stage.record(peripheral.pair())
        stage.advance(10_000)
        #expect(paired.isCompleted)
        let value = stage.record(secret.readValue())
        stage.advance(1_000)
        #expect(value.elements == [[7]])
        #expect(link.isLive)
    }

    @Test func `Forgetting a device ends its reconnection, with and without a link`() {
        for isUp in [true, false] {
            let (stage, peripheral) = Stage.withLock()
            let link = stage.record(peripheral.connect(options: .reconnect()))
            stage.advance(1_000)
            if !isUp { stage.simulation.bluez.dropLink(to: Lock.text) }
            stage.advance(10)
            let forgotten = stage.record(peripheral.forget())
            stage.advance(5_000)
            #expect(forgotten.isCompleted)
            #expect(link.kind == .disconnected(.requested))
            stage.simulation.bluez.forgetCalls()
            stage.advance(60_000)
            #expect(stage.methods.isEmpty)
            stage.expectSettled()
        }
    }

    @Test func `The Just Works policy pairs when a protected value is read`() {
        let (stage, peripheral) = Stage.withLock(needing: .encryption, policy: PairingPolicy(.justWorks))
        let link = stage.connect(peripheral)
        let value = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(2_000)
        #expect(value.elements == [[7]])
        #expect(stage.count("Pair") == 0)
        #expect(link.isLive)
    }

    @Test func `The user can accept the pairing for a protected value`() throws {
        let (stage, peripheral) = Stage.withLock(needing: .encryption, policy: PairingPolicy(.ask))
        let link = stage.connect(peripheral)
        let person = Person(stage)
        let secret = stage.characteristic(Lock.secret, of: peripheral)
        let value = stage.record(secret.readValue())
        stage.advance(1_000)
        #expect(person.questions == [.authorization])
        try person.last?.answer(.accept)
        stage.advance(1_000)
        #expect(value.elements == [[7]])
        #expect(link.isLive)
    }

    @Test func `A protected read fails if the user refuses or does not answer`() throws {
        for isRefused in [true, false] {
            let (stage, peripheral) = Stage.withLock(needing: .encryption, policy: PairingPolicy(.ask))
            let link = stage.connect(peripheral)
            let person = Person(stage)
            let value = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
            stage.advance(1_000)
            if isRefused { try person.last?.answer(.reject) } else { stage.advance(29_000) }
            stage.advance(500)
            #expect(value.kind == .needsPairing || (!isRefused && value.kind == .timedOut))
            // Without an answer, the link is lost: the kernel ends a pairing and its link after 30 s (Q92).
            #expect(link.isLive == isRefused)
        }
    }

    @Test(.proves(.Q96)) func `A pairing that protects too little is reported as a weak bond`() {
        let (stage, peripheral) = Stage.withLock(needing: .authentication, policy: PairingPolicy(.justWorks))
        let link = stage.connect(peripheral)
        let value = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(2_000)
        #expect(value.kind == .needsPairing)
        #expect(value.error?.dbusMessage == "Not paired")
        // The pairing has made a weak bond, so pair() succeeds at once and does not make a stronger one.
        #expect(value.error?.isBondTooWeak == true)
        #expect(value.error?.advice == "Forget the device, then pair it with a passkey.")
        let paired = stage.record(peripheral.pair())
        stage.advance(0)
        #expect(paired.isCompleted)
        #expect(link.isLive)
    }

    @Test func `A bond too weak for an attribute is reported even if the agent refuses`() {
        let (stage, peripheral) = Stage.withLock(needing: .authentication)
        let paired = stage.record(peripheral.pair())
        stage.advance(5_000)
        #expect(paired.isCompleted)
        let link = stage.connect(peripheral)
        let value = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(1_000)
        #expect(value.kind == .needsPairing)
        #expect(value.error?.isBondTooWeak == true)
        #expect(value.error?.description.contains("passkey") == true)
        #expect(link.isLive)
    }

    @Test func `Without a bond, needsPairing does not report a weak bond`() {
        let (stage, peripheral) = Stage.withLock(needing: .authentication)
        let link = stage.connect(peripheral)
        let value = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(1_000)
        #expect(value.error?.isBondTooWeak == false)
        #expect(link.isLive)
    }

    @Test func `Without an agent, a protected read ends by its deadline`() {
        let (stage, peripheral) = Stage.withLock(needing: .encryption, policy: PairingPolicy(.noAgent))
        let link = stage.connect(peripheral)
        let value = stage.record(stage.characteristic(Lock.secret, of: peripheral).readValue())
        stage.advance(30_000)
        #expect(!value.isLive)
        stage.advance(10_000)
        #expect(link.kind == .disconnected(.removed))
        stage.expectSettled()
    }
}
