import Gateway
import Rx
import RxTest
import Testing

@Suite struct GatewayLoopTests {
    @Test func `Work never runs before its time, also if the delay is a part of a millisecond`() {
        let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
        let loop = GatewayLoop(scheduler: scheduler, monotonicTime: { .milliseconds(scheduler.clock) })
        let times = Guarded<[Int]>([])
        for delay: Duration in [.microseconds(300), .microseconds(1001), .zero, .seconds(-1)] {
            _ = loop.schedule(after: delay) { times.withLock { $0.append(scheduler.clock) } }
        }
        scheduler.advanceBy(10)
        #expect(times.withLock { $0 } == [0, 0, 1, 2])
    }
}
