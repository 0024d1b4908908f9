import RxBluetooth
import RxBluetoothMocks
import Testing

struct PresenceTests {
    private let first = "C0:00:00:00:00:01"
    private let second = "C0:00:00:00:00:02"

    private func stage() -> Stage { Stage(with: [.beacon(first), .beacon(second)]) }

    /// What was told, as `+1` and `-1`, with the second in which it was.
    private func told(_ recording: Recording<PresenceChange>) -> [String] {
        zip(recording.elements, recording.times).map { change, time in
            switch change {
            case .found(let scanned): "+\(scanned.peripheral.address.description.suffix(1)) \(time / 1_000)"
            case .lost(let peripheral): "-\(peripheral.address.description.suffix(1)) \(time / 1_000)"
            }
        }
    }

    @Test func `S21 A device is found once, lost after ten seconds of silence, and found again, each for itself`() {
        let stage = stage()
        let presence = stage.record(stage.manager.observePresence())
        stage.advance(20_500)
        #expect(told(presence) == ["+1 0", "+2 0"])
        stage.simulation.bluez.setInRange(false, first)
        stage.advance(9_000)
        #expect(presence.elements.count == 2)
        stage.advance(2_000)
        #expect(told(presence) == ["+1 0", "+2 0", "-1 30"])
        stage.simulation.bluez.setInRange(true, first)
        stage.advance(1_000)
        #expect(told(presence).last == "+1 31")
        #expect(presence.isLive)
    }

    @Test func `S21 A silence that is shorter than what was asked for is none`() {
        let stage = stage()
        let presence = stage.record(stage.manager.observePresence(silence: .seconds(3)))
        stage.advance(1_000)
        for _ in 0..<3 {
            stage.simulation.bluez.setInRange(false, first)
            stage.advance(2_800)
            stage.simulation.bluez.setInRange(true, first)
            stage.advance(1_000)
        }
        #expect(told(presence) == ["+1 0", "+2 0"])
        stage.simulation.bluez.setInRange(false, first)
        stage.advance(3_100)
        #expect(presence.elements.count == 3)
    }

    @Test func `S21 Filters count, and it is one more scan of the same session`() {
        let stage = stage()
        let scan = stage.record(stage.manager.scanForPeripherals())
        let presence = stage.record(
            stage.manager.observePresence(
                options: ScanOptions(filters: [ScanFilter(address: "C0:00:00:00:00:02")])))
        stage.advance(1_000)
        #expect(told(presence) == ["+2 0"])
        #expect(stage.count("StartDiscovery") == 1)
        presence.dispose()
        stage.advance(20_000)
        #expect(presence.elements.count == 1)
        #expect(scan.isLive)
        #expect(stage.count("StopDiscovery") == 0)
        scan.dispose()
        stage.advance(1_000)
        #expect(stage.count("StopDiscovery") == 1)
    }

    @Test func `S21 Whoever cannot be heard is lost before the scan fails, or waits`() {
        for resumes in [false, true] {
            let stage = stage()
            let presence = stage.record(stage.manager.observePresence(options: ScanOptions(resumes: resumes)))
            stage.advance(1_500)
            stage.simulation.bluez.crash()
            stage.advance(1_000)
            #expect(Array(told(presence).prefix(4)) == ["+1 0", "+2 0", "-1 1", "-2 1"])
            #expect(presence.error?.kind == (resumes ? nil : .daemonUnavailable))
            stage.simulation.bluez.start()
            stage.advance(5_000)
            #expect(presence.elements.count == (resumes ? 6 : 4))
        }
    }
}
