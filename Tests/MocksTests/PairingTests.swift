import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of agents and pairing.
struct PairingTests {
    private static let address = "C0:FF:EE:00:00:01"
    private static let path = Stage.strap
    private static let secret = Stage.strap + "/service000a/char000b"

    private func stage(
        _ pairing: SimulatedPairing, needing protection: SimulatedProtection = .none, connected: Bool = true
    ) -> Stage {
        let stage = Stage(
            Scenario(peripherals: [
                SimulatedPeripheral("Lock", address: Self.address) {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
                    pairing
                    SimulatedService("fff0") {
                        SimulatedCharacteristic("fff1", .read([7]), .write, .notify, protection: protection)
                    }
                }
            ]))
        if connected {
            stage.connect(Self.path)
        } else {
            stage.scan()
            stage.run(.milliseconds(500))
            stage.adapter("StopDiscovery")
            stage.client.log.clear()
        }
        return stage
    }

    private func lines(_ stage: Stage) -> [String] {
        stage.seen().map { $0.replacing("hci0/dev_C0_FF_EE_00_00_01", with: "D") }
    }

    private func pair(_ stage: Stage) -> Answer { stage.client.call(Self.path, "org.bluez.Device1.Pair", []) }

    // MARK: Agent manager

    @Test(.proves(.Q92)) func `A client has one agent, with one of five capabilities`() {
        let stage = Stage()
        let path = Value.objectPath("/test/agent")
        #expect(stage.agents("UnregisterAgent", path) == "DoesNotExist: Does Not Exist")
        #expect(
            stage.agents("RegisterAgent", path, .string("Telepathy"))
                == "InvalidArguments: Invalid arguments in method call")
        #expect(stage.agents("RegisterAgent", path, .string("")) == "ok")
        #expect(
            stage.agents("RegisterAgent", .objectPath("/b"), .string("DisplayOnly")) == "AlreadyExists: Already Exists")
        #expect(stage.agents("RequestDefaultAgent", .objectPath("/b")) == "DoesNotExist: Does Not Exist")
        #expect(stage.agents("RequestDefaultAgent", path) == "ok")
        #expect(stage.agents("UnregisterAgent", .objectPath("/b")) == "DoesNotExist: Does Not Exist")
        #expect(stage.agents("UnregisterAgent", path) == "ok")
        #expect(stage.agents("UnregisterAgent", path) == "DoesNotExist: Does Not Exist")
    }

    @Test func `The adapter is pairable while an agent is registered`() {
        let stage = Stage()
        #expect(stage.property(Stage.hci, "Adapter1", "Pairable") == "false")
        let other = stage.another()
        _ = stage.agent("", .accept, of: other)
        #expect(stage.property(Stage.hci, "Adapter1", "Pairable") == "true")
        other.bus.close()
        stage.run(.milliseconds(5))
        #expect(stage.property(Stage.hci, "Adapter1", "Pairable") == "false")
    }

    @Test func `The agent manager is at org bluez, without properties`() {
        let stage = Stage()
        let answer = stage.client.call("/org/bluez", "org.freedesktop.DBus.Introspectable.Introspect", [])
        let text = stage.wait(for: answer)
        #expect(text.contains(#"<interface name="org.bluez.AgentManager1"><method name="RegisterAgent">"#))
        #expect(!text.contains("org.freedesktop.DBus.Properties"))
    }

    // MARK: Methods

    @Test(.proves(.Q90)) func `Without an agent, pairing fails and the link stays up`() {
        let stage = stage(SimulatedPairing(.passkeyShown(123_456)), needing: .encryption)
        stage.wait(for: pair(stage))
        #expect(lines(stage) == ["Pair -> AuthenticationFailed: Authentication Failed"])
        #expect(stage.property(Self.path, "Device1", "Connected") == "true")
        // A read that needs encryption is not answered until the link ends.
        let read = stage.client.call(Self.secret, "org.bluez.GattCharacteristic1.ReadValue", [.properties([:])])
        stage.run(.seconds(20))
        #expect(read.isOpen)
        stage.device(Self.path, "Disconnect")
        #expect(stage.wait(for: read) == "Failed: Operation failed with ATT error: 0x0e")
    }

    @Test(.proves(.Q90)) func `NoInputNoOutput pairs without a request, and Bonded precedes the reply`() {
        let stage = stage(SimulatedPairing(.passkeyShown(123_456)))
        let agent = stage.agent("NoInputNoOutput", .reject)
        stage.client.log.clear()
        stage.wait(for: pair(stage))
        #expect(lines(stage) == ["D {Bonded: true, Paired: true}", "Pair -> ok"])
        #expect(agent.log.take() == [])
    }

    @Test(.proves(.Q88)) func `Pair connects first, and is answered when the services are resolved`() {
        let stage = stage(SimulatedPairing(delay: .milliseconds(20)), connected: false)
        _ = stage.agent("", .accept)
        stage.client.log.clear()
        stage.wait(for: pair(stage))
        let seen = lines(stage).filter { !$0.hasPrefix("added") && !$0.contains("RSSI") }
        #expect(seen.count == 4)
        #expect(seen.first == "D {Connected: true}")
        #expect(seen.dropFirst().first == "D {Bonded: true}")
        #expect(seen.dropFirst(2).first?.hasSuffix("ServicesResolved: true, Paired: true}") == true)
        #expect(seen.last == "Pair -> ok")
    }

    @Test func `RegisterAgent is answered before Pairable changes`() {
        let stage = Stage()
        _ = stage.client.call("/org/bluez", "org.bluez.AgentManager1.RegisterAgent", [.objectPath("/a"), .string("")])
        stage.run(.milliseconds(2))
        #expect(stage.seen() == ["RegisterAgent -> ok", "hci0 {Pairable: true}"])
    }

    @Test func `The agent is asked for a passkey that the peripheral shows`() {
        let stage = stage(SimulatedPairing(.passkeyShown(42)))
        let agent = stage.agent("KeyboardDisplay", .passkey(42))
        #expect(stage.wait(for: pair(stage)) == "ok")
        #expect(agent.log.take() == ["RequestPasskey 01"])
    }

    @Test func `A wrong passkey and a refusal fail`() {
        let stage = stage(SimulatedPairing(.passkeyShown(42)))
        let agent = stage.agent("KeyboardOnly", .passkey(43))
        #expect(stage.wait(for: pair(stage)) == "AuthenticationFailed: Authentication Failed")
        agent.answers(.reject)
        #expect(stage.wait(for: pair(stage)) == "AuthenticationFailed: Authentication Failed")
        #expect(stage.property(Self.path, "Device1", "Paired") == "false")
    }

    @Test func `The agent shows a passkey that the peripheral's user types`() {
        let stage = stage(SimulatedPairing(.passkeyEntered(7), userDelay: .seconds(3)))
        let agent = stage.agent("DisplayOnly", .accept)
        let answer = pair(stage)
        stage.run(.seconds(3))
        #expect(agent.log.take() == ["DisplayPasskey 01 7 0"])
        #expect(answer.isOpen)
        #expect(stage.wait(for: answer) == "ok")
    }

    @Test func `The agent confirms a numeric comparison`() {
        let stage = stage(SimulatedPairing(.numericComparison(654_321)))
        let agent = stage.agent("DisplayYesNo", .reject)
        #expect(stage.wait(for: pair(stage)) == "AuthenticationFailed: Authentication Failed")
        agent.answers(.accept)
        #expect(stage.wait(for: pair(stage)) == "ok")
        #expect(agent.log.take() == ["RequestConfirmation 01 654321", "RequestConfirmation 01 654321"])
    }

    @Test(.proves(.Q90)) func `NoInputNoOutput gets no request, and a strict peripheral refuses`() {
        let stage = stage(SimulatedPairing(.passkeyShown(1), requiresAuthentication: true))
        let agent = stage.agent("NoInputNoOutput", .accept)
        #expect(stage.wait(for: pair(stage)) == "AuthenticationFailed: Authentication Failed")
        #expect(agent.log.take().isEmpty)
    }

    @Test(arguments: [
        (SimulatedPairing.Failure.failed, "AuthenticationFailed: Authentication Failed"),
        (.notSupported, "AuthenticationFailed: Authentication Failed"),
        (.canceled, "AuthenticationCanceled: Authentication Canceled"),
        (.rejected, "AuthenticationRejected: Authentication Rejected"),
        (.timeout, "AuthenticationTimeout: Authentication Timeout"),
    ])
    func `Failures have BlueZ's names and texts`(_ failure: SimulatedPairing.Failure, _ line: String) {
        let stage = stage(SimulatedPairing(failure: failure))
        #expect(stage.device(Self.path, "Pair") == line)
        stage.run(.milliseconds(1))
        #expect(lines(stage).last == "D {ServicesResolved: false, Connected: false}")
    }

    @Test func `Pair and Connect share one attempt in either order`() {
        for first in ["Pair", "Connect"] {
            let stage = stage(SimulatedPairing(), connected: false)
            _ = stage.agent("", .accept)
            let other = stage.another()
            let one = stage.client.call(Self.path, "org.bluez.Device1." + first, [])
            let two = other.call(Self.path, "org.bluez.Device1." + (first == "Pair" ? "Connect" : "Pair"), [])
            let third = other.call(Self.path, "org.bluez.Device1.Connect", [])
            #expect(stage.wait(for: one) == "ok" && stage.wait(for: two) == "ok")
            #expect(third.line == "Failed: Operation already in progress")
        }
    }

    @Test(.proves(.Q79)) func `Disconnect is answered before the Pair whose attempt it ends`() {
        let stage = stage(SimulatedPairing(), connected: false)
        let answer = pair(stage)
        #expect(stage.device(Self.path, "Disconnect") == "ok")
        #expect(stage.wait(for: answer) == "AuthenticationCanceled: Authentication Canceled")
        #expect(
            lines(stage) == ["Disconnect -> ok", "Pair -> AuthenticationCanceled: Authentication Canceled"])
    }

    // MARK: Cancellation

    @Test(.proves(.Q92)) func `CancelPairing cancels the request, then answers Pair, then itself`() {
        let stage = stage(SimulatedPairing(.passkeyShown(1)))
        let agent = stage.agent("", .silence)
        #expect(stage.device(Self.path, "CancelPairing") == "DoesNotExist: Does Not Exist")
        let answer = pair(stage)
        stage.run(.milliseconds(300))
        #expect(stage.device(Self.path, "Pair") == "InProgress: In Progress")
        _ = stage.seen()
        #expect(stage.device(Self.path, "CancelPairing") == "ok")
        #expect(agent.log.take() == ["RequestPasskey 01", "Cancel"])
        #expect(
            stage.seen() == ["Pair -> AuthenticationCanceled: Authentication Canceled", "CancelPairing -> ok"])
        #expect(!answer.isOpen)
    }

    @Test(.proves(.Q92), arguments: [SimulatedPairing.Method.numericComparison(1), .passkeyShown(1)])
    func `The link ends if an agent does not answer within 30 s`(_ method: SimulatedPairing.Method) {
        for isRegistered in [true, false] {
            let stage = stage(SimulatedPairing(method))
            let agent = stage.agent("", .silence)
            let answer = stage.client.call(Self.path, "org.bluez.Device1.Pair", [], timeout: .seconds(90))
            stage.run(.milliseconds(300))
            #expect(agent.log.take().count == 1)
            if !isRegistered { #expect(stage.agents("UnregisterAgent", .objectPath(TestAgent.path)) == "ok") }
            stage.run(.milliseconds(29_800))
            #expect(answer.isOpen && agent.log.take().isEmpty)
            stage.client.log.clear()
            stage.run(.milliseconds(200))
            #expect(agent.log.take() == ["Cancel"])
            #expect(
                lines(stage) == [
                    "D {ServicesResolved: false, Connected: false}",
                    "Pair -> AuthenticationCanceled: Authentication Canceled",
                ])
        }
    }

    @Test func `The end of the link cancels a pairing after Connected turns false`() {
        let stage = stage(SimulatedPairing(.numericComparison(1)))
        let agent = stage.agent("", .silence)
        _ = pair(stage)
        stage.run(.milliseconds(300))
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(5))
        let seen = lines(stage)
        #expect(
            seen == [
                "D {ServicesResolved: false, Connected: false}",
                "Pair -> AuthenticationCanceled: Authentication Canceled",
            ])
        #expect(agent.log.take().last == "Cancel")
    }

    @Test(.proves(.Q91)) func `A client's pairing and link end when it leaves the bus`() {
        let stage = stage(SimulatedPairing(.numericComparison(1)))
        let other = stage.another()
        _ = stage.agent("", .silence, of: other)
        _ = other.call(Self.path, "org.bluez.Device1.Pair", [])
        stage.run(.milliseconds(300))
        other.bus.close()
        stage.run(.milliseconds(2100))
        #expect(stage.property(Self.path, "Device1", "Connected") == "false")
        #expect(stage.property(Self.path, "Device1", "Paired") == "false")
    }

    @Test func `Pairing an unreachable device fails`() {
        let stage = stage(SimulatedPairing(), connected: false)
        stage.simulation.bluez.setInRange(false, Self.address)
        #expect(stage.wait(for: pair(stage)) == "Failed: Software caused connection abort")
    }

    // MARK: Bonds

    @Test func `A bonded device is stored, and its next link is encrypted`() {
        let stage = stage(SimulatedPairing(.passkeyShown(5)), needing: .authentication)
        let agent = stage.agent("", .passkey(5))
        #expect(stage.wait(for: pair(stage)) == "ok")
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.seconds(120))
        #expect(stage.device(Self.path, "Connect") == "ok")
        stage.run(.milliseconds(300))
        #expect(stage.characteristic(Self.secret, "ReadValue", .properties([:])) == "ok <7>")
        #expect(agent.log.take() == ["RequestPasskey 01"])
        stage.simulation.bluez.crash()
        stage.simulation.bluez.start()
        stage.run(.milliseconds(50))
        #expect(stage.property(Self.path, "Device1", "Bonded") == "true")
    }

    @Test func `A pairing that makes no bond ends with the link`() {
        let stage = stage(SimulatedPairing(makesBond: false))
        _ = stage.agent("", .accept)
        #expect(stage.wait(for: pair(stage)) == "ok")
        stage.run(.milliseconds(5))
        let state = { ["Paired", "Bonded"].map { stage.property(Self.path, "Device1", $0) } }
        #expect(state() == ["true", "false"])
        #expect(stage.wait(for: pair(stage)).hasPrefix("AlreadyExists") == true)
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(500))
        #expect(state() == ["false", "false"])
        #expect(stage.wait(for: pair(stage)) == "ok")
    }

    @Test(.proves(.Q87)) func `Without the peripheral's bond, every link ends until the device is removed`() {
        let stage = stage(SimulatedPairing(losesBond: true))
        _ = stage.agent("", .accept)
        #expect(stage.wait(for: pair(stage)) == "ok")
        stage.simulation.bluez.dropLink(to: Self.address)
        stage.run(.milliseconds(500))
        _ = stage.seen()
        #expect(stage.device(Self.path, "Connect") == "Failed: br-connection-canceled")
        stage.run(.milliseconds(5))
        #expect(
            lines(stage) == [
                "D {Connected: true}", "Connect -> Failed: br-connection-canceled", "D {Connected: false}",
            ]
        )
        #expect(stage.property(Self.path, "Device1", "Paired") == "true")
        stage.adapter("RemoveDevice", .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01"))
        stage.connect(Self.path)
        #expect(stage.wait(for: pair(stage)) == "ok")
    }

    // MARK: Protected attributes

    @Test func `A protected characteristic starts a pairing before the read`() {
        let stage = stage(SimulatedPairing(.numericComparison(9)), needing: .authentication)
        let agent = stage.agent("", .accept)
        #expect(stage.characteristic(Self.secret, "ReadValue", .properties([:])) == "ok <7>")
        #expect(agent.log.take() == ["RequestConfirmation 01 9"])
        #expect(stage.property(Self.path, "Device1", "Paired") == "true")
    }

    @Test(.proves(.Q90)) func `A pairing by a characteristic needs the default agent's permission`() {
        let stage = stage(SimulatedPairing(), needing: .encryption)
        let agent = stage.agent("NoInputNoOutput", .accept)
        #expect(stage.characteristic(Self.secret, "ReadValue", .properties([:])) == "ok <7>")
        #expect(agent.log.take() == ["RequestAuthorization 01"])
    }

    @Test(.proves(.Q90)) func `Without permission, a read of a protected characteristic is not answered`() {
        let stage = stage(SimulatedPairing(), needing: .encryption)
        let agent = stage.agent("NoInputNoOutput", .reject)
        let read = stage.client.call(
            Self.secret, "org.bluez.GattCharacteristic1.ReadValue", [.properties([:])], timeout: .seconds(60))
        stage.run(.seconds(28))
        #expect(agent.log.take() == ["RequestAuthorization 01"])
        #expect(read.isOpen && stage.property(Self.path, "Device1", "Connected") == "true")
        // After the failed pairing the device is temporary again, so the daemon removes it with its link after 30 s.
        stage.run(.seconds(10))
        #expect(read.isOpen && stage.property(Self.path, "Device1", "Connected").contains("UnknownObject"))
        #expect(lines(stage).allSatisfy { !$0.contains("Connected") })
    }

    @Test(.proves(.Q96)) func `A read fails with Not paired if the pairing protects too little`() {
        let stage = stage(SimulatedPairing(), needing: .authentication)
        _ = stage.agent("", .accept)
        #expect(stage.characteristic(Self.secret, "ReadValue", .properties([:])) == "NotPermitted: Not paired")
        #expect(stage.characteristic(Self.secret, "StartNotify") == "NotPermitted: Not paired")
    }

    @Test func `A refused pairing ends the link and the pending request`() {
        let stage = stage(SimulatedPairing(failure: .failed), needing: .encryption)
        _ = stage.agent("", .accept)
        #expect(
            stage.characteristic(Self.secret, "WriteValue", .bytes([1]), .properties([:]))
                == "Failed: Operation failed with ATT error: 0x0e")
        #expect(
            lines(stage) == [
                "D {ServicesResolved: false, Connected: false}",
                "WriteValue -> Failed: Operation failed with ATT error: 0x0e",
            ])
        #expect(stage.property(Self.path, "Device1", "Paired") == "false")
    }
}
