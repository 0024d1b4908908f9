import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// A target that is the whole name of one device and a part of the name of another.
struct ExactTargetTests {
    private static func device(_ name: String, _ address: String, _ value: UInt8) -> SimulatedPeripheral {
        SimulatedPeripheral(name, address: address) {
            SimulatedAdvertisement(every: .milliseconds(200), rssi: -50, name: name)
            SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([value])) }
        }
    }

    private let probes = Scenario(peripherals: [
        device("Probe", "C0:FF:EE:00:00:01", 1), device("Probe Two", "C0:FF:EE:00:00:02", 2),
    ])
    private let twins = Scenario(peripherals: [
        device("Dup", "C0:FF:EE:00:00:01", 1), device("Dup", "C0:FF:EE:00:00:02", 2),
    ])
    private let probe = Target.part("Probe")
    private let first = Target.address("C0:FF:EE:00:00:01")
    private let second = Target.address("C0:FF:EE:00:00:02")
    private let value = CharacteristicArgument.uuid(0xFFF1)

    @Test func `A kept link takes precedence over a device whose longer name contains the target`() {
        let harness = CommandHarness(probes)
        #expect(harness.run(ConnectVerb(target: probe, keepsLink: true)).code == .done)
        let outcome = harness.run(ReadVerb(target: probe, characteristic: value))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines == ["01  1"])
    }

    @Test func `A device whose link closes takes precedence over a longer name that advertises`() {
        let harness = CommandHarness(probes)
        for _ in 0..<3 {
            let outcome = harness.run(ReadVerb(target: probe, characteristic: value), for: 8)
            #expect(outcome.code == .done && outcome.lines == ["01  1"], "\(outcome.lines) \(outcome.errors)")
        }
    }

    @Test func `A part of the names of a connected and of an advertising device is ambiguous`() {
        let harness = CommandHarness(probes)
        harness.run(ConnectVerb(target: first, keepsLink: true))
        let outcome = harness.run(ReadVerb(target: .part("rob"), characteristic: value))
        #expect(outcome.code == .usage && outcome.lines.isEmpty)
        #expect(outcome.errors.first?.contains("“rob” matches 2 devices") == true, "\(outcome.errors)")
    }

    @Test func `A name that a connected and an advertising device have is ambiguous`() {
        let harness = CommandHarness(twins)
        harness.run(ConnectVerb(target: first, keepsLink: true))
        let outcome = harness.run(ReadVerb(target: .part("Dup"), characteristic: value))
        #expect(outcome.code == .usage && outcome.lines.isEmpty)
        #expect(outcome.errors.first?.contains("“Dup” matches 2 devices") == true, "\(outcome.errors)")
    }

    @Test func `With --keep, the link to a longer name is not used if the named device is known`() {
        let harness = CommandHarness(probes)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.run(ConnectVerb(target: second, keepsLink: true), for: 5)
        let outcome = harness.run(ReadVerb(target: probe, characteristic: value, keepsLink: true))
        #expect(outcome.code == .done && outcome.lines == ["01  1"], "\(outcome.lines) \(outcome.errors)")
    }

    @Test func `Disconnecting a named device leaves the link to a longer name open`() {
        let harness = CommandHarness(probes)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        harness.run(ConnectVerb(target: second, keepsLink: true), for: 5)
        let outcome = harness.run(DisconnectVerb(target: probe))
        #expect(outcome.lines == ["C0:FF:EE:00:00:01 “Probe” is not connected."])
        #expect(harness.calls("Disconnect") == 0)
    }

    @Test func `Forgetting requires the whole name or the address, and names the partial match`() {
        let harness = CommandHarness(probes)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        #expect(harness.run(ForgetVerb(target: probe), for: 5).code == .done)
        harness.simulation.bluez.forgetCalls()
        let again = harness.run(ForgetVerb(target: probe), for: 5)
        #expect(again.code == .notFound && again.errors.count == 1)
        #expect(again.errors.first?.contains("“Probe”, but C0:FF:EE:00:00:02 “Probe Two”. To forget") == true)
        #expect(harness.calls("RemoveDevice") == 0)
        #expect(harness.run(ForgetVerb(target: second)).code == .done)
    }

    @Test func `A short time limit leaves time to connect a device that is named by a part`() {
        let outcome = CommandHarness(probes).run(
            ReadVerb(target: .part("be Two"), characteristic: value), .limited(.seconds(1)))
        #expect(outcome.code == .done && outcome.lines == ["02  2"], "\(outcome.errors)")
    }

    @Test func `A device that is found too late is not reported as absent`() {
        let harness = CommandHarness(probes)
        let bluez = harness.simulation.bluez
        bluez.advertise(nil, from: "C0:FF:EE:00:00:02")
        let outcome = harness.run(
            ReadVerb(target: .part("be Two"), characteristic: value), .limited(.seconds(1)),
            meanwhile: [
                (
                    800,
                    { _ in
                        bluez.advertise(
                            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Probe Two"),
                            from: "C0:FF:EE:00:00:02")
                    }
                )
            ])
        #expect(outcome.code == .timedOut && outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains("was found, but not early enough") == true, "\(outcome.errors)")
    }

    @Test func `An address without colons is the device, unless another one has it as its name`() {
        let harness = CommandHarness(probes)
        #expect(harness.run(ReadVerb(target: .part("C0ffee000002"), characteristic: value)).lines == ["02  2"])
    }
}
