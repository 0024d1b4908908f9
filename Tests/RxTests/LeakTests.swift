import Dispatch
import Rx
import RxTest
import Testing

/// Nothing stays behind when streams end or are disposed of. It runs in a process of its own, as the count is one for
/// the process.
@Suite struct LeakTests {
    @Test func nothingStaysBehindAfterTheEndOrDisposal() async {
        await #expect(processExitsWith: .success) {
            for (name, make) in ReentrancyTests.operators {
                for (end, script) in [(225, usual), (1000, usual), (1000, failing)] {
                    func run() {
                        let scheduler = TestScheduler(initialClock: 0)
                        let source = scheduler.createHotObservable(script)
                        _ = scheduler.start(disposed: end) { make(source.asObservable(), scheduler) }
                    }
                    run()
                    let before = Resources.total
                    run()
                    let left = Resources.total - before
                    precondition(left == 0, "\(name) leaves \(left) behind at \(end) of \(script.count).")
                }
            }
        }
    }
}
