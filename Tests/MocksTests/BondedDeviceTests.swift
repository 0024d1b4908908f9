import DBus
import RxBluetoothMocks
import TestTraits
import Testing

/// Tests of pairing with bonded devices, and with devices that refuse to pair.
struct BondedDeviceTests {
    private static let path = Stage.strap
    private static let secret = Stage.strap + "/service000a/char000b"

    /// Returns a stage that is connected to a lock, and an agent that accepts.
    ///
    /// A stage is a simulation with one client.
    private func stage(_ pairing: SimulatedPairing) -> (Stage, TestAgent) {
        let stage = Stage(
            Scenario(peripherals: [
                SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:01") {
                    SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lock")
                    pairing
                    SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([7]), protection: .encryption) }
                }
            ]))
        stage.connect(Self.path)
        return (stage, stage.agent("NoInputNoOutput", .accept))
    }

    private func pair(_ stage: Stage) -> Answer { stage.client.call(Self.path, "org.bluez.Device1.Pair", []) }

    /// Returns a stage that is connected to and bonded with a lock, and an agent that accepts.
    private func bonded() -> (Stage, TestAgent) {
        let (stage, agent) = stage(SimulatedPairing())
        #expect(stage.wait(for: pair(stage)) == "ok")
        stage.run(.seconds(3))
        stage.client.log.clear()
        return (stage, agent)
    }

    @Test(.proves(.Q118)) func `Pair of a bonded device is not answered until it is cancelled`() {
        let (stage, agent) = bonded()
        let answer = pair(stage)
        stage.run(.seconds(20))
        #expect(answer.isOpen)
        #expect(stage.wait(for: pair(stage)) == "InProgress: In Progress")
        #expect(stage.characteristic(Self.secret, "ReadValue", .properties([:])) == "ok <7>")
        #expect(stage.device(Self.path, "CancelPairing") == "ok")
        #expect(answer.line == "AuthenticationCanceled: Authentication Canceled")
        #expect(stage.property(Self.path, "Device1", "Bonded") == "true")
        #expect(stage.device(Self.path, "CancelPairing") == "DoesNotExist: Does Not Exist")
        withExtendedLifetime(agent) {}
    }

    @Test(.proves(.Q118)) func `Pair of a bonded device fails when its link ends, or when one comes up`() {
        let (stage, agent) = bonded()
        let first = pair(stage)
        stage.run(.seconds(1))
        #expect(stage.device(Self.path, "Disconnect") == "ok")
        stage.run(.milliseconds(5))
        #expect(first.line == "AuthenticationCanceled: Authentication Canceled")
        let second = pair(stage)
        stage.run(.seconds(10))
        #expect(second.isOpen)
        // Pair of a bonded device establishes no link.
        #expect(stage.property(Self.path, "Device1", "Connected") == "false")
        #expect(stage.device(Self.path, "Disconnect") == "ok")
        #expect(second.isOpen)
        #expect(stage.device(Self.path, "Connect") == "ok")
        stage.run(.seconds(1))
        #expect(second.line == "AuthenticationFailed: Authentication Failed")
        #expect(stage.property(Self.path, "Device1", "Connected") == "true")
        withExtendedLifetime(agent) {}
    }

    @Test(.proves(.Q121)) func `A peripheral that requires protection but refuses to pair ends the link`() {
        let (stage, agent) = stage(SimulatedPairing(failure: .failed))
        #expect(stage.agents("RequestDefaultAgent", .objectPath(TestAgent.path)) == "ok")
        let read = stage.client.call(Self.secret, "org.bluez.GattCharacteristic1.ReadValue", [.properties([:])])
        stage.run(.seconds(1))
        #expect(read.line == "Failed: Operation failed with ATT error: 0x0e")
        #expect(stage.property(Self.path, "Device1", "Connected") == "false")
        withExtendedLifetime(agent) {}
    }
}
