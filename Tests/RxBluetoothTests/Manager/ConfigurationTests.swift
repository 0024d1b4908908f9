import Logging
import RxBluetoothMocks
import RxTest
import Testing

@testable import RxBluetooth

struct ConfigurationTests {
    @Test func `A manager without a configuration has the defaults`() {
        let scheduler = TestScheduler(initialClock: 0)
        let settings = BluetoothManager().access.settings
        #expect(settings.adapter == .automatic && settings.pairing == PairingPolicy())
        #expect(settings.deadlines.connect == .seconds(30))
        // A manager on the system bus uses the controllers of this machine. A manager on another bus uses none.
        #expect(settings.controller is HCIController)
        let simulated = BluetoothManager(
            configuration: .init(scheduler: scheduler), bus: Simulation(.everyday, scheduler: scheduler).connect())
        #expect(simulated.access.settings.controller == nil)
    }

    @Test func `A manager takes each value of its configuration`() {
        let scheduler = TestScheduler(initialClock: 0)
        var deadlines = Deadlines()
        deadlines.connect = .seconds(3)
        var configuration = BluetoothManager.Configuration(
            adapter: .named("hci1"), scheduler: scheduler, deadlines: deadlines, pairing: PairingPolicy(.justWorks))
        configuration.controller = RSSITests.ScriptedController()
        let manager = BluetoothManager(configuration: configuration)
        // The manager copies the configuration, so this later change has no effect.
        configuration.adapter = .automatic
        let settings = manager.access.settings
        #expect(settings.adapter == .named("hci1") && manager.selection == .named("hci1"))
        #expect(settings.deadlines.connect == .seconds(3) && settings.pairing.mode == .justWorks)
        #expect(settings.scheduler as? TestScheduler === scheduler)
        #expect(settings.controller is RSSITests.ScriptedController)
        #expect(BluetoothManager(configuration: .init(adapter: .number(2))).selection == .named("hci2"))
    }
}
