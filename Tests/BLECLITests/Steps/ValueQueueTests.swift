import Rx
import Testing

@testable import ble_cli

/// Values that arrive before a step waits for them.
struct ValueQueueTests {
    @Test func `Above the limit, the oldest values are dropped and the newest are kept`() {
        let queue = ValueQueue()
        let source = PublishSubject<[UInt8]>()
        queue.start(source) { _ in Issue.record("The stream failed.") }
        for number in 0..<1_003 { source.onNext([UInt8(number >> 8), UInt8(number & 0xFF)]) }
        let found = Guarded<[Int]>([])
        func take(_ isWanted: @escaping @Sendable (Int) -> Bool) {
            let subscription = queue.first { isWanted(Int($0[0]) << 8 | Int($0[1])) }
                .subscribe(onNext: { value in found.withLock { $0.append(Int(value[0]) << 8 | Int(value[1])) } })
            subscription.dispose()
        }
        take { _ in true }
        take { $0 >= 1_002 }
        #expect(found.withLock { $0 } == [3, 1_002])
    }
}
