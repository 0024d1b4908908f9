import DBus
import RxBluetoothMocks
import RxTest
import Testing

@testable import RxBluetooth

/// Replies, calls and closings that outlive the client of bluetoothd, whose parts refer to it without retaining it.
struct ClientReleaseTests {
    /// A client that is used without a manager, so that a test can release it at any moment.
    private final class Setup {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let simulation: Simulation
        let bus: any Bus
        let access: BlueZAccess
        // Guard: used only in the context of the bus, which is the thread of the test.
        var client: BlueZClient?

        init(_ faults: Fault...) {
            simulation = Simulation(Scenario(peripherals: []), scheduler: scheduler)
            for fault in faults { simulation.bluez.add(fault) }
            let bus = simulation.connect()
            self.bus = bus
            access = BlueZAccess(settings: Settings(.init(scheduler: scheduler))) { bus }
            inContext { setup in
                let access = setup.access
                setup.client = BlueZClient(
                    bus: BusContext(bus), settings: access.settings, peripherals: access.peripherals, access: access)
                setup.client?.start()
            }
        }

        func inContext(_ work: @escaping (Setup) throws -> Void) {
            let transfer = Transfer(setup: self, work: work)
            bus.perform {
                do { try transfer.work(transfer.setup) } catch { Issue.record(error) }
            }
            scheduler.advanceBy(1)
        }

        func count(_ member: String) -> Int { simulation.calls.count { $0.member == member } }
    }

    // Guard: both values are used only on the thread of the test.
    private struct Transfer: @unchecked Sendable {
        let setup: Setup
        let work: (Setup) throws -> Void
    }

    @Test func `A reply to a registration after the release of the client is ignored`() {
        let setup = Setup(Fault("RegisterApplication", .late(.seconds(1))))
        setup.scheduler.advanceBy(100)
        let services = Emitter<PublishedServices> { _ in }
        setup.inContext { setup in
            try setup.client?.publishing.start([LocalService(0xFFA0)], .automatic, services)
        }
        setup.scheduler.advanceBy(100)
        setup.inContext { $0.client = nil }
        setup.scheduler.advanceBy(5_000)
        #expect(setup.count("RegisterApplication") == 1 && services.isActive)
    }

    @Test func `A reply to a change of power after the release of the client is ignored`() {
        let setup = Setup(Fault("Set", property: "Powered", .late(.seconds(1))))
        setup.scheduler.advanceBy(100)
        let emitter = Emitter<Never> { _ in }
        setup.inContext { $0.client?.adapterControl.setPowered(false, on: 0, emitter) }
        setup.scheduler.advanceBy(100)
        setup.inContext { $0.client = nil }
        setup.scheduler.advanceBy(5_000)
        #expect(setup.count("Set") == 1 && emitter.isActive)
    }

    @Test func `A call to a published object after the release of the client fails`() {
        let setup = Setup()
        setup.scheduler.advanceBy(100)
        let emitter = Emitter<PublishedServices> { _ in }
        setup.inContext { setup in
            try setup.client?.publishing.start([LocalService(0xFFA0)], .automatic, emitter)
            setup.client = nil
        }
        setup.scheduler.advanceBy(5_000)
        #expect(setup.count("RegisterApplication") == 1 && emitter.isActive)
    }

    @Test(arguments: [true, false])
    func `A link that cannot be closed is released with its manager`(isAnswered: Bool) {
        let setup = LifetimeTests.Setup()
        let failed = Fault.Effect.error("org.bluez.Error.Failed", "Not possible")
        setup.simulation.bluez.add(Fault("Disconnect", isAnswered ? failed : .never))
        let subscription = setup.find()?.connect().subscribe()
        setup.scheduler.advanceBy(500)
        subscription?.dispose()
        setup.manager = nil
        setup.scheduler.advanceBy(20_000)
        #expect(setup.count("Disconnect") == 1)
        #expect(setup.bus == nil)
    }
}
