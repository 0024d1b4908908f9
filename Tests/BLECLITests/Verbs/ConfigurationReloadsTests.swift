import Dispatch
import Gateway
import Rx
import Testing

@testable import ble_gateway

/// Reading the configuration of ble-gateway again.
@Suite(.timeLimit(.minutes(5)))
struct ConfigurationReloadsTests {
    @Test func `A request returns before the configuration is read`() async {
        let queue = DispatchQueue(label: "ConfigurationReloadsTests")
        let count = Guarded(0)
        queue.suspend()
        await withCheckedContinuation { (end: CheckedContinuation<Void, Never>) in
            let reloads = ConfigurationReloads(queue: queue) { () throws(ProgramFailure) -> GatewayConfiguration? in
                count.withLock { $0 += 1 }
                return nil
            } onRead: { _ in
                end.resume()
            }
            reloads.request()
            // The queue of the signals is free here.
            #expect(count.withLock { $0 } == 0)
            queue.resume()
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `Requests during a reading lead to one more`() async {
        let queue = DispatchQueue(label: "ConfigurationReloadsTests")
        let count = Guarded(0)
        let results = Guarded(0)
        let made = Guarded<ConfigurationReloads?>(nil)
        await withCheckedContinuation { (end: CheckedContinuation<Void, Never>) in
            let reloads = ConfigurationReloads(queue: queue) { () throws(ProgramFailure) -> GatewayConfiguration? in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number == 1 else { return nil }
                for _ in 0..<3 { made.withLock { $0 }?.request() }
                throw ProgramFailure(ProgramFailure.usage, "wrong")
            } onRead: { _ in
                let number = results.withLock { results in
                    results += 1
                    return results
                }
                // Runs after all readings that were requested before.
                if number == 2 { queue.async { end.resume() } }
            }
            made.withLock { $0 = reloads }
            reloads.request()
        }
        made.withLock { $0 = nil }
        #expect(count.withLock { $0 } == 2 && results.withLock { $0 } == 2)
    }
}
