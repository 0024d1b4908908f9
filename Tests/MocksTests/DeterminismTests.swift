import Rx
import DBus
import Dispatch
import RxBluetoothMocks
import Testing

/// Checks that the same scenario with the same seed causes the same events.
struct DeterminismTests {
    /// Returns the everyday scenario with packet loss, quirks, faults and a script.
    private static func cruel(seed: UInt64) -> Scenario {
        var scenario = Scenario.everyday
        scenario.seed = seed
        scenario.packetLoss = 10
        scenario.features = Set(SimulatedFeature.allCases)
        scenario.quirks = [.Q17, .Q19, .Q40, .Q41, .Q62, .Q72, .Q77, .Q78, .Q85, .Q102]
        scenario.faults = [
            Fault("Device1.Connect", calls: .only(3), .late(.seconds(1))),
            Fault("ReadValue", calls: .first(2), .swapped),
            Fault("StopNotify", .meanwhile(after: .milliseconds(30)) { $0.setPower(false) }),
        ]
        let strap = "C0:FF:EE:00:00:01"
        scenario.script = [
            at(.seconds(6)) { $0.setStrength(-80, of: strap) },
            at(.seconds(8)) { $0.rotateAddress(of: "C0:FF:EE:00:00:05") },
            at(.seconds(14)) { $0.dropLink(to: strap, reason: .timeout) },
            at(.seconds(16)) { $0.competingClient().connect("C0:FF:EE:00:00:02") },
            at(.seconds(18)) { $0.replugAdapter(as: 0) },
            at(.seconds(26)) { $0.crash() },
            at(.seconds(28)) { $0.start() },
        ]
        return scenario
    }

    private static func events(seed: UInt64) -> [String] {
        let stage = Stage(cruel(seed: seed))
        stage.scan()
        stage.run(.seconds(5))
        for _ in 0..<3 { stage.device(Stage.strap, "Connect") }
        stage.set(Stage.strap, "Device1", "Trusted", .bool(true))
        stage.run(.seconds(1))
        let value = Stage.strap + "/service000a/char000b"
        stage.characteristic(value, "StartNotify")
        for handle in ["b", "e"] {
            _ = stage.client.call(
                Stage.strap + "/service000a/char000" + handle, "org.bluez.GattCharacteristic1.ReadValue",
                [.properties([:])])
        }
        stage.run(.seconds(15))
        stage.scan()
        stage.run(.seconds(10))
        stage.scan()
        stage.run(.seconds(10))
        _ = stage.client.call(value, "org.bluez.GattCharacteristic1.StopNotify", [])
        stage.run(.seconds(10))
        return stage.seen() + stage.simulation.calls.map { "\($0.time) \($0.withArguments) \($0.answer)" }
    }

    @Test func `The same seed shows the same events, another seed shows others`() {
        let first = Self.events(seed: 7)
        #expect(first.count > 500)
        for part in ["Connected: true", "owner none", "added hci0/dev_", "Disconnected"] {
            #expect(first.contains { $0.contains(part) }, "\(part)")
        }
        #expect(first == Self.events(seed: 7))
        #expect(first != Self.events(seed: 8))
    }

    @Test func `Simulations on two threads are independent`() {
        let alone = Self.events(seed: 7)
        let together = Guarded<[[String]]>([])
        // The iterations run on different threads if the machine has enough processors.
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            let seen = Self.events(seed: number == 3 ? 8 : 7)
            if number < 3 { together.withLock { $0.append(seen) } }
        }
        let all = together.withLock { $0 }
        #expect(all.count == 3)
        #expect(all.allSatisfy { $0 == alone })
    }

    @Test func `Simulations in one process are independent`() {
        let one = Stage()
        let other = Stage()
        one.scan()
        one.run(.seconds(1))
        other.run(.seconds(1))
        #expect(other.objects() == ["hci0"])
        #expect(one.objects().count == 6)
    }
}
