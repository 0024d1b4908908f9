import DBus
import Foundation
import RxBluetooth
import RxBluetoothMocks
import SoakTesting
import TestTraits
import Testing

/// Repeats scans and connections without faults, with one manager, and compares the resources before and after.
///
/// The tests run in their own processes, because the count of Rx objects is per process.
struct CycleTests {
    /// `make soak` sets the number.
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
            // Timers that would run later without an effect count, too.
            #expect(many.timers == one.timers, "After one cycle \(one); after many \(many)")
            let both: Comment = "At rest before \(before); at rest after \(after)"
            #expect(after.objects == before.objects, both)
            #expect(after.descriptors == before.descriptors, both)
            #expect(after.matchRules == before.matchRules, both)
            #expect(after.timers == before.timers, both)
            // The counts are not zero.
            #expect(before.objects > 0 && before.matchRules > 0)
            stage.expectSettled()
        }
    }

    /// On a real bus, each cycle takes some milliseconds.
    private static let shortCycles = Ground.isPrivateBus ? 1_000 : 10_000

    @Test(.proves(.S92), .timeLimit(.minutes(10)))
    func `Ten thousand scans and connections disposed of at any moment leak nothing`() async {
        await #expect(processExitsWith: .success) {
            let (stage, daemon, peripheral) = Stage.scripted()
            for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "Disconnect"] {
                daemon.always(member)
            }
            // Each moment of disposal occurs before the first measurement.
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

    /// Scans and connects, and disposes of both: at once, after the calls, with the link, or with its services.
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
        // The clock releases cancelled deadlines when their time has passed.
        stage.advance(60_000)
    }

    /// Finds the sensor, connects, and disposes of the subscription while the sensor notifies.
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

    /// The resources when bluetoothd has removed the sensor and all deadlines have passed.
    private static func rest(_ stage: Stage) -> Footprint {
        stage.advance(300_000)
        return stage.footprint()
    }
}
