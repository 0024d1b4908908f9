import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@testable import ble_cli

struct WallClockTests {
    @Test(arguments: [-3_600.0, 3_600])
    func `Notify keeps its time limit if the wall clock is set while it connects`(seconds: Double) {
        let virtual = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let scheduler = SettableRealTimeScheduler(virtual)
        let simulation = Simulation(.everyday, scheduler: virtual)
        let manager = BluetoothManager(configuration: .init(scheduler: scheduler), bus: simulation.connect())
        let output = RecordingOutput()
        let messages = Messages(output: RecordingOutput())
        let context = CommandContext(
            manager: manager, scheduler: scheduler, output: output, options: .limited(.seconds(5)), messages: messages)
        let codes = Guarded<[ExitCode]>([])
        let runner = CommandRunner(context, messages: messages) { code in codes.withLock { $0.append(code) } }
        runner.start(NotifyVerb(target: .address("C0:FF:EE:00:00:01"), characteristic: .uuid(0x2A37)))
        virtual.advanceBy(100)
        scheduler.setWallClock(by: seconds)
        virtual.advanceBy(4_500)
        #expect(codes.withLock { $0 }.isEmpty)
        virtual.advanceBy(2_600)
        #expect(codes.withLock { $0 } == [.done])
        #expect((3...5).contains(output.takeLines().count))
    }
}
