import DBus
import Foundation
import RxBluetooth
import RxBluetoothMocks
import SoakTesting
import TestTraits
import Testing

/// Repeats scans and connections with one manager and without faults, and compares the resources.
///
/// Each test runs in its own process, because the number of objects of Rx is counted per process.
struct CycleTests {
    /// The number of cycles; `make soak` sets it.
    private static let cycles =
        ProcessInfo.processInfo.environment["RXBLUETOOTH_SOAK"].flatMap { Int($0) }
        ?? (Ground.isPrivateBus ? 100 : 2_000)

    @Test(.proves(.S92), .timeLimit(.minutes(5)))
    func `Thousands of scans and connections leak nothing`() async {
        await #expect(processExitsWith: .success) {
            let stage = Stage(with: [Sensor.peripheral])
            for _ in 0..<10 { Self.cycle(stage) }
            let before = Self.rest(stage)
            Self.cycle(stage)
            let one = stage.footprint()
            for _ in 1..<Self.cycles { Self.cycle(stage) }
            let many = stage.footprint()
            let after = Self.rest(stage)
            // Timers that would fire later are also compared, even if firing would have no effect.
            #expect(many.timers == one.timers, "After one cycle \(one); after many \(many)")
            let both: Comment = "At rest before \(before); at rest after \(after)"
            #expect(after.objects == before.objects, both)
            #expect(after.descriptors == before.descriptors, both)
            #expect(after.matchRules == before.matchRules, both)
            #expect(after.timers == before.timers, both)
            // The comparisons above are useful only if the counts are not zero.
            #expect(before.objects > 0 && before.matchRules > 0)
            stage.expectSettled()
        }
    }

    /// The number of short cycles; fewer on a real bus, because each cycle takes some milliseconds there.
    private static let shortCycles = Ground.isPrivateBus ? 1_000 : 10_000

    @Test(.proves(.S92), .timeLimit(.minutes(10)))
    func `Ten thousand scans and connections disposed of at any moment leak nothing`() async {
        await #expect(processExitsWith: .success) {
            let (stage, daemon, peripheral) = Stage.scripted()
            for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "Disconnect"] {
                daemon.always(member)
            }
            // Runs a cycle with each moment of disposal before the first measurement.
            for number in 0..<10 { Self.shortCycle(number, stage, daemon, peripheral) }
            let before = stage.footprint()
            for number in 0..<Self.shortCycles { Self.shortCycle(number, stage, daemon, peripheral) }
            let after = stage.footprint()
            let both: Comment = "Before \(before); after \(after)"
            #expect(after.objects == before.objects, both)
            #expect(after.descriptors == before.descriptors, both)
            #expect(after.matchRules == before.matchRules, both)
            #expect(after.timers == before.timers, both)
            #expect(before.objects > 0 && before.matchRules > 0)
            #expect(daemon.count("StartDiscovery") == daemon.count("StopDiscovery"))
            #expect(daemon.count("Disconnect") >= Self.shortCycles / 2)
            stage.expectSettled()
        }
    }

    /// Starts a scan and a connection, and disposes of both.
    ///
    /// The number selects the moment: at once, after the calls, with the link up, or with its services resolved.
    private static func shortCycle(
        _ number: Int, _ stage: Stage, _ daemon: ScriptedDaemon, _ peripheral: Peripheral
    ) {
        let scan = stage.record(stage.manager.scanForPeripherals())
        let link = stage.record(peripheral.connect())
        let moment = number % 4
        if moment > 0 { stage.advance(0) }
        if moment > 1 { daemon.deviceChanges(["Connected": .bool(true)]) }
        if moment > 2 { daemon.deviceChanges(["ServicesResolved": .bool(true)]) }
        if moment > 1 { stage.advance(0) }
        scan.dispose()
        link.dispose()
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        // Waits until the times of cancelled deadlines have passed, because the clock releases them only then.
        stage.advance(60_000)
    }

    /// Finds the sensor, connects, and disposes of the subscription while notifications are on.
    private static func cycle(_ stage: Stage) {
        let values = stage.record(
            stage.manager.peripheral(Sensor.address)
                .flatMap { $0.connect() }
                .flatMap { $0.discoverServices([Sensor.service]) }
                .flatMap { $0.discoverCharacteristics([Sensor.notifying]) }
                .flatMap { $0.observeValueUpdates() })
        stage.advance(1_000)
        stage.simulation.bluez.notify([5], from: Sensor.text, "fff2")
        stage.advance(1)
        #expect(values.elements == [[5]] && values.isLive)
        values.dispose()
        stage.advance(3_000)
        for (begin, end) in [("StartDiscovery", "StopDiscovery"), ("Connect", "Disconnect")] {
            #expect(stage.count(begin) == 1 && stage.count(end) == 1)
        }
        stage.simulation.bluez.forgetCalls()
    }

    /// Returns the resources after bluetoothd has removed the sensor and all deadlines have passed.
    private static func rest(_ stage: Stage) -> Footprint {
        stage.advance(300_000)
        return stage.footprint()
    }
}
