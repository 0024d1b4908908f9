import DBus
import RxBluetooth
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

struct ResumingScanTests {
    private static let resuming = ScanOptions(resumes: true)

    /// A resuming scan and a plain scan of one manager, both active.
    private struct Scans {
        let stage: Stage
        let resuming: Recording<ScannedPeripheral>
        let plain: Recording<ScannedPeripheral>

        init(_ stage: Stage = Stage(with: [Sensor.peripheral])) {
            self.stage = stage
            resuming = stage.record(stage.manager.scanForPeripherals(options: ResumingScanTests.resuming))
            plain = stage.record(stage.manager.scanForPeripherals())
            stage.advance(1_000)
            #expect(resuming.elements.count == 1)
            #expect(plain.elements.count == 1)
        }

        /// Checks that the plain scan has failed, and that the resuming scan emits again.
        func expectRecovery(_ kind: BluetoothError.Kind, _ location: SourceLocation = #_sourceLocation) {
            #expect(plain.kind == kind, sourceLocation: location)
            #expect(plain.times.count == 2, sourceLocation: location)
            #expect(resuming.isLive, sourceLocation: location)
            #expect(resuming.elements.count == 2, sourceLocation: location)
            #expect(resuming.elements.last?.isCached == false, sourceLocation: location)
            resuming.dispose()
            let count = resuming.times.count
            stage.advance(5_000)
            #expect(resuming.times.count == count, sourceLocation: location)
            stage.expectSettled(location)
        }
    }

    @Test(.proves(.S13, .Q2), .covers(.resumingScan)) func `A scan resumes within 5 s after bluetoothd restarts`() {
        let scans = Scans()
        scans.stage.simulation.bluez.crash()
        scans.stage.advance(60_000)
        #expect(scans.resuming.elements.count == 1)
        scans.stage.simulation.bluez.start()
        scans.stage.advance(5_000)
        scans.expectRecovery(.daemonUnavailable)
    }

    @Test(.proves(.S13, .Q32)) func `A scan resumes when the adapter is switched on; a plain scan fails at once`() {
        let scans = Scans()
        scans.stage.simulation.bluez.setPower(false)
        scans.stage.advance(10)
        #expect(scans.plain.kind == .poweredOff)
        scans.stage.advance(60_000)
        scans.stage.simulation.bluez.setPower(true)
        scans.stage.advance(5_000)
        scans.expectRecovery(.poweredOff)
    }

    @Test(.proves(.Q28, .Q34)) func `A scan resumes when its adapter returns under another number`() {
        let scans = Scans()
        scans.stage.simulation.bluez.removeAdapter(0)
        scans.stage.advance(60_000)
        scans.stage.simulation.bluez.addAdapter(as: 3)
        scans.stage.advance(5_000)
        scans.expectRecovery(.noAdapter)
        #expect(scans.stage.simulation.calls.last { $0.member == "StartDiscovery" }?.path == "/org/bluez/hci3")
    }

    @Test(.proves(.Q30)) func `A scan resumes when rfkill unblocks the adapter`() {
        let scans = Scans()
        scans.stage.simulation.bluez.setBlocked(true)
        scans.stage.advance(60_000)
        scans.stage.simulation.bluez.setBlocked(false)
        scans.stage.advance(5_000)
        scans.expectRecovery(.blocked)
    }

    @Test func `A resuming scan starts when Bluetooth becomes available`() {
        let stage = Stage(Scenario(peripherals: [Sensor.peripheral]), starting: false)
        let scan = stage.record(stage.manager.scanForPeripherals(options: Self.resuming))
        stage.advance(60_000)
        #expect(scan.isLive)
        stage.simulation.bluez.start()
        stage.advance(5_000)
        #expect(scan.elements.count == 1)
    }

    @Test func `A scan resumes on a new bus after the old one is lost`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let scenario = Scenario(peripherals: [Sensor.peripheral])
        let first = Simulation(scenario, scheduler: scheduler)
        let lost = (0..<3).map { _ in Simulation(scenario, scheduler: scheduler) }
        let last = Simulation(scenario, scheduler: scheduler)
        let buses = BusSequence([first] + lost + [last])
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler)) { buses.next() }
        let scan = Recording(manager.scanForPeripherals(options: Self.resuming), scheduler)
        scheduler.advanceBy(1_000)
        #expect(scan.elements.count == 1)
        for simulation in lost { simulation.bus.shutDown() }
        first.bus.shutDown()
        scheduler.advanceBy(10)
        #expect(buses.count == 2)
        // The manager opens a new bus at once, and then after pauses of 0.25, 0.5 and 1 s.
        scheduler.advanceBy(230)
        #expect(buses.count == 2)
        scheduler.advanceBy(1_500)
        #expect(buses.count == 4)
        scheduler.advanceBy(30)
        #expect(buses.count == 5)
        scheduler.advanceBy(1_000)
        #expect(scan.elements.count == 2)
        #expect(scan.isLive)
    }

    @Test(.proves(.Q38)) func `A resuming scan repeats a refused start; a plain scan fails as busy`() {
        let stage = Stage(with: [Sensor.peripheral])
        stage.simulation.bluez.add(
            Fault("Adapter1.StartDiscovery", calls: .first(30), .error("org.bluez.Error.InProgress", "In progress")))
        let scan = stage.record(stage.manager.scanForPeripherals(options: Self.resuming))
        let plain = stage.record(stage.manager.scanForPeripherals())
        stage.advance(60_000)
        #expect(plain.kind == .busy)
        #expect(scan.isLive)
        #expect(scan.elements.count == 1)
        #expect(stage.count("StartDiscovery") == 31)
    }

    @Test(.proves(.Q38)) func `A scan resumes within 1 s after the kernel ends an orphaned discovery`() {
        let scans = Scans()
        scans.stage.simulation.bluez.add(
            Fault("Adapter1.StartDiscovery", .error("org.bluez.Error.InProgress", "In progress")))
        scans.stage.simulation.bluez.crash()
        scans.stage.advance(1_000)
        scans.stage.simulation.bluez.start()
        // Waits for the kernel, which ends the orphaned discovery after up to 10.24 s.
        scans.stage.advance(9_240)
        #expect(scans.resuming.elements.count == 1)
        scans.stage.simulation.bluez.removeFaults()
        scans.stage.advance(1_000)
        scans.expectRecovery(.daemonUnavailable)
    }

    @Test(.proves(.Q38)) func `Only the orphaned discovery of a crashed bluetoothd is stopped in the kernel`() {
        let controller = Kernel()
        let stage = Stage(with: [Sensor.peripheral], controller: controller)
        let scan = stage.record(stage.manager.scanForPeripherals(options: Self.resuming))
        stage.advance(1_000)
        let bluez = stage.simulation.bluez
        controller.whenStopped { bluez.removeFaults() }
        bluez.add(Fault("Adapter1.StartDiscovery", .error("org.bluez.Error.InProgress", "In progress")))
        bluez.crash()
        stage.advance(1_000)
        bluez.start()
        stage.advance(2_000)
        #expect(controller.stopped == ["hci0"])
        #expect(scan.elements.count == 2)
        scan.dispose()
        stage.advance(100)
        // This refusal does not follow a crash of bluetoothd, so the library must not stop discovery in the kernel.
        stage.advance(11_000)
        bluez.add(
            Fault("Adapter1.StartDiscovery", calls: .first(3), .error("org.bluez.Error.InProgress", "In progress")))
        let other = stage.record(stage.manager.scanForPeripherals())
        stage.advance(5_000)
        #expect(other.elements.count == 1)
        #expect(controller.stopped == ["hci0"])
    }

    /// A controller that stops discovery in the kernel on request, and records the adapters.
    private final class Kernel: HostController {
        private let state = Guarded<(stopped: [String], then: @Sendable () -> Void)>(([], {}))

        var stopped: [String] { state.withLock { $0.stopped } }

        func whenStopped(_ then: @escaping @Sendable () -> Void) { state.withLock { $0.then = then } }

        func stopDiscovery(on adapter: String, _ done: @escaping @Sendable (Bool) -> Void) {
            let then = state.withLock { state in
                state.stopped.append(adapter)
                return state.then
            }
            then()
            done(true)
        }

        func readRSSI(
            of address: BluetoothAddress, on adapter: String, deadline: Duration,
            _ answer: @escaping @Sendable (Result<Int, BluetoothError>) -> Void
        ) { answer(.failure(BluetoothError(.unsupported))) }
    }

    @Test func `A resuming scan fails on a permanent error`() {
        let stage = Stage(with: [Sensor.peripheral])
        stage.simulation.bluez.add(
            Fault("Adapter1.StartDiscovery", .error("org.freedesktop.DBus.Error.AccessDenied", "no")))
        let scan = stage.record(stage.manager.scanForPeripherals(options: Self.resuming))
        stage.advance(1_000)
        #expect(scan.kind == .unauthorized)
        #expect(scan.error?.operation == .scan)
    }

    @Test func `Closing ends an interrupted scan, and a disposed one emits nothing`() {
        let scans = Scans()
        scans.stage.simulation.bluez.crash()
        scans.stage.advance(1_000)
        let second = scans.stage.record(scans.stage.manager.scanForPeripherals(options: Self.resuming))
        scans.stage.advance(1_000)
        second.dispose()
        let closing = scans.stage.record(scans.stage.manager.close())
        scans.stage.advance(10)
        #expect(closing.isCompleted)
        #expect(scans.resuming.kind == .closed)
        scans.stage.simulation.bluez.start()
        scans.stage.advance(10_000)
        #expect(second.times.isEmpty)
        #expect(scans.stage.count("StartDiscovery") == 1)
    }
}
