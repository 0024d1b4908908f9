import FoundationEssentials
import Gateway
import Testing

/// Random faults of 30 days, in a model. `make soak-gateway` runs more of them.
@Suite struct RecoveryModelTests {
    @Test func `In random runs no gap is above 60 s while recovery is possible`() {
        let runs = ProcessInfo.processInfo.environment["RXBLUETOOTH_GATEWAY_RUNS"].flatMap { Int($0) }
        var tally = ModelTally()
        for seed in 1...UInt64(runs ?? 5) {
            var model = AdapterModel(seed: seed)
            model.run(days: 30)
            #expect(model.findings.isEmpty, "seed \(seed)")
            tally.add(model.tally)
        }
        if runs != nil { print(tally.table) }
        #expect(tally.faults.values.reduce(0, +) >= 40)
    }

    @Test func `Without faults, a scan is restarted by mistake at most twice in three days`() {
        var model = AdapterModel(seed: 11, skipsQuietTime: false, hasFaults: false)
        model.run(days: 3)
        #expect(model.tally.falseAlarms.values.reduce(0, +) <= 2, "\(model.tally.falseAlarms)")
        #expect(model.tally.falseAlarms.keys.allSatisfy { $0 == .restartScan })
    }
}
