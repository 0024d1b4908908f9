import FoundationEssentials
import Gateway
import Rx
import RxTest
import SoakTesting
import Testing

/// Random faults of a supervised adapter on the simulated bluetoothd. `make soak-gateway` runs days of it.
@Suite struct RecoverySoakTests {
    private static let wanted = ProcessInfo.processInfo.environment["RXBLUETOOTH_GATEWAY_RUNS"].flatMap { Int($0) }

    @Test(arguments: 1...UInt64(wanted.map { max(1, $0 / 50) } ?? 2))
    func `The supervisor receives again within 60 s after each fault`(_ seed: UInt64) {
        var dice = Dice(seed: seed)
        let stage = RecoveryStage(devices: 3)
        let end = (Self.wanted == nil ? 2 : 24) * 3_600_000
        var worst = 0.0
        let faults = RecoveryFault.all.filter { !$0.usesManagement }
        while stage.scheduler.clock < end {
            stage.advance(.seconds(Int.random(in: 60...600, using: &dice)))
            var start = stage.scheduler.clock
            stage.forget()
            var name = ""
            if Bool.random(using: &dice), let outage = RecoveryOutage.all.randomElement(using: &dice) {
                name = outage.name
                outage.begin(stage.bluez)
                stage.advance(.seconds(Int.random(in: 1...300, using: &dice)))
                outage.end(stage.bluez)
                start = stage.scheduler.clock
            } else if let fault = faults.randomElement(using: &dice) {
                name = fault.name
                fault.begin(stage)
            }
            stage.advance(.seconds(90))
            let gap = stage.longestGap(since: start)
            worst = max(worst, gap)
            #expect(gap <= 60, "\(name) at \(start): \(stage.reports)")
        }
        if Self.wanted != nil {
            let counts = stage.supervisor.status.counts.sorted { $0.key.rawValue < $1.key.rawValue }
            print("seed \(seed): \(counts.map { "\($0.key.rawValue) \($0.value)" }), longest gap \(worst) s")
        }
        #expect(stage.close())
    }
}
