import Foundation
import Rx
import RxBluetooth
import SoakTesting
import Testing

extension LabTests {
    /// A gateway on the real bluetoothd: cycles of scan, connect, read, notify and disconnect with one manager.
    @Suite struct SoakTests {
        private static let variables = ProcessInfo.processInfo.environment
        /// The number of cycles; `make soak-bluez` sets 200.
        private static let cycles = variables["RXBLUETOOTH_SOAK"].flatMap { Int($0) } ?? 4

        @Test func `Soak cycles end with known outcomes and do not leak`() async throws {
            try await Lab.withManager { manager in
                var dice = Dice(seed: 7)
                var samples: [Footprint] = []
                var tally: [String: Int] = [:]
                for number in 1...Self.cycles {
                    let outcome = try await Self.cycle(manager, &dice)
                    tally[outcome, default: 0] += 1
                    try await manager.settled().timeout(Lab.timeout, scheduler: Lab.clock).value
                    guard number % max(1, Self.cycles / 10) == 0 else { continue }
                    samples.append(Footprint())
                    print("After \(number) cycles: \(samples[samples.count - 1])")
                }
                for (outcome, count) in tally.sorted(by: { $0.value > $1.value }) { print("\(count)  \(outcome)") }
                #expect(tally["done", default: 0] > 0)
                #expect(!tally.keys.contains { $0.hasPrefix("stuck") || $0.hasPrefix("untyped") })
                // Early samples may be low, because caches fill. A leak raises all later samples. The number of Rx
                // objects is not compared, because the clock still holds deadlines of earlier cycles.
                let (early, late) = (samples.prefix(3), samples.suffix(3))
                #expect(late.map(\.descriptors).min() ?? 0 <= early.map(\.descriptors).max() ?? 0)
                #expect(late.map(\.resident).min() ?? 0 < (early.map(\.resident).max() ?? 0) + 1024)
            }
        }

        /// Runs one cycle, and returns its outcome.
        private static func cycle(_ manager: BluetoothManager, _ dice: inout Dice) async throws -> String {
            let name = ["HRM-0", "HRM-1", "HRM-2", "LOUD", "FLAKY"].randomElement(using: &dice) ?? "HRM-0"
            let (service, wanted): (BluetoothUUID, [BluetoothUUID]) =
                name == "LOUD" ? (0xFFE0, [0xFFE1]) : (0x180D, [0x2A37, 0x2A38])
            let values = manager.scanForPeripherals().map(\.peripheral).filter { $0.name == name }.take(1)
                .flatMap { $0.connect() }
                .flatMap { $0.discoverServices([service]) }
                .flatMap { $0.discoverCharacteristics(wanted) }
                .flatMap { characteristic in
                    characteristic.uuid == 0x2A38
                        ? characteristic.readValue().asObservable() : characteristic.observeValueUpdates()
                }
                .take(Int.random(in: 2...20, using: &dice))
            let progress = StreamProgress(values.materialize().filter(\.isStopEvent))
            // In one of four cycles, the stream is disposed of at a random moment.
            if Int.random(in: 0..<4, using: &dice) == 0 {
                try await Lab.pass(.milliseconds(Int.random(in: 0...4_000, using: &dice)))
                progress.dispose()
                let count = progress.now.count
                try await Lab.pass(.milliseconds(100))
                #expect(progress.now.count == count)
                return "given up"
            }
            do { try await progress.wait(atMost: 90) { $0.count > 0 } } catch {
                progress.dispose()
                return "stuck: \(name)"
            }
            switch progress.now.last {
            case .error(let error as BluetoothError): return "\(name): \(error.kind)"
            case .completed: return "done"
            case .error(let error): return "untyped: \(error)"
            case .next, nil: return "stuck: \(name)"
            }
        }
    }
}
