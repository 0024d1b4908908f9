import Gateway
import Rx
import RxTest

/// A context of a gateway in virtual time, with ticks of a millisecond.
struct VirtualLoop {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let loop: GatewayLoop

    init() {
        let scheduler = scheduler
        loop = GatewayLoop(scheduler: scheduler, monotonicTime: { .milliseconds(scheduler.clock) })
    }

    /// Runs the work of the given time.
    func advance(by duration: Duration) { scheduler.advance(by: RxTimeInterval(duration)) }
}

extension Publication {
    init(_ topic: String, _ text: String, qualityOfService: UInt8 = 1, isRetained: Bool = false) {
        self.init(
            topic: topic, payload: Array(text.utf8), qualityOfService: qualityOfService, isRetained: isRetained)
    }

    var text: String { String(decoding: payload, as: UTF8.self) }
}
