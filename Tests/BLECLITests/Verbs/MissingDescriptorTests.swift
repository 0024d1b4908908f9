import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Notifications of a characteristic without the descriptor 2902.
struct MissingDescriptorTests {
    private static let cause =
        "FD01 has no descriptor 2902, which turns notifications on, so the device may never send any."
    private let device = Target.part("Mute")

    private func harness() -> CommandHarness {
        let mute: SimulatedCharacteristic = {
            var characteristic = SimulatedCharacteristic("fd01", .notify)
            characteristic.hasClientConfiguration = false
            return characteristic
        }()
        return CommandHarness(
            around: SimulatedPeripheral("Mute", address: "C0:FF:EE:00:00:09") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Mute")
                SimulatedService("fd00") {
                    mute
                    SimulatedCharacteristic("fd02", .notify)
                }
            })
    }

    @Test func `At the time limit of notify, the error names the missing descriptor`() {
        let outcome = harness().run(NotifyVerb(target: device, characteristic: .uuid(0xFD01)), .limited(.seconds(5)))
        #expect(outcome.code == .timedOut && outcome.errors.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains("No value of FD01") == true, "\(outcome.errors)")
        #expect(outcome.errors.first?.hasSuffix("arrived within 5 s. " + Self.cause) == true, "\(outcome.errors)")
    }

    @Test func `A characteristic with the descriptor has no such text`() {
        let outcome = harness().run(NotifyVerb(target: device, characteristic: .uuid(0xFD02)), .limited(.seconds(5)))
        #expect(outcome.code == .timedOut, "\(outcome.errors)")
        #expect(outcome.errors.first?.hasSuffix("arrived within 5 s.") == true, "\(outcome.errors)")
    }

    @Test func `With --for, too, the error names the missing descriptor`() {
        var verb = NotifyVerb(target: device, characteristic: .uuid(0xFD01))
        verb.duration = .seconds(3)
        let outcome = harness().run(verb)
        #expect(outcome.code == .timedOut, "\(outcome.errors)")
        #expect(outcome.errors.first?.hasSuffix(Self.cause) == true, "\(outcome.errors)")
    }

    @Test(arguments: ["wait FD01 2s", "subscribe FD01\nwait FD01 2s"])
    func `The step wait names the missing descriptor`(steps: String) throws {
        let outcome = harness().run(RunVerb(script: try StepScript("connect Mute\n" + steps, name: "x")))
        #expect(outcome.code == .timedOut, "\(outcome.errors)")
        #expect(outcome.errors.last?.hasSuffix("arrived within 2 s. " + Self.cause) == true, "\(outcome.errors)")
    }
}
