import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct ScanWatchdogTests {
    private static let watched = ScanOptions(allowsDuplicates: true, restartsAfterSilence: .seconds(10))

    @Test(.proves(.Q42)) func `A scan that falls silent is restarted and receives again`() {
        var scenario = Scenario(peripherals: [Sensor.peripheral])
        scenario.quirks = [.Q42]
        let stage = Stage(scenario)
        let scan = stage.record(stage.manager.scanForPeripherals(options: Self.watched))
        let shared = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
        stage.advance(29_000)
        #expect((scan.times.last ?? 0) < 21_000)
        #expect(stage.count("StartDiscovery") == 1)
        stage.advance(12_000)
        #expect(stage.count("StopDiscovery") == 1)
        #expect(stage.count("StartDiscovery") == 2)
        #expect((scan.times.last ?? 0) > 39_000)
        #expect(shared.times.last == scan.times.last)
        #expect(scan.isLive && shared.isLive)
    }

    @Test(.proves(.Q42)) func `A scan that receives nothing restarts at growing intervals`() {
        let stage = Stage(with: [])
        let scan = stage.record(stage.manager.scanForPeripherals(options: Self.watched))
        stage.advance(9_900)
        #expect(stage.count("StartDiscovery") == 1)
        // The scan is restarted at 10, 30, 70, 150, 310, 470 and 630 s.
        stage.advance(640_000)
        #expect(stage.count("StartDiscovery") == 8)
        scan.dispose()
        stage.advance(1_000_000)
        #expect(stage.count("StartDiscovery") == 8)
        #expect(stage.count("StopDiscovery") == 8)
        stage.expectSettled()
    }

    @Test(.proves(.Q42)) func `A scan restarts neither without the option nor while it receives`() {
        let silent = Stage(with: [])
        let plain = silent.record(silent.manager.scanForPeripherals())
        silent.advance(1_000_000)
        #expect(silent.count("StartDiscovery") == 1)
        let loud = Stage(with: [Sensor.peripheral])
        let watched = loud.record(loud.manager.scanForPeripherals(options: Self.watched))
        loud.advance(100_000)
        #expect(loud.count("StartDiscovery") == 1)
        #expect(plain.isLive && watched.isLive)
    }
}
